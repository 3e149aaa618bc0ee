# SPDX-License-Identifier: MIT
"""Reads `# stated:` lines, the sentences in which somebody restated facts of a report."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import Gpu
from clprobe.model.opencl import Answer, Device, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Linux, Package, System, Virtualization
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.distributions import distribution_named
from clprobe.paste.reading import Context, Paste, Reading

_LONGEST = 600
_FORMS = Forms("sentences")


def read_stated(paste: Paste) -> Iterator[Reading]:
    """Give what `# stated:` lines tell that follow no layout of key and value."""
    for index, line in paste.free():
        if not line.startswith("# stated:") or len(line) > _LONGEST:
            continue
        facts = facts_of_sentence(line.removeprefix("# stated:").strip())
        if facts != Snapshot():
            yield Reading(lines=(index,), facts=facts)
        if _FORMS.only_root.search(line):
            yield _as_root(index)


def _as_root(index: int) -> Reading:
    answer = Answer(platforms=(Platform(devices=(Device(type="gpu"),)),))
    facts = Snapshot(views=(View(viewer="application", answer=answer),))
    return Reading(lines=(index,), facts=facts, private=True, context=Context(who="root"))


def facts_of_sentence(text: str) -> Snapshot:
    """Return the facts of a sentence that was set down as one."""
    distribution = distribution_named(text)
    linux = _FORMS.linux.search(text)
    system = System(virtualization=_virtualization(text))
    if distribution is not None:
        system = msgspec.structs.replace(system, distribution=distribution)
    if linux is not None and not _FORMS.negated.search(text):
        system = msgspec.structs.replace(system, linux=Linux(release=linux["release"]))
    names = [found["name"] for found in _FORMS.gpu.finditer(text)]
    names += (
        [f"Intel {found[0]} GPU" for found in _FORMS.kinds.finditer(text)]
        if "Intel GPU" in text
        else []
    )
    return Snapshot(
        system=system,
        packages=_packages(text) or NOT_STATED,
        gpus=tuple(Gpu(name=name) for name in dict.fromkeys(names[:4])) or NOT_STATED,
        views=_views(text) or NOT_STATED,
    )


def _packages(text: str) -> tuple[Package, ...]:
    """Return the drivers that the reporter says to have installed."""
    neo = _FORMS.neo.search(text)
    if neo is not None:
        return (Package(name="intel-opencl-icd", version=neo["version"]),)
    if (named := _FORMS.package.search(text)) is not None and not _FORMS.negated.search(text):
        return (Package(name=named[0]),)
    if re.search(r"\bNEO\b.{0,40}\b(?:built|installed)\b", text):
        origin = "built from source" if "from source" in text else NOT_STATED
        return (Package(name="intel-opencl-icd", origin=origin),)
    return ()


def _views(text: str) -> tuple[View, ...]:
    """Return the programs that are said to find nothing."""
    found = _FORMS.sees_nothing.search(text)
    if found is None:
        return ()
    return (View(viewer=found["viewer"].lower(), answer=Answer(platforms=())),)


def _virtualization(text: str) -> Virtualization:
    wsl = _FORMS.wsl.search(text)
    windows = _FORMS.windows_driver.search(text)
    return Virtualization(
        wsl=int(wsl["version"] or 2) if wsl else NOT_STATED,
        machine=_FORMS.meaning("machines", text) or NOT_STATED,
        windows_driver=windows["version"] if windows else NOT_STATED,
        container=_FORMS.meaning("containers", text) or NOT_STATED,
    )
