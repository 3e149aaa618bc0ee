# SPDX-License-Identifier: MIT
"""What pyopencl sees, without importing it each time: numpy takes longer than all drivers.

The child that imports pyopencl tells what it saw, and from which files it all came. While these are
the very same (kept_files.py), only pyopencl's compiled part is loaded, into a child without Python
packages: with it comes its loader, and with that all drivers; by itself that loader would look for
the wheel's own ones elsewhere (DT_RPATH, ld.so(8)). Where this child sees exactly what
pyopencl saw, that is what pyopencl sees; where anything differs, pyopencl is imported again.
"""

import functools
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from clprobe.probe.host import ChildResult, OpenclRequest
from clprobe.probe.opencl.children import Child
from clprobe.probe.opencl.kept_files import KeptAnswer
from clprobe.probe.opencl.reports import Report

_HOME = "PYOPENCL_HOME"
"""The variable by which pyopencl tells the loader of its wheels where that lies."""
_SHORTEST_S = 0.1
_NO_DEVICES = -1


class _Seen(msgspec.Struct, frozen=True):
    """What pyopencl saw; `home` is what it set for its loader, empty: nothing."""

    reports: tuple[dict[str, Any], ...]
    extension: str
    home: str


class PyopenclView:
    """What pyopencl sees in an environment, if our own Python imports it."""

    def __init__(self, request: OpenclRequest, environment: Mapping[str, str], python: str) -> None:
        self._ends = time.monotonic() + request.timeout_s
        self._kept = KeptAnswer("opencl_worker.py", f"pyopencl of {python}", environment)
        self._importing = functools.partial(_importing, request, environment, python)
        self._seen = None if request.anew else self._kept.believed(_Seen)
        if self._seen is None:
            self._child = self._importing(request.timeout_s)
        else:
            home = {_HOME: self._seen.home} if self._seen.home else {}
            loading = replace(request, role="loader", library=self._seen.extension)
            self._child = Child(loading, environment, python, home)

    def wait(self) -> ChildResult:
        """Return what pyopencl sees, once its child has ended or its time is up."""
        return self._result

    @functools.cached_property
    def _result(self) -> ChildResult:
        result = self._child.wait()
        if self._seen is not None:
            seen = msgspec.convert(self._seen.reports, tuple[Report, ...])
            if _is_whole(result) and _answers(result.reports) == _answers(seen):
                return replace(result, reports=seen)
            left_s = self._ends - time.monotonic()
            if left_s < _SHORTEST_S:  # an import would hang where this did
                return replace(result, reports=_of_pyopencl(result.reports, seen))
            result = self._importing(left_s).wait()
        own = tuple(report for report in result.reports if "imported" not in report)
        for report in result.reports:
            if "imported" in report and _is_whole(result):
                told = _Seen(tuple(map(dict, own)), report["extension"], report["home"])
                self._kept.keep(told, report["imported"].splitlines())
        return replace(result, reports=own)


def _importing(
    request: OpenclRequest, environment: Mapping[str, str], python: str, timeout_s: float
) -> Child:
    return Child(replace(request, timeout_s=timeout_s), environment, python)


def _of_pyopencl(reports: tuple[Report, ...], seen: tuple[Report, ...]) -> tuple[Report, ...]:
    """Return the reports of a child that hung with what an import had told up to there.

    The loader looks for drivers when it is asked for its version, pyopencl's when for platforms.
    """
    return (*seen[: _asked_from(seen)], *reports[_asked_from(reports) :])


def _asked_from(reports: tuple[Report, ...]) -> int:
    """Return how many reports there are before the first answer of a platform."""
    stages = (n for n, report in enumerate(reports, 1) if report.get("stage") == "platforms")
    return next(stages, len(reports))


def _is_whole(result: ChildResult) -> bool:
    """Whether a child ended well, and nothing in its answers was odd or failed."""
    if result.ended != "exit" or result.status or result.damage:
        return False
    return not any("odd" in one or "failed" in one for one in result.reports)


def _answers(reports: Sequence[Mapping[str, Any]]) -> dict[Any, Any]:
    """Return the loader and the answers that pyopencl is asked for, by place and name."""
    answers: dict[Any, Any] = {}
    for report in reports:
        if "loader" in report:
            answers["loader"] = report["loader"]
        elif "devices" in report:
            code = report["devices_error"]
            # What pyopencl takes for an empty list.
            answers[report["platform"]] = report["devices"], None if code == _NO_DEVICES else code
        elif "fact" in report and report["fact"] in _ASKED[len(report["at"])]:
            answers[tuple(report["at"]), report["fact"]] = report.get("value")
    return answers


_ASKED = {1: ("name", "vendor", "version"), 2: ("name", "type", "driver_version")}
"""What pyopencl is asked of a platform, whose place is one number, and of a device."""
