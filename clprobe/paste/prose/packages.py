# SPDX-License-Identifier: MIT
"""Packages that sentences say to be installed, or not to be, and versions of drivers."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Package
from clprobe.model.unknown import NOT_STATED, Fact
from clprobe.paste.distributions import distribution_named
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.prose.outcome import was_good
from clprobe.paste.reading import Reading

_FORMS = Forms("told_packages")
_LONGEST = 500
_RUNTIME = "intel-opencl-icd"


def read_packages(clauses: list[Clause]) -> Iterator[Reading]:
    """Give the packages of each clause; one with a version needs no word that it is installed."""
    verb = ""
    for clause in clauses:
        # A list of packages goes on over commas: the verb stands at its head, or at its end.
        verb = clause.sentence if clause.sentence != verb and _claims(clause.sentence) else verb
        if clause.foreign or len(clause.text) > _LONGEST:
            continue
        yield from _with_versions(clause)
        yield from _by_name(clause)
        yield from _source(clause)


def _claims(sentence: str) -> bool:
    return _FORMS.installed.search(sentence) is not None


def _reading(clause: Clause, package: Package, when: str | None = None) -> Reading:
    time = clause.context.when if when is None else when
    context = msgspec.structs.replace(clause.context, who="", when=time)
    return Reading(lines=clause.lines, facts=Snapshot(packages=(package,)), context=context)


def _with_versions(clause: Clause) -> Iterator[Reading]:
    """Give drivers with their versions: "NEO 19.12", "ROCm 6.1"; of two, the later is now."""
    if clause.trial or clause.sentence.endswith("?") or (clause.doubtful and not clause.is_title):
        return
    for found in _FORMS.driver.finditer(clause.text):
        name = " ".join(found["driver"].lower().split())
        before = clause.text[: found.start()]
        within = clause.text[found.end("driver") : found.start("version")]
        if (
            name in _FORMS.words["programs"]
            or _FORMS.bound.search(before + " ")
            or _FORMS.bound.search(within)
            or _FORMS.bound_behind.match(clause.text[found.end() :])
        ):
            continue
        package = Package(name=_called(name), version=found["version"])
        later = _FORMS.to_version.search(clause.text[found.end() :])
        is_old = _FORMS.from_version.search(before) or later or was_good(clause)
        is_new = _FORMS.led_to.search(before)
        yield _reading(clause, package, "" if is_new else "before" if is_old else None)
        if later is not None:
            yield _reading(clause, msgspec.structs.replace(package, version=later["version"]), "")
    if not _FORMS.driver.search(clause.text):
        for found in _FORMS.nvidia_number.finditer(clause.text):
            yield _reading(clause, Package(name="nvidia-driver", version=found["version"]))
    for found in _FORMS.nvidia_short.finditer(clause.text):
        yield _reading(clause, Package(name=f"nvidia-driver-{found['version']}"))


def _called(name: str) -> str:
    """Return the package of a driver by what people call it; NVIDIA's has many such names."""
    package = _FORMS.tables["called"].get(name)
    return "nvidia-driver" if package is None else package


def _by_name(clause: Clause) -> Iterator[Reading]:
    for found in _FORMS.name.finditer(clause.text):
        moved = _FORMS.moved.search(clause.text[found.end() :] or _rest(clause))
        if moved is not None and not clause.doubtful and not clause.trial:
            yield _reading(clause, Package(name=found["name"], version=moved["old"]), "before")
            yield _reading(clause, Package(name=found["name"], version=moved["new"]), "")
            continue
        name, glued = found["name"].rstrip(".-"), _FORMS.glued.match(found["name"].rstrip(".-"))
        behind = _FORMS.version_behind.search(clause.text[found.end() :])
        is_instead = _FORMS.instead.search(clause.text[: found.start()]) is not None
        is_absent = _is_absent(clause) and not is_instead
        version: Fact[str] = behind["version"] if behind and not is_absent else NOT_STATED
        if glued is not None:
            name, version = glued["name"], glued["version"]
        claims = _FORMS.said_installed if name in _FORMS.words["words_too"] else _FORMS.installed
        if is_absent:
            if name not in _FORMS.words["words_too"] and not clause.doubtful and not clause.trial:
                yield _reading(clause, Package(name=name, state="removed"))
            continue
        if clause.doubtful or clause.trial or clause.negated or _is_no_claim(clause):
            continue
        said = clause.text if name in _FORMS.words["words_too"] else clause.sentence
        if version == NOT_STATED and not claims.search(said):
            continue
        if clause.text[: found.start()].rstrip().endswith(("$", "(")) and version == NOT_STATED:
            continue
        package = Package(name=name, version=version, state="installed", **_origin(clause))
        yield _reading(clause, package, "before" if was_good(clause) else None)
    if (
        _FORMS.neo_alone.search(clause.text)
        and not _names_runtime(clause.sentence)
        and not (clause.negated or clause.doubtful or clause.trial)
        and _claims(clause.text)
        and not _is_no_claim(clause)
    ):
        yield _reading(clause, Package(name=_RUNTIME, **_origin(clause)))


def _is_no_claim(clause: Clause) -> bool:
    return bool(
        _FORMS.no_claim.search(clause.text) or _FORMS.swapped_in_vain.search(clause.sentence)
    )


def _is_absent(clause: Clause) -> bool:
    gone = _FORMS.had.search(clause.text) and _FORMS.taken_away.search(clause.sentence)
    return bool(gone) or _FORMS.absent.search(clause.text) is not None


def _rest(clause: Clause) -> str:
    """Return what follows the clause in its sentence, such as the versions in parentheses."""
    return clause.sentence.partition(clause.text)[2]


def _names_runtime(sentence: str) -> bool:
    """Tell whether the sentence names Intel's driver as a package, or its version."""
    called = [" ".join(one["driver"].lower().split()) for one in _FORMS.driver.finditer(sentence)]
    return _FORMS.name.search(sentence) is not None or any(
        _FORMS.tables["called"].get(name) == _RUNTIME for name in called
    )


def _origin(clause: Clause) -> dict[str, str]:
    told: dict[str, str] = {}
    if _FORMS.by_hand.search(clause.sentence):
        told["origin"] = "built from source"
    elif _FORMS.release_files.search(clause.sentence):
        told["origin"] = "by hand"
    found = re.search(
        r"\b(pip3?|conda|apt(?:-get)?|dnf|yum|zypper|pacman|apk)\b (?:\S+ ){0,2}(?:install|add|-S)",
        clause.text,
    )
    if found is not None:
        told["manager"] = _FORMS.tables["managers"][found[1]]
    return told


def _source(clause: Clause) -> Iterator[Reading]:
    found = _FORMS.archive.search(clause.text)
    is_named = found is not None and distribution_named(found["archive"]) is None
    if found is not None and is_named and not clause.negated and not clause.doubtful:
        archive, kind = found["archive"], found["kind"].lower()
        place = f"{kind}:{archive}" if "/" in archive else f"{kind}:{archive}/{archive}"
        facts = Snapshot(package_sources=(place,))
        yield Reading(lines=clause.lines, facts=facts, context=clause.context)
