# SPDX-License-Identifier: MIT
"""Reads what PyTorch answered in a Python session: its version, and whether it sees a GPU."""

import re
from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Framework
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact
from clprobe.paste.reading import Paste, Reading

_FORMS = Forms("programs")
_TORCH = re.compile(r"torch|xtension")
_BUILDS = {"cpu": ("cpu",), "cu": ("cpu", "cuda"), "rocm": ("cpu", "hip"), "xpu": ("cpu", "xpu")}


def read_torch(paste: Paste) -> Iterator[Reading]:
    """Give PyTorch's version and whether it sees a GPU."""
    asked = ""
    likely = paste.may_hold(_FORMS.torch_version, _FORMS.torch_asked, _TORCH)
    for index, line in enumerate(paste.lines):
        if index not in likely and not asked:
            continue
        text = line.strip().removeprefix(">>> ")
        version, available = _FORMS.torch_version.search(text), _FORMS.torch_asked.search(text)
        bare = re.fullmatch(r"'?(\d\.\d{1,3}\.\d{1,3}[\w.+]{0,30})'?|(True|False)", text)
        extension = _FORMS.torch_extension.search(text) if "xtension" in text else None
        if extension is not None and paste.is_free(index):
            yield Reading(lines=(), facts=_with(extension["version"], NOT_STATED))
        if version is not None and paste.is_free(index):
            told = version["version"] or version["pinned"]
            yield Reading(lines=(index,), facts=_torch(told))
        elif available is not None and available["answer"]:
            yield _available(index, available["device"], available["answer"])
        elif bare is not None and asked and paste.is_free(index):
            if bare[1] and "version" in asked:
                yield Reading(lines=(index,), facts=_torch(bare[1]))
            elif bare[2] and "is_available" in asked:
                yield _available(index, "xpu" if "xpu" in asked else "cuda", bare[2])
        asked = text if "torch." in text and len(text) < 200 else ""


def _torch(version: str) -> Snapshot:
    return _with(version, version)


def _with(build: str, version: Fact[str]) -> Snapshot:
    """Return PyTorch of that version, built for what the mark of a build names."""
    local = build.partition("+")[2]
    built = next((names for mark, names in _BUILDS.items() if local.startswith(mark)), None)
    return Snapshot(
        frameworks=(Framework(name="pytorch", version=version, built_for=built or NOT_STATED),)
    )


def _available(index: int, device: str, answer: str) -> Reading:
    devices = (f"{device}:0",) if answer == "True" else ()
    said = f"torch.{device}.is_available() is {answer}"
    framework = Framework(name="pytorch", devices=devices)
    facts = Snapshot(frameworks=(framework,), messages=(said,))
    return Reading(lines=(index,), facts=facts, private=True)
