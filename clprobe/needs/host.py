# SPDX-License-Identifier: MIT
"""Does a host have what is needed? Devices are counted; what nobody saw is neither yes nor no."""

from typing import NamedTuple

from clprobe.facts.facts import DeviceFacts, Facts
from clprobe.knowledge.tables import Tables
from clprobe.model.unknown import Unknown, known, listed
from clprobe.needs.answer import DeviceAnswer, NeedAnswer
from clprobe.needs.device import WORKS, Judged, judge_device, words_of
from clprobe.needs.sentences import because_of_devices, because_of_group
from clprobe.needs.truth import Truth, every, in_words, opposite, some
from clprobe.needs.written import DeviceNeed, HostNeed


class Seen(NamedTuple):
    """The devices of a host; `unseen`: why there may be more, `no_more_gpus`: none of a GPU.

    `fatal`: why no program lives to use any of them.
    """

    devices: tuple[DeviceFacts, ...]
    unseen: str | None
    no_more_gpus: bool
    fatal: str | None = None


class Verdict(NamedTuple):
    """Whether a need is fulfilled, the sentence that says why, and what its parts came to.

    `lacking`: of which kind there are too few, or some that do not work, which doctor may explain.
    """

    truth: Truth
    because: str
    answers: tuple[NeedAnswer, ...]
    lacking: str | None


def devices_seen(facts: Facts) -> Seen:
    """Return which devices there are, as far as is known."""
    opencl = facts.opencl
    if opencl.loader_found is False:  # no program reaches any of them
        return Seen((), None, no_more_gpus=True)
    unseen = None
    if isinstance(facts.devices, Unknown):
        unseen = facts.devices.unknown
    elif "devices" in facts.excerpts:
        unseen = "only some of them were told"
    hung = [icd.path for icd in listed(facts.icds) if icd.outcome == "hang"]
    if hung:
        unseen = f"the driver of {hung[0]} did not answer in time"
    no_more = opencl.any_gpu is False or (opencl.gpu_device is False and not hung)
    return Seen(tuple(listed(facts.devices)), unseen, no_more, _fatal(facts))


def _fatal(facts: Facts) -> str | None:
    """Return what ends every program that lists devices by the system's loader, if something does.

    Each driver was asked alone, so the healthy ones show all the same.
    """
    died = any(
        one.viewer == "system-loader" and one.outcome == "crash" for one in listed(facts.views)
    )
    return "a driver ends every program that lists devices" if died else None


def judge_host(need: HostNeed, seen: Seen, tables: Tables, part: str = "") -> Verdict:
    """Return whether the devices that were seen fulfil the need; `part` is where it stands."""
    verdicts = [_of_devices(need, seen, tables, part)] if need.asks_devices else []
    verdicts += _inner(need.all, "all", seen, tables, part)
    for kind, parts in (("any", need.any), ("none", need.none)):
        if parts:
            verdicts.append(_grouped(kind, _inner(parts, kind, seen, tables, part)))
    truth = every(one.truth for one in verdicts)
    deciding = next((one for one in verdicts if one.truth is truth), verdicts[0])
    answers = tuple(answer for one in verdicts for answer in one.answers)
    return Verdict(truth, deciding.because, answers, deciding.lacking)


def _inner(
    parts: tuple[HostNeed, ...], kind: str, seen: Seen, tables: Tables, part: str
) -> list[Verdict]:
    places = (f"{part}.{kind}.{n}".lstrip(".") for n in range(len(parts)))
    return [judge_host(one, seen, tables, at) for one, at in zip(parts, places, strict=True)]


def _grouped(kind: str, inner: list[Verdict]) -> Verdict:
    truth = some(one.truth for one in inner)
    deciding = next((one for one in inner if one.truth is truth), inner[0])
    answers = tuple(answer for one in inner for answer in one.answers)
    because = because_of_group(kind, truth, deciding.because, len(inner))
    if kind == "none":
        return Verdict(opposite(truth), because, answers, None)
    lacking = next((one.lacking for one in inner if one.lacking is not None), None)
    return Verdict(truth, because, answers, lacking)


def _of_devices(need: HostNeed, seen: Seen, tables: Tables, part: str) -> Verdict:
    asked, wanted = need.device or DeviceNeed(), need.count or 1
    judged = [judge_device(asked, device, tables, fatal=seen.fatal) for device in seen.devices]
    found = sum(one.truth is True for one in judged)
    may_be = found + sum(one.truth is None for one in judged)
    more = seen.unseen is not None and not (asked.type == "gpu" and seen.no_more_gpus)
    truth: Truth = True if found >= wanted else (None if more or may_be >= wanted else False)
    of_kind = sum(one.of_kind is not False for one in judged)
    answer = NeedAnswer(
        part=part,
        label=need.label,
        needs=words_of(need.device, tables),
        count=wanted,
        found=found,
        of_kind=of_kind,
        answer=in_words(truth),
        devices=tuple(map(_answer, range(len(judged)), seen.devices, judged)),
    )
    unseen = seen.unseen if more and may_be < wanted else None
    lacks = truth is not True and (of_kind < wanted or (truth is False and _is_broken(judged)))
    because = because_of_devices(answer, asked.type, unseen, _kinds(judged))
    return Verdict(truth, because, (answer,), (asked.type or "device") if lacks else None)


def _is_broken(judged: list[Judged]) -> bool:
    """Whether a device has all that is asked, and does not work."""
    return any(
        one.truth is False
        and [point.needs for point in one.open if point.answer == "no"] == [WORKS]
        for one in judged
    )


def _kinds(judged: list[Judged]) -> tuple[bool, ...]:
    return tuple(one.of_kind is not False for one in judged)


def _answer(index: int, device: DeviceFacts, judged: Judged) -> DeviceAnswer:
    return DeviceAnswer(
        index=index,
        name=known(device.name),
        platform=known(device.platform),
        answer=in_words(judged.truth),
        open=judged.open,
    )
