# SPDX-License-Identifier: MIT
"""Compares what programs see through their loaders."""

import re

from msgspec.structs import asdict

from clprobe.facts.derive_devices import names_of
from clprobe.facts.derive_icds import printed_text
from clprobe.facts.facts import (
    DeviceFacts,
    IcdFacts,
    LoaderFacts,
    PairFacts,
    ViewFacts,
)
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.program_table import Program
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import compare
from clprobe.model.opencl import Answer, Loader, Outcome, Pair, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, known, listed

NOT_FOUND = (-1, -1001)
"""CL_DEVICE_NOT_FOUND and CL_PLATFORM_NOT_FOUND_KHR: an answer, and it is "nothing"."""
_FORMS = Forms("said")
_ENDED = ("no-devices", "error", "crash", "hang")
_LISTERS = ("system-loader", "conda-loader", "pyopencl", "clinfo", "sycl-ls")
"""Viewers that only list devices: where they die, they have shown none."""
_RELEASE = re.compile(r"\d{1,6}(?:\.\d{1,6}){1,3}")
_BRINGS_DRIVERS = "pyopencl-wheel"
"""The kind of loader that has drivers of its own, which no other program could find."""
PRIVATE_LOADERS = (_BRINGS_DRIVERS, "conda-ocl-icd")
"""Kinds of loaders that belong to one environment, and to no plain program."""


def judge_loader(
    loader: Loader, icds: Fact[tuple[IcdFacts, ...]], views: Fact[tuple[View, ...]]
) -> LoaderFacts:
    """Return the loader with the ICDs with devices that it never reads, and whether it fails."""
    serves = serves_plain_programs(loader)
    if isinstance(icds, Unknown):
        return LoaderFacts(**asdict(loader), serves_programs=serves, missed_icds=icds)
    missed = tuple(
        icd.path
        for icd in icds
        if icd.device_count != 0
        and not _never_showed_any(icd)
        and not isinstance(icd.searched_by, Unknown)
        and loader.path not in icd.searched_by
        and not _serves_one_loader(icd.path, icd.searched_by)
    )
    asked = [view for view in listed(views) if view.loader == loader.path]
    shows_none = bool(asked) and all(_device_count(view) == 0 for view in asked)
    has_some = any(isinstance(one.device_count, int) and one.device_count > 0 for one in icds)
    return LoaderFacts(
        **asdict(loader),
        serves_programs=serves,
        fails=shows_none and has_some,
        missed_icds=missed,
    )


def judge_view(
    view: View,
    views: tuple[View, ...],
    loaders: Fact[tuple[Loader, ...]],
    devices: Fact[tuple[DeviceFacts, ...]],
    tables: Tables,
) -> ViewFacts:
    """Return the view with its outcome and the devices and platforms that only `views` show."""
    return ViewFacts(
        **asdict(view),
        outcome=_outcome(view),
        device_count=_device_count(view),
        missing_devices=_missing(view, loaders, devices),
        missing_platforms=_missing_platforms(view, views),
        loader_kind=_loader_kind(view, loaders),
        printed_text=printed_text(view.answer),
        uses_opencl=_uses_opencl(view, tables.program(view.viewer.partition(" ")[0])),
        lacks_loader=view.loader is None,
    )


def asking_opencl(views: tuple[View, ...], tables: Tables) -> tuple[View, ...]:
    """Return the views without those of programs that miss a GPU with other interfaces than OpenCL.

    A processor that ollama falls back to is no OpenCL device, nor is a GPU missing there.
    """
    return tuple(view for view in views if _shows_gpu(view) or not _is_of_others(view, tables))


def _shows_gpu(view: View) -> bool:
    return any(device.type != "cpu" for _, device in view.answer.shown())


def _is_of_others(view: View, tables: Tables) -> bool:
    program = tables.program(view.viewer.partition(" ")[0])
    return program is not None and program.opencl.uses == "never"


def _uses_opencl(view: View, program: Program | None) -> Fact[bool]:
    """Whether the program has OpenCL in this version; unknown where only some builds have it."""
    if program is None or program.opencl.uses == "some-builds":
        return NOT_STATED
    dropped = program.opencl.before
    if program.opencl.uses == "never" or dropped is None:
        return program.opencl.uses != "never"
    if not isinstance(view.version, str):
        return view.version if isinstance(view.version, Unknown) else NOT_STATED
    release = _RELEASE.match(view.version)
    return NOT_STATED if release is None else compare(release[0], dropped, "dotted") < 0


def judge_pair(pair: Pair) -> PairFacts:
    """Return the pair with how it ended."""
    said = (pair.answer.message, pair.answer.printed)
    lines = [
        text.strip().rsplit("\n", 1)[-1].lstrip(": ") for text in said if isinstance(text, str)
    ]
    return PairFacts(
        **asdict(pair),
        name=" and ".join(pair.icds),
        second=pair.icds[1],
        outcome=pair.answer.outcome,
        detail=": ".join(lines) if lines else pair.answer.outcome,
    )


def is_settled(snapshot: Snapshot, icds: Fact[tuple[IcdFacts, ...]]) -> bool:
    """Whether the snapshot decides which devices exist, be it by ICDs or by one viewer."""
    if any(isinstance(_device_count(view), int) for view in listed(snapshot.views)):
        return True
    if isinstance(icds, Unknown) or "icds" in snapshot.excerpts:
        return False
    return all(isinstance(icd.device_count, int) or _never_showed_any(icd) for icd in icds)


def serves_plain_programs(loader: Loader) -> bool:
    """Whether programs without a loader of their own get this one."""
    if isinstance(loader.is_default, Unknown):
        # Whoever writes down a loader and no more means the one that programs get.
        return loader.kind not in PRIVATE_LOADERS
    return loader.is_default


def lists_devices(view: ViewFacts) -> bool:
    """Whether it shows all devices that programs find here, be it none."""
    return view.viewer in _LISTERS and isinstance(view.device_count, int)


def _outcome(view: View) -> Fact[Outcome]:
    answer = view.answer
    if answer.outcome == "error" and answer.error_code in NOT_FOUND:
        return "no-devices"
    if answer.outcome in ("ok", NOT_STATED) and _device_count(view) == 0:
        return "no-devices"
    if answer.outcome == NOT_STATED and view.viewer in _LISTERS and _device_count(view) != 0:
        # A list of devices is all that such a viewer is asked for.
        return answer.outcome if isinstance(_device_count(view), Unknown) else "ok"
    if answer.outcome == "error" and _says_nothing_found(answer):
        return "no-devices"
    return answer.outcome


def _says_nothing_found(answer: Answer) -> bool:
    said = printed_text(answer)
    return isinstance(said, str) and tells_of_nothing(said)


def tells_of_nothing(printed: str) -> bool:
    """Return whether a program says that OpenCL has nothing for it."""
    return _FORMS.nothing_found.search(printed) is not None


def _device_count(view: View) -> Fact[int]:
    answer = view.answer
    if isinstance(answer.platforms, Unknown):
        # A program that dies at its work may well have found its device.
        at_work = answer.outcome in ("crash", "hang") and view.viewer not in _LISTERS
        ended = answer.outcome in _ENDED and not at_work
        nothing = ended or answer.error_code in NOT_FOUND or _says_nothing_found(answer)
        return 0 if nothing else answer.platforms
    unknown = next((p.devices for p in answer.platforms if isinstance(p.devices, Unknown)), None)
    return len(names_of(answer)) if unknown is None else unknown


def _missing(
    view: View, loaders: Fact[tuple[Loader, ...]], devices: Fact[tuple[DeviceFacts, ...]]
) -> Fact[tuple[str, ...]]:
    if isinstance(_device_count(view), Unknown) or isinstance(devices, Unknown):
        return devices if isinstance(devices, Unknown) else NOT_STATED
    own = set(names_of(view.answer))
    known = listed(loaders)
    others = [one.path for one in known if one.kind == _BRINGS_DRIVERS and one.path != view.loader]
    private = tuple(map(_folder, others))
    return tuple(
        _label_of(device)
        for device in devices
        if device.usable is True
        and (device.platform, device.name) not in own
        and not str(device.icd).startswith(private)
    )


def _label_of(device: DeviceFacts) -> str:
    """Return the device's name and its platform's, as far as they are known."""
    name = device.name if isinstance(device.name, str) else f"a {known(device.type) or 'device'}"
    return f"{name} of {device.platform}" if isinstance(device.platform, str) else name


def _missing_platforms(view: View, views: tuple[View, ...]) -> Fact[tuple[str, ...]]:
    """Return the platforms that another program shows and this one, which shows some, does not."""
    own = _platform_names(view)
    if isinstance(_device_count(view), int):
        return ()  # then its devices are compared
    if not own:
        return view.answer.platforms if isinstance(view.answer.platforms, Unknown) else ()
    shown = (name for one in views for name in _platform_names(one) if name not in own)
    return tuple(dict.fromkeys(shown))


def _platform_names(view: View) -> tuple[str, ...]:
    names = [platform.name for platform in listed(view.answer.platforms)]
    return (
        tuple(name for name in names if isinstance(name, str))
        if None not in map(known, names)
        else ()
    )


def _serves_one_loader(icd: str, searched_by: tuple[str, ...]) -> bool:
    """Tell whether a driver lies beside the only loader that reads it, as in pyopencl's wheel."""
    return bool(searched_by) and all(icd.startswith(_folder(loader)) for loader in searched_by)


def _folder(path: str) -> str:
    return path.rpartition("/")[0] + "/"


def _loader_kind(view: View, loaders: Fact[tuple[Loader, ...]]) -> Fact[str | None]:
    if not isinstance(view.loader, str):
        return view.loader
    for loader in listed(loaders):
        if loader.path == view.loader:
            return loader.kind
    return NOT_STATED


def _never_showed_any(icd: IcdFacts) -> bool:
    return (
        icd.outcome in _ENDED or icd.outcome is None or icd.library_fault not in (None, NOT_STATED)
    )
