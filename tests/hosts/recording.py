# SPDX-License-Identifier: MIT
"""A host as one YAML of questions and answers: recorded while real probes run, then replayed."""

import base64
import errno
import functools
import os
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
import yaml

from clprobe.model.errors import ClprobeError
from clprobe.probe.environment import PRESENCE, is_recorded
from clprobe.probe.host import ChildResult, Host, OpenclRequest, Pending

_FORMAT = "clprobe.host/1"
_QUESTIONS = tuple(name for name in vars(Host) if not name.startswith("_"))
_Answers = dict[str, dict[str, Any]]
# Looked at to tell containers apart, not stated in snapshots.
_CONTAINER_SIGNS = ("container", "KUBERNETES_SERVICE_HOST", "SNAP_NAME", "APPTAINER_CONTAINER",
                    "SINGULARITY_CONTAINER", "DISTROBOX_ENTER_PATH")  # fmt: skip


class RecordingHost:
    """Passes every question on to another host and keeps the answers, errors included."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._answers: _Answers = {}

    def as_host(self) -> Host:
        """Return self as what probes take: every question is answered by `__getattr__`."""
        return cast("Host", self)

    def __getattr__(self, question: str) -> Callable[..., Any]:
        if question not in _QUESTIONS:
            raise AttributeError(question)
        if question == "start_opencl":
            return self._start
        return functools.partial(self._ask, question)

    def save(self, path: Path, **header: str) -> None:
        """Write the recording; `header` says machine, date, how, and what was scrubbed."""
        document = {"format": _FORMAT, **header, "answers": self._answers}
        path.write_text(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100))

    def _ask(self, question: str, *arguments: Any) -> Any:
        answers = self._answers.setdefault(question, {})
        try:
            answer = getattr(self._host, question)(*arguments)
        except OSError as error:
            name = errno.errorcode.get(error.errno or 0, "EIO")
            answers[_key(arguments)] = {"error": name} | _path_of(error, _key(arguments))
            raise
        kept = recordable(answer) if question == "environment" else answer
        answers[_key(arguments)] = {"answer": _plain(kept)}
        return answer

    def _start(self, request: OpenclRequest) -> Pending:
        return _Recorded(self._host.start_opencl(request), functools.partial(self._keep, request))

    def _keep(self, request: OpenclRequest, result: ChildResult) -> None:
        answers = self._answers.setdefault("start_opencl", {})
        answers[_request_key(request)] = {"answer": _plain(result)}


class ReplayedHost:
    """Answers from a recording; a question that was not recorded is ENOENT, as on a bare host."""

    def __init__(self, path: Path) -> None:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        document = yaml.load(path.read_text(), Loader=loader)  # noqa: S506 - safe either way
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise ClprobeError(
                reference="recording-malformed",
                message=f"{path} is not a host recording ({_FORMAT}).",
            )
        self._answers: _Answers = document.get("answers") or {}

    def as_host(self) -> Host:
        """Return self as what probes take: every question is answered by `__getattr__`."""
        return cast("Host", self)

    def __getattr__(self, question: str) -> Callable[..., Any]:
        if question not in _QUESTIONS:
            raise AttributeError(question)
        if question == "start_opencl":
            return self._start
        return functools.partial(self._ask, question)

    def _ask(self, question: str, *arguments: Any) -> Any:
        key = _key(arguments)
        recorded = self._answers.get(question, {}).get(key)
        if recorded is None:
            raise FileNotFoundError(errno.ENOENT, "not recorded", f"{question} {key}".strip())
        if "error" in recorded:
            code = getattr(errno, recorded["error"])
            raise OSError(code, os.strerror(code), recorded.get("path", key))
        answer, wanted = recorded["answer"], _answer_type(question)
        return _bytes_of(answer) if wanted is bytes else msgspec.convert(answer, wanted)

    def _start(self, request: OpenclRequest) -> Pending:
        recorded = self._answers.get("start_opencl", {}).get(_request_key(request))
        if recorded is None:
            return _Replayed(ChildResult(ended="not-started", problem="not recorded"))
        return _Replayed(msgspec.convert(recorded["answer"], ChildResult))


class _Recorded:
    def __init__(self, pending: Pending, keep: Callable[[ChildResult], None]) -> None:
        self._pending = pending
        self._keep = keep

    def wait(self) -> ChildResult:
        result = self._pending.wait()
        self._keep(result)
        return result


class _Replayed:
    def __init__(self, result: ChildResult) -> None:
        self._result = result

    def wait(self) -> ChildResult:
        return self._result


def recordable(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what a recording of the host may hold: the variables that probes look at."""
    return {
        name: "set" if name in PRESENCE else value
        for name, value in environment.items()
        if is_recorded(name) or name in _CONTAINER_SIGNS
    }


def _key(arguments: tuple[Any, ...]) -> str:
    return " ".join(" ".join(part) if isinstance(part, tuple) else str(part) for part in arguments)


def _request_key(request: OpenclRequest) -> str:
    kernels = " kernels" if request.kernels else ""
    beside = f" {request.beside}" if request.beside else ""
    return f"{request.role} {request.library}{beside}{kernels}".strip()


def _path_of(error: OSError, key: str) -> dict[str, str]:
    """Return the path that the error names where the question's key is not that path."""
    path = error.filename
    return {"path": path} if isinstance(path, str) and path != key else {}


@functools.cache
def _answer_type(question: str) -> Any:
    return typing.get_type_hints(getattr(Host, question))["return"]


def _plain(answer: Any) -> Any:
    """Return the answer as YAML types: bytes as text where they are printable, else base64."""
    if not isinstance(answer, bytes):
        return msgspec.to_builtins(answer)
    text = answer.decode("utf-8", "replace")
    if text.encode() == answer and all(c.isprintable() or c in "\n\t" for c in text):
        return text
    return {"base64": base64.b64encode(answer).decode()}


def _bytes_of(recorded: Any) -> bytes:
    if isinstance(recorded, dict):
        return base64.b64decode(recorded["base64"])
    return str(recorded).encode()
