# SPDX-License-Identifier: MIT
"""Two snapshots of one host: what changed, and which change broke or mended something."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from clprobe.diagnosis.changes import GONE, Difference, differences, path_of, undone
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.derive import derive
from clprobe.facts.facts import Facts
from clprobe.knowledge.tables import Tables
from clprobe.model.comparison import Change, Comparison
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Perspective, Snapshot
from clprobe.model.system import User
from clprobe.model.unknown import Unknown
from clprobe.ruleset.judge import ask_rule

_COMPANION = re.compile(
    r"igc|gmm|level-zero|libze|spirv|ocloc|opencl-clang|llvm|libclc|mesa|comgr|rocr|hsa|nvidia"
    r"|cuda|firmware"
)
"""Packages that drivers load or that must be of one version with them."""
_DRIVER, _COMPANIONS, _LINUX, _BINDING, _PACKAGE, _SETTING, _SEEN = range(7)
"""What an upgrade changes first, and last what is seen of it: that causes nothing."""
_OBSERVED = {
    "answer", "views", "devices", "open_error", "device_error", "package_trouble", "power_state",
}  # fmt: skip
_ONES = {
    "gpus": "GPU ", "packages": "package ", "loaders": "loader ", "icds": "", "device_nodes": "",
    "views": "what is seen by ", "frameworks": "", "environment": "", "libraries": "",
    "devices": "OpenCL device ",
}  # fmt: skip
_WORDS = {
    "system.linux.release": "Linux",
    "system.linux.version": "the build of Linux",
    "system.linux.command_line": "the boot parameters",
    "system.distribution.version": "the distribution's release",
    "user.groups": "groups of the process",
    "user.database_groups": "groups in the database",
}


def with_earlier(snapshot: Snapshot, old: Snapshot) -> Snapshot:
    """Return the snapshot that also holds what was seen earlier, for the rules that ask for it."""
    earlier = Perspective(when="before", facts=replace(old, user=User(), perspectives=()))
    return replace(snapshot, perspectives=(*snapshot.perspectives, earlier))


def earlier_in(snapshot: Snapshot) -> tuple[str, Snapshot] | None:
    """Return what the snapshot itself tells of an earlier time, and how it calls that."""
    for one in snapshot.perspectives:
        if isinstance(one.when, str) and isinstance(one.where, Unknown):
            return one.when, one.facts
    return None


def compare(
    since: str, old: Snapshot, new: Snapshot, diagnosis: Diagnosis, knowledge: Knowledge
) -> Comparison:
    """Return what became different since `old`; `diagnosis` is that of `new`."""
    found = _ranked(old, new, knowledge.tables)
    before, now = derive(old, knowledge.tables), derive(new, knowledge.tables)
    present = dict.fromkeys(one.id for one in diagnosis.findings if one.verdict == "present")
    return Comparison(
        since=since,
        changes=tuple(_change(one) for one in found),
        new_findings=tuple(one for one in present if _truth(one, before, knowledge) is False),
        mended=tuple(
            rule.id
            for rule in knowledge.rules
            if _truth(rule.id, before, knowledge) and _truth(rule.id, now, knowledge) is False
        ),
        caused_by_change=_cause(found, new, diagnosis.root_cause, before, knowledge),
    )


def changes(old: Snapshot, new: Snapshot, tables: Tables) -> tuple[Change, ...]:
    """Return what became different, what drives devices first."""
    return tuple(_change(one) for one in _ranked(old, new, tables))


def _ranked(old: Snapshot, new: Snapshot, tables: Tables) -> list[Difference]:
    found = (*differences(old, new), *_devices(old, new, tables))
    return sorted(found, key=lambda one: (_rank(one, tables), one.steps))


def _truth(rule_id: str, facts: Facts, knowledge: Knowledge) -> bool | None:
    """Return whether the problem is there, None where that is not decided."""
    rule = knowledge.rule(rule_id)
    truths = {one.answer.truth for one in ask_rule(rule, facts)} if rule is not None else set()
    return True if True in truths else None if None in truths else False


def _cause(
    found: list[Difference], new: Snapshot, root: str | None, before: Facts, knowledge: Knowledge
) -> Change | None:
    """Return the change without which the first finding is gone; each is undone by itself.

    One that leaves it undecided is the next best. Where none alone explains it, all changes of a
    kind are undone together: a driver's packages change their names with it.
    """
    if root is None or _truth(root, before, knowledge):
        return None

    def truth_without(several: list[Difference]) -> bool | None:
        return _truth(root, derive(undone(new, several), knowledge.tables), knowledge)

    able = [one for one in found if _rank(one, knowledge.tables) != _SEEN]
    undecided = None
    for one in able:
        truth = truth_without([one])
        if truth is False:
            return _change(one)
        if truth is None and undecided is None:
            undecided = _change(one)
    if undecided is not None:
        return undecided
    for _, alike in groupby(able, key=lambda one: _rank(one, knowledge.tables)):
        several = list(alike)
        if len(several) > 1 and truth_without(several) is False:
            return _change(several[0])
    return None


def _rank(one: Difference, tables: Tables) -> int:
    if _OBSERVED & set(one.steps):
        return _SEEN
    if one.steps[0] == "packages":
        name = one.steps[1][1:-1].split(":")[0]
        if name in _driver_packages(tables):
            return _DRIVER
        return _COMPANIONS if _COMPANION.search(name) else _PACKAGE
    if one.steps[:3] == ("system", "linux", "release"):
        return _LINUX
    if one.steps[0] == "gpus" or one.steps[:2] == ("system", "linux"):
        return _BINDING
    return _SETTING


def _driver_packages(tables: Tables) -> set[str]:
    return {
        name
        for entry in tables.implementations().values()
        for names in entry.packages.values()
        for name in names
    }


def _devices(old: Snapshot, new: Snapshot, tables: Tables) -> Iterator[Difference]:
    """Yield OpenCL devices that came, went, or are driven by another version."""
    before, after = _versions(old, tables), _versions(new, tables)
    if before is None or after is None:
        return
    for key in {**before, **after}:
        one = Difference(("devices", f"[{key}]"), before.get(key, GONE), after.get(key, GONE))
        if one.before != one.after:
            yield one


def _versions(snapshot: Snapshot, tables: Tables) -> dict[str, str] | None:
    devices = derive(snapshot, tables).devices
    if isinstance(devices, Unknown):
        return None
    return {
        f"{one.name} of {one.platform}": str(one.driver_version)
        for one in devices
        if isinstance(one.name, str) and isinstance(one.driver_version, str)
    }


def _change(one: Difference) -> Change:
    return Change(
        what=_words(one.steps),
        fact=path_of(one.steps),
        before=_shown(one.before),
        after=_shown(one.after),
    )


def _words(steps: tuple[str, ...]) -> str:
    path = path_of(steps)
    if path in _WORDS:
        return _WORDS[path]
    kind = _ONES.get(steps[0])
    if kind is None or len(steps) < 2:
        return f"{steps[-1].replace('_', ' ')} ({path})" if len(steps) > 1 else path
    name = f"{kind}{steps[1].strip('[]')}"
    rest = [step for step in steps[2:] if not step.startswith("[") and step != "version"]
    return f"{' '.join(rest).replace('_', ' ')} of {name}" if rest else name


def _shown(value: Any) -> Any:
    """Return a fact as it is, an element of a list by what tells most of it."""
    if value is GONE:
        return None
    if isinstance(value, dict):
        told = (value.get(key) for key in ("version", "library_name", "kernel_driver", "mode"))
        return next((one for one in told if isinstance(one, str)), "present")
    return value
