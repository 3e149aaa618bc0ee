# SPDX-License-Identifier: MIT
"""Distribution, release of Linux, container, virtual machine and WSL, as sentences tell them."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Distribution, Linux, System, Virtualization
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.distributions import distribution_named, span_of_name
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.prose.outcome import is_good, was_good
from clprobe.paste.reading import Context, Reading

_FORMS = Forms("told_systems")


def read_systems(clauses: list[Clause]) -> Iterator[Reading]:
    """Give what each clause tells of the system; what is inside which follows from all of them."""
    for clause in clauses:
        if clause.foreign or (is_good(clause) and clause.negated):
            continue
        yield from _distribution(clause)
        yield from _linux(clause)
        if (found := _FORMS.wsl.search(clause.text)) is not None and _is_inside(clause, found):
            # The first was called so, before it had a number.
            virtual = Virtualization(wsl=1 if found["first"] else int(found["version"] or 2))
            yield _virtual(clause, virtual, Context(who=clause.context.who))
        if (driver := _FORMS.windows_driver.search(clause.text)) is not None:
            yield _virtual(clause, Virtualization(windows_driver=driver["version"]), Context())
        yield from _boot_parameters(clause)
        service = _FORMS.service.search(clause.text)
        if service is not None and not clause.negated:
            yield _virtual(clause, Virtualization(service=f"{service['unit']}.service"), Context())
    yield from _container(clauses)
    yield from _machine(clauses)


def _virtual(clause: Clause, virtual: Virtualization, context: Context) -> Reading:
    facts = Snapshot(system=System(virtualization=virtual))
    return Reading(lines=clause.lines, facts=facts, context=context)


def _boot_parameters(clause: Clause) -> Iterator[Reading]:
    named = _FORMS.boot_parameter.findall(clause.text)
    if not named or clause.negated or not clause.is_plain or is_good(clause):
        return
    if _FORMS.boots_with.search(clause.text):
        facts = Snapshot(system=System(linux=Linux(command_line=" ".join(named))))
        yield Reading(lines=clause.lines, facts=facts, context=clause.context)


def _distribution(clause: Clause) -> Iterator[Reading]:
    text = _FORMS.tag.sub(r"\g<name> \g<version>", clause.text)
    found = distribution_in(text)
    if found is None or (clause.negated and is_good(clause)):
        return
    distribution, start, end = found
    before, behind = text[:start], text[end:]
    moved = _FORMS.moved_to.search(behind)
    is_from = _FORMS.from_release.search(before) or behind.startswith(" ->")
    if moved is not None and is_from and not clause.trial:
        newer = msgspec.structs.replace(distribution, version=moved["version"], codename=NOT_STATED)
        yield _of_distribution(clause, distribution, when="before")
        yield _of_distribution(clause, newer, when="")
        return
    if _FORMS.not_here.search(before):
        return
    has_version = not isinstance(distribution.version, Unknown) and distribution.version
    is_here = _FORMS.runs_here.search(before) or not before.strip(" \"'([*")
    if not has_version and not (is_here and _FORMS.is_here.search(behind)):
        return
    if clause.sentence.endswith("?") and not (has_version or clause.is_title):
        return
    where = clause.context.where
    if not where and _FORMS.in_image.search(text[max(0, start - 30) : end + 40]):
        where = "container"
    if _FORMS.host_system.search(text[start:end]):
        where = "host"
    yield _of_distribution(clause, distribution, where=where)


def _of_distribution(clause: Clause, distribution: Distribution, **around: str) -> Reading:
    context = msgspec.structs.replace(clause.context, who="", **around)
    facts = Snapshot(system=System(distribution=distribution))
    return Reading(lines=clause.lines, facts=facts, context=context)


def distribution_in(text: str) -> tuple[Distribution, int, int] | None:
    """Return the distribution that a text names, and where; None if it names none."""
    debian = _FORMS.first("debian", text)
    if debian is not None:
        told, found = debian
        suite = Distribution(
            id="debian",
            codename="sid" if told == "sid" else NOT_STATED,
            version="testing" if told == "testing" else NOT_STATED,
        )
        return suite, *found.span()
    known, span = distribution_named(text), span_of_name(text)
    if known is not None and span is not None:
        return known, *span
    short = _FORMS.first("short", text)
    if short is None:
        return None
    name, found = short
    like = _FORMS.tables["like"].get(name)
    is_rolling = name in _FORMS.words["rolling"]
    distribution = Distribution(
        id=name,
        version=found.groupdict().get("version") or (None if is_rolling else NOT_STATED),
        like=(like,) if like else (),
    )
    return distribution, *found.span()


def _linux(clause: Clause) -> Iterator[Reading]:
    for found in _releases(clause.text):
        before = clause.text[: found.start()]
        is_old = _FORMS.from_version.search(before) is not None or was_good(clause)
        if clause.trial or (clause.doubtful and not clause.is_title):
            return
        when = "before" if is_old else clause.context.when
        when = "" if _FORMS.led_to.search(before) else when
        context = msgspec.structs.replace(clause.context, who="", when=when)
        facts = Snapshot(system=System(linux=Linux(release=found["release"])))
        yield Reading(lines=clause.lines, facts=facts, context=context)


def _releases(text: str) -> list[re.Match[str]]:
    return [*_FORMS.full_release.finditer(text)] or [*_FORMS.release.finditer(text)]


def _container(clauses: list[Clause]) -> Iterator[Reading]:
    """Give the innermost container that is told; one of no kind is taken for docker's."""
    forms = [*_FORMS.patterns["containers"].items(), *_FORMS.patterns["some_container"].items()]
    for name, form in forms:
        told = [
            clause
            for clause in clauses
            if (found := form.search(clause.text)) is not None and _is_inside(clause, found)
        ]
        for clause in told:
            virtual = Virtualization(container=name)
            yield _virtual(clause, virtual, Context(where="container"))
        if told:
            return


def _machine(clauses: list[Clause]) -> Iterator[Reading]:
    for clause in clauses:
        named = _FORMS.first("machines", clause.text)
        if named is not None and _is_inside(clause, named[1]):
            yield _virtual(clause, Virtualization(machine=named[0]), Context())
            return


def _is_inside(clause: Clause, found: re.Match[str]) -> bool:
    """Tell whether the clause says that what it is about happens inside."""
    before = clause.text[: found.start()]
    is_elsewhere = clause.foreign or clause.trial or _FORMS.tried.search(clause.text)
    if is_elsewhere or _FORMS.not_inside.search(before):
        return False
    if is_good(clause) and not clause.is_title:
        return False
    return not clause.doubtful or clause.is_title or _FORMS.inside.search(before) is not None
