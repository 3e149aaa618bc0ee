# SPDX-License-Identifier: MIT
"""Reads what a child reported, and takes nothing on trust: the driver shares the child's memory.

Every record is checked for its form, its types, its place in the conversation and its bounds. A
driver that means to forge a whole conversation can; one that writes where it should not is found.
"""

from typing import Annotated, Literal, TypedDict

import msgspec

from clprobe.model.opencl import Stage
from clprobe.probe.opencl.questions import (
    DEVICE_EXTRAS,
    DEVICE_NUMBERS,
    DEVICE_NUMBERS_SINCE,
    DEVICE_TEXTS,
    MOST_OBJECTS,
    PLATFORM_TEXTS,
)

_MOST_RECORDS = 1 << 18
_MOST_PLATFORMS = 2 * MOST_OBJECTS  # of two drivers
_LARGEST_NUMBER = (1 << 64) - 1
_STAGES: tuple[Stage, ...] = ("load", "entry-point", "platforms", "devices", "queries", "compile",
                              "run")  # fmt: skip

_Code = Annotated[int, msgspec.Meta(ge=-(1 << 31), le=(1 << 31) - 1)]
_PlatformIndex = Annotated[int, msgspec.Meta(ge=0, lt=_MOST_PLATFORMS)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_OBJECTS)]
_Place = Annotated[list[Annotated[int, msgspec.Meta(ge=0, lt=_MOST_PLATFORMS)]],
                   msgspec.Meta(min_length=1, max_length=2)]  # fmt: skip
_Number = Annotated[int, msgspec.Meta(ge=0)]
_Build = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2})*$", max_length=1 << 19)]
_Hex = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2})*$", max_length=2048)]


class Report(TypedDict, total=False):
    """One record: which keys stand together is told by `_FORMS`."""

    stage: Stage
    loading: str
    loader: str | None
    loader_version: str | None
    viewer_version: str | None
    platform: _PlatformIndex
    devices: _Count
    devices_error: _Code | None
    at: _Place
    asking: str
    fact: str
    value: str | _Number | list[_Number]
    error: str | _Code | None
    why: str
    odd: str
    failed: str
    code: _Code | None
    done: bool
    imported: str
    extension: str
    home: str
    torch_end: str
    torch_device: str
    right: bool


_FORMS = frozenset(
    frozenset(form.split())
    for form in (
        "stage",
        "stage at",
        "loading",
        "loader loader_version",
        "loader viewer_version",
        "platform",
        "platform devices devices_error",
        "at asking",
        "at fact value",
        "at fact value why code",
        "at fact error",
        "odd code",
        "failed code",
        "done",
        "asking",
        "imported extension home",
        "torch_end error",
        "torch_device right",
    )
)


_Facts = msgspec.defstruct(
    "_Facts",
    [
        *((name, str, "") for name in (*(PLATFORM_TEXTS | DEVICE_TEXTS), "build_log")),
        *((name, _Number, 0) for name in (*DEVICE_NUMBERS, *DEVICE_NUMBERS_SINCE)),
        *((name, _Hex, "") for name in DEVICE_EXTRAS if name != "sub_group_sizes"),
        ("sub_group_sizes", list[_Number], []),
        ("kernel_files", str, ""),
        ("kernel_build", _Build, ""),
        ("kernel_result", Literal["right", "wrong", "build-failed", "run-failed"], "right"),
    ],
    forbid_unknown_fields=True,
)
"""The facts that a child tells of a platform or of a device, with their types."""


class ReportDamagedError(ValueError):
    """A record that no child of ours writes."""


def read_reports(raw: bytes) -> tuple[tuple[Report, ...], str]:
    """Return the records of a child up to the first that is none, and what is wrong with that.

    The words are empty where nothing is. A last line without its end is left out: the child died
    while it wrote.
    """
    reports: list[Report] = []
    conversation = _Conversation()
    lines = raw.split(b"\n", _MOST_RECORDS + 1)
    try:
        if len(lines) > _MOST_RECORDS:
            raise ReportDamagedError(f"more than {_MOST_RECORDS} records")
        for line in lines[:-1]:
            report = _report(line)
            conversation.follow(report)
            reports.append(report)
    except ReportDamagedError as damage:
        return tuple(reports), f"record {len(reports) + 1}: {damage}"
    return tuple(reports), ""


def _report(line: bytes) -> Report:
    try:
        report: Report = _decoder.decode(line)
    except (ValueError, RecursionError) as error:  # msgspec's errors and bad UTF-8 are ValueErrors
        raise ReportDamagedError(str(error)) from None
    if frozenset(report) not in _FORMS:
        raise ReportDamagedError(f"nobody writes {', '.join(sorted(report)) or 'nothing'} together")
    if not report.get("done", True):
        raise ReportDamagedError("what is not done is not reported")
    if "at" in report and not isinstance(report.get("error", 0), int):
        raise ReportDamagedError("an error of OpenCL is a number")
    if "value" in report:
        _check_value(report["fact"], report["value"])
    return report


def _check_value(fact: str, value: str | int | list[int]) -> None:
    try:
        msgspec.convert({fact: value}, type=_Facts)
    except msgspec.ValidationError as error:
        raise ReportDamagedError(str(error)) from None
    for number in value if isinstance(value, list) else [value]:
        if isinstance(number, int) and number > _LARGEST_NUMBER:
            raise ReportDamagedError(f"{fact} is no number of 64 bits")


class _Conversation:
    """Follows a report record by record: what stage it reached and what it has listed."""

    def __init__(self) -> None:
        self._reached = -1
        self._is_done = False
        self._has_failed = False
        self._devices: list[int] = []

    def follow(self, report: Report) -> None:
        """Take the next record.

        Raises: ReportDamagedError if it cannot follow those before it.
        """
        if self._is_done:
            raise ReportDamagedError("it comes after the last one")
        if "stage" in report:
            self._enter(report["stage"])
            if "at" in report:
                self._place(report["at"])
        elif self._reached < 0:
            raise ReportDamagedError("it comes before the first stage")
        elif "platform" in report:
            self._list(report)
        elif "at" in report:
            self._place(report["at"])
        elif "failed" in report:
            self._has_failed = True
        elif "done" in report:
            self._is_done = True
            self._need("platforms" if not self._has_failed else "load", "all was asked")

    def _enter(self, stage: Stage) -> None:
        if stage not in _STAGES:
            raise ReportDamagedError(f"no child is in stage {stage}")
        place = _STAGES.index(stage)
        # Each device is compiled for and run on before the next one.
        again = stage == "compile" and self._reached == _STAGES.index("run")
        if place < self._reached and not again:
            raise ReportDamagedError(f"stage {stage} comes after {_STAGES[self._reached]}")
        self._reached = place

    def _list(self, report: Report) -> None:
        index = report["platform"]
        if index > len(self._devices):
            raise ReportDamagedError(f"platform {index} comes after {len(self._devices)} platforms")
        self._need("devices" if "devices" in report else "platforms", f"platform {index} answers")
        if index == len(self._devices):
            self._devices.append(0)
        if "devices" in report:
            self._devices[index] = report["devices"]

    def _place(self, at: list[int]) -> None:
        self._need("platforms" if len(at) == 1 else "queries", f"{at} answers")
        if at[0] >= len(self._devices) or (len(at) > 1 and at[1] >= self._devices[at[0]]):
            raise ReportDamagedError(f"nothing was listed at {at}")

    def _need(self, stage: Stage, what: str) -> None:
        if self._reached < _STAGES.index(stage):
            raise ReportDamagedError(f"{what}, in stage {_STAGES[self._reached]}")


_decoder: "msgspec.json.Decoder[Report]" = msgspec.json.Decoder(Report)
