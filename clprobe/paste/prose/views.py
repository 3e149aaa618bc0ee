# SPDX-License-Identifier: MIT
"""What sentences say that programs see: nothing, the CPU alone, a platform, the GPU; or a crash."""

from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Device, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.prose.gpus import models_in
from clprobe.paste.prose.joined_views import answer_of, joined, place_of
from clprobe.paste.prose.other_times import before_sleep
from clprobe.paste.reading import Context, Reading
from clprobe.paste.spoken.vocabulary import vocabulary

_FORMS = Forms("told_views")
_GPU = Platform(devices=(Device(type="gpu"),))
_UNNAMED = "application"
_OTHER = "no program of OpenCL"


def read_views(clauses: list[Clause]) -> Iterator[Reading]:
    """Give what programs are said to see; what went well beside a failure was another time."""
    told = joined(list(_told(clauses)))
    failed = {place_of(one) for one in told if not _shows_gpu(one)}
    slept = any(_FORMS.suspended.search(clause.text) for clause in clauses)
    before = "before suspend" if slept else "before"
    if slept:
        # "Before the standby it is not there" is said of the error, not of the GPU.
        told = [one for one in told if _shows_gpu(one) or not _is_past(one)]
        if not any(map(_shows_gpu, told)):
            yield from before_sleep(clauses)
    for one in told:
        if _shows_gpu(one) and place_of(one) in failed and one.context is not None:
            earlier = msgspec.structs.replace(one.context, when=before)
            yield msgspec.structs.replace(one, context=earlier)
        else:
            yield one


def _is_past(reading: Reading) -> bool:
    return reading.context is not None and reading.context.when != ""


def _shows_gpu(reading: Reading) -> bool:
    return _has_gpu(answer_of(reading))


def _has_gpu(answer: Answer) -> bool:
    return any(device.type == "gpu" for _, device in answer.shown())


def _told(clauses: list[Clause]) -> Iterator[Reading]:
    """Give each statement; a clause that names no program goes on about the one before."""
    viewer, sentence, went_well = "", "", ""
    for clause in clauses:
        named = _FORMS.viewer.search(clause.text)
        if clause.sentence != sentence:
            known = _named(clause.sentence) or viewer
            yield from _only_root(clause, "" if known == _OTHER else known)
            sentence = clause.sentence
        viewer = _subject(clause, viewer)
        if _FORMS.cannot_build.search(clause.text) and not (clause.foreign or clause.trial):
            by = viewer if named else _UNNAMED
            yield _reading(clause, by, Answer(outcome="error", stage="compile"))
            continue
        if not clause.is_plain or not _is_about_opencl(clause, viewer):
            continue
        is_named = named is not None or _FORMS.own_program.search(clause.text) is not None
        answer = _answer(clause, is_named=is_named)
        if answer is None and went_well == clause.sentence and _FORMS.opposite.search(clause.text):
            answer = Answer(outcome="no-devices")
        if answer is not None:
            went_well = clause.sentence if _has_gpu(answer) else ""
            yield from _by_all(clause, viewer or _UNNAMED, answer)


def _subject(clause: Clause, before: str) -> str:
    """Return the program that a clause is about: its own, or the one before it."""
    named = _FORMS.viewer.search(clause.text)
    if named is not None:
        return _canonical(named["viewer"])
    if _FORMS.other_tool.search(clause.text):
        return _OTHER
    if before and _FORMS.in_another.search(clause.text):
        return _UNNAMED
    if (raised := _FORMS.exception.match(clause.text)) is not None:
        name = raised["name"].lower()
        return vocabulary().called().get(name, _UNNAMED)
    return _UNNAMED if _FORMS.own_program.search(clause.text) else before


def _is_about_opencl(clause: Clause, viewer: str) -> bool:
    if viewer == _OTHER:
        return False
    return bool(viewer) or _FORMS.about_opencl.search(clause.sentence) is not None


def _by_all(clause: Clause, viewer: str, answer: Answer) -> Iterator[Reading]:
    """Give the answer, of all programs that crash together: "both clinfo and clpeak crash"."""
    yield _reading(clause, viewer, answer)
    if answer.outcome == "crash":
        also = {_canonical(one["viewer"]) for one in _FORMS.viewer.finditer(clause.text)}
        for other in sorted(also - {viewer}):
            yield _reading(clause, other, answer)


def _named(text: str) -> str:
    found = _FORMS.viewer.search(text)
    return _canonical(found["viewer"]) if found else ""


def _canonical(name: str) -> str:
    lower = name.lower()
    return _FORMS.tables["viewers"].get(lower, lower)


def _reading(
    clause: Clause, viewer: str, answer: Answer, context: Context | None = None
) -> Reading:
    facts = Snapshot(views=(View(viewer=viewer, answer=answer),))
    context = context or clause.context
    return Reading(lines=clause.lines, facts=facts, private=True, context=context)


def _only_root(clause: Clause, viewer: str) -> Iterator[Reading]:
    """Give what root sees where a sentence says that it takes root; the user sees nothing."""
    text = clause.sentence
    if not _FORMS.only_root.search(text) or _FORMS.as_user_too.search(text) or text.endswith("?"):
        return
    if clause.trial or clause.foreign:
        return
    where = clause.context.where
    root = Answer(platforms=(_GPU,))
    yield _reading(clause, viewer or _UNNAMED, root, Context(who="root", where=where))
    if _FORMS.denies_user.search(text):
        nothing = Answer(outcome="no-devices")
        yield _reading(clause, viewer or _UNNAMED, nothing, Context(where=where))


def _answer(clause: Clause, *, is_named: bool) -> Answer | None:
    """Return what the clause says that the program saw; None: it says nothing of the kind."""
    text = clause.text
    if _FORMS.no_program.search(text):
        return None
    ended = _of_end(clause, is_named=is_named)
    if ended is not None:
        return ended
    platform = _FORMS.platform.search(text)
    if platform is not None:
        return _of_platform(clause, platform["name"])
    cpu = _FORMS.only_cpu.search(text)
    if cpu is not None:
        name = "Portable Computing Language" if "pocl" in cpu[0].lower() else NOT_STATED
        return Answer(platforms=(Platform(name=name, devices=(Device(type="cpu"),)),))
    vendor = _FORMS.only_vendor.search(text)
    if vendor is not None:
        name = _FORMS.tables["platforms"].get(vendor["what"].lower(), NOT_STATED)
        device = Device(type="gpu", vendor=vendor["what"])
        return (
            None
            if name == "Clover"
            else Answer(platforms=(Platform(name=name, devices=(device,)),))
        )
    return _of_nothing(clause, is_named=is_named) or _of_failure(clause, is_named=is_named)


def _of_end(clause: Clause, *, is_named: bool) -> Answer | None:
    """Return how a program ended: without any platform, with a crash, or never."""
    text = clause.text
    if is_named and not clause.negated and _FORMS.platforms_fail.search(text):
        return Answer(outcome="error", message=text, platforms=())
    died = is_named and _FORMS.crash.search(text) and not clause.negated
    if died or _FORMS.backtrace.search(text):
        return Answer(outcome="crash", printed=text)
    if _FORMS.hang.search(text) and is_named:
        return Answer(outcome="hang")
    return None


def _of_platform(clause: Clause, name: str) -> Answer | None:
    if _FORMS.empty_platform.search(clause.sentence):
        return Answer(outcome="no-devices", platforms=(Platform(name=name, devices=()),))
    if clause.negated or not _FORMS.shows.search(clause.sentence):
        return None
    kind = "cpu" if name == "Portable Computing Language" or "CPU" in name else "gpu"
    return Answer(platforms=(Platform(name=name, devices=(Device(type=kind),)),))


def _of_nothing(clause: Clause, *, is_named: bool) -> Answer | None:
    text = clause.text
    if _FORMS.no_platform.search(text):
        return Answer(outcome="no-devices", platforms=())
    if _FORMS.part_only.search(clause.sentence):
        return None
    if is_named and _FORMS.nothing.search(text):
        return Answer(outcome="no-devices", platforms=())
    if _FORMS.no_device.search(text) or _FORMS.no_gpu.search(text):
        return Answer(outcome="no-devices")
    if clause.negated and _FORMS.unseen.search(text):
        return Answer(outcome="no-devices")
    return None


def _of_failure(clause: Clause, *, is_named: bool) -> Answer | None:
    text = clause.text
    if is_named and _FORMS.error.search(text):
        code = _FORMS.code.search(text)
        return Answer(outcome="error", error_code=int(code["code"]) if code else NOT_STATED)
    apart = clause.context.who == "root" or clause.context.where == "host" or clause.context.when
    if clause.negated or not (is_named or apart) or _FORMS.fails.search(text):
        return None
    if _is_of_no_gpu(clause.sentence) or _FORMS.aims_at.search(text):
        return None
    devices = tuple(Device(type="gpu", name=name) for name in models_in(text))
    if _FORMS.shows.search(text) or (devices and _FORMS.sees.search(text)):
        return Answer(platforms=(Platform(devices=devices or (Device(type="gpu"),)),))
    # That a program works is a sure sign only in comparison with where it does not.
    return Answer(platforms=(_GPU,)) if apart and _FORMS.good_shape.search(text) else None


def _is_of_no_gpu(sentence: str) -> bool:
    """Whether what the sentence says to be seen is no GPU: nothing, or the driver itself."""
    forms = (_FORMS.no_device, _FORMS.nothing, _FORMS.without_gpu, _FORMS.sees_driver)
    return any(form.search(sentence) for form in forms)
