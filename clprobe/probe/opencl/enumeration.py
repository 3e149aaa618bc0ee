# SPDX-License-Identifier: MIT
"""The parent's side of asking OpenCL: what a child's reports and its end mean as facts."""

import signal
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.model.opencl import Answer, Device, Outcome, Platform, Stage, View
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.probe.facts import unknown_part
from clprobe.probe.host import ChildResult
from clprobe.probe.opencl.devices import Facts, device_of
from clprobe.probe.opencl.many_devices import with_others
from clprobe.probe.opencl.reports import Report

# cl_khr_icd's "no platforms" and OpenCL's "no devices": an empty answer, not a failure.
_NO_PLATFORMS, _NO_DEVICES = -1001, -1
_VITAL = ("platform name", "platform version", "device name", "device type")
_LONGEST_PRINTED = 2000
PYOPENCL = "pyopencl"
_NOT_ASKED = Unknown("the child ended before this was asked")
_BEFORE_ITS_PLATFORMS = ("load", "entry-point")
_Place = tuple[int, ...]


def answer_of(result: ChildResult, timeout_s: float) -> Answer:
    """Return how OpenCL answered in one child."""
    if result.ended == "not-started":
        # Our failure, not the driver's: nothing about it is known.
        reason = Unknown(f"the child process could not be started: {result.problem}")
        return unknown_part(Answer, reason)
    reports = result.reports
    platforms = _platforms(reports)
    end = _end(result, platforms, timeout_s)
    answer = Answer(
        stage=end.stage or _last_stage(reports),
        outcome=end.outcome,
        error_code=end.code,
        signal=_signal_name(result.status) if result.ended == "signal" else None,
        exit_status=result.status if result.ended == "exit" and end.outcome == "crash" else None,
        message=end.message,
        printed=result.printed[-_LONGEST_PRINTED:].strip() or None,
        platforms=platforms,
    )
    others = tuple(answer_of(other, timeout_s) for other in result.others)
    return with_others(answer, others) if others else answer


def view_of(viewer: str, result: ChildResult, timeout_s: float) -> View:
    """Return what a program saw through its loader."""
    loader: str | Unknown | None = _NOT_ASKED
    version: str | Unknown | None = _NOT_ASKED
    for report in result.reports:
        if "loader" in report:
            loader = report["loader"]
            version = report.get("viewer_version", report.get("loader_version"))
    answer = answer_of(result, timeout_s)
    if viewer == PYOPENCL:
        answer = _without_unasked(answer)
    return View(viewer=viewer, loader=loader, version=version, answer=answer)


def _without_unasked(answer: Answer) -> Answer:
    """Leave out what the child never asks through pyopencl: the ICDs' own answers tell it."""
    if isinstance(answer.platforms, Unknown):
        return answer
    platforms = (
        platform
        if isinstance(platform.devices, Unknown)
        else replace(platform, devices=tuple(map(_named, platform.devices)))
        for platform in answer.platforms
    )
    asked = tuple(replace(platform, icd_suffix=NOT_STATED) for platform in platforms)
    return replace(answer, platforms=asked)


def _named(device: Device) -> Device:
    return Device(name=device.name, type=device.type, driver_version=device.driver_version)


class _End(NamedTuple):
    """How a conversation ended; `stage` None: in the stage that it reached last."""

    outcome: Outcome
    code: int | None = None
    message: str | None = None
    stage: Stage | None = None


def _end(result: ChildResult, platforms: tuple[Platform, ...], timeout_s: float) -> _End:
    done = any("done" in report for report in result.reports)
    where = "after all answers, while the process ended" if done else _while_asking(result.reports)
    if result.peak_bytes:
        where += f"; it had taken {result.peak_bytes / 2**30:.1f} GiB of memory"
    if result.ended == "timeout":
        if result.stopped_by:
            where += f"; {_signal_name(result.stopped_by)} had stopped it"
        return _End("hang", message=f"no end within {timeout_s:g} s, {where}")
    if result.ended == "signal":
        return _End("crash", message=f"ended by {_signal_name(result.status)} {where}")
    if result.damage:
        return _damaged(result)
    if not done or result.status:
        return _End(
            "crash", message=f"the driver ended the process with exit({result.status}) {where}"
        )
    return _end_of_a_whole_conversation(result.reports, platforms)


def _damaged(result: ChildResult) -> _End:
    """Return the end of a driver that wrote into memory which is not its own."""
    stage = _last_stage(result.reports)
    # Its code ran, so it was loaded; how far it came after that is not to be believed.
    credible: Stage = "platforms" if stage in _BEFORE_ITS_PLATFORMS else stage
    words = f"the driver damaged the report of its own answers ({result.damage})"
    return _End("error", message=words, stage=credible)


def _end_of_a_whole_conversation(
    reports: Sequence[Report], platforms: tuple[Platform, ...]
) -> _End:
    failed = next((report for report in reports if "failed" in report), None)
    if failed is not None:
        empty = failed["code"] in (_NO_PLATFORMS, _NO_DEVICES)
        return _End("no-devices" if empty else "error", failed["code"], failed["failed"])
    stage: Stage | None = None
    for report in reports:
        stage = report.get("stage", stage)
        if "odd" in report:
            return _End("error", report["code"], report["odd"], stage)
        if _is_vital_failure(report):
            message = f"asking for {_name_of(report)} failed"
            code = report["error"]
            return _End("error", code if isinstance(code, int) and code else None, message, stage)
    wrong = next((report for report in reports if _is_bad_kernel(report)), None)
    if wrong is not None:
        return _End("error", wrong.get("code"), wrong.get("why", "a kernel gave a wrong result"))
    return _end_of_a_whole_answer(platforms)


def _is_vital_failure(report: Report) -> bool:
    """Tell whether a question failed that every program asks and few expect to fail."""
    return "error" in report and _name_of(report) in _VITAL


def _name_of(report: Report) -> str:
    return f"{'platform' if len(report['at']) == 1 else 'device'} {report['fact']}"


def _is_bad_kernel(report: Report) -> bool:
    return report.get("fact") == "kernel_result" and report["value"] != "right"


def _end_of_a_whole_answer(platforms: tuple[Platform, ...]) -> _End:
    if not platforms:
        return _End("no-devices", message="it answered, with no platform")
    codes = [
        platform.devices_error
        for platform in platforms
        if isinstance(platform.devices_error, int) and platform.devices_error != _NO_DEVICES
    ]
    if codes:
        # Many programs stop at the first platform that fails, whatever the others hold.
        return _End("error", codes[0], "clGetDeviceIDs failed", "devices")
    if any(platform.devices for platform in platforms):
        return _End("ok")
    return _End("no-devices", message="it has a platform without devices")


def _last_stage(reports: Sequence[Report]) -> Stage:
    return next((report["stage"] for report in reversed(reports) if "stage" in report), "load")


def _while_asking(reports: Sequence[Report]) -> str:
    if not reports:
        return "before it reported anything"
    last = reports[-1]
    if "asking" in last:
        return f"while answering {last['asking']}"
    return f"in stage {_last_stage(reports)}"


def _platforms(reports: Sequence[Report]) -> tuple[Platform, ...]:
    facts = _facts_by_place(reports)
    listed: dict[int, Report] = {}
    for report in reports:
        if "platform" in report:
            listed[report["platform"]] = report
    return tuple(_platform(facts, index, listed[index]) for index in sorted(listed))


def _platform(facts: Mapping[_Place, Facts], index: int, listed: Report) -> Platform:
    own = facts.get((index,), {})
    places = [(index, place) for place in range(listed.get("devices", 0))]
    return Platform(
        name=own.get("name", _NOT_ASKED),
        vendor=own.get("vendor", _NOT_ASKED),
        version=own.get("version", _NOT_ASKED),
        # An error here is the usual answer of a platform that a loader stands before.
        icd_suffix=own.get("icd_suffix", _NOT_ASKED),
        devices_error=listed.get("devices_error", _NOT_ASKED),
        devices=tuple(device_of(facts.get(place, {})) for place in places)
        if "devices" in listed
        else _NOT_ASKED,
    )


def _facts_by_place(reports: Sequence[Report]) -> dict[_Place, Facts]:
    """Return what was told of each platform (its index) and device (two indices)."""
    facts: dict[_Place, Facts] = {}
    for report in reports:
        if "fact" not in report:
            continue
        place = facts.setdefault(tuple(report["at"]), {})
        if "error" in report:
            code = report["error"]
            place[report["fact"]] = Unknown(f"the query failed with OpenCL error {code}")
        else:
            place[report["fact"]] = report["value"]
    _blame_the_end(reports, facts)
    return facts


def _blame_the_end(reports: Sequence[Report], facts: dict[_Place, Facts]) -> None:
    """Note of the device whose kernel a child did not survive that it failed."""
    last = next((one for one in reversed(reports) if "stage" in one), None)
    if last is not None and "at" in last:
        failed = "build-failed" if last["stage"] == "compile" else "run-failed"
        facts.setdefault(tuple(last["at"]), {}).setdefault("kernel_result", failed)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
