# SPDX-License-Identifier: MIT
"""read_counts(): what processes wrote about themselves, as source/layout.h lays it out.

The programs that write these files may be killed at any moment, and may scribble over them: what
is not understood is left out, and no number is believed to be sensible.
"""

import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from clprobe.model.unknown import Fact, Unknown
from clprobe.watch.told_file import read_told

CALLS = (
    "clGetPlatformIDs", "clGetDeviceIDs", "clCreateContext", "clCreateContextFromType",
    "clCreateCommandQueue", "clCreateCommandQueueWithProperties", "clBuildProgram",
    "clCompileProgram", "clLinkProgram", "clCreateKernel", "clCreateBuffer",
    "clEnqueueNDRangeKernel", "clEnqueueTask",
)  # fmt: skip
"""Calls whose outcomes are noted, by their number in records."""

_MAGIC, _VERSION = b"clprobeW", 1
_HEADER = struct.Struct("=8sIIII4QI4x32Q192s")
_LOADER = struct.Struct("=II248s")
_DEVICE = struct.Struct("=Iii4x7Q240s128s72s")
_OUTCOME = struct.Struct("=QQ")
_LOADERS, _DEVICES, _OUTCOMES = 16, 32, 96
_PARTS = ((_LOADER, _LOADERS), (_DEVICE, _DEVICES), (_OUTCOME, _OUTCOMES))
RECORD_BYTES = _HEADER.size + sum(one.size * count for one, count in _PARTS)
MOST_PROCESSES = 4096
_NAME = re.compile(r"\d{1,10}-[0-9a-f]{1,16}")
_OUTCOME_IS_SET = 1 << 63
_UNWATCHED, _MORE_DEVICES, _MORE_OUTCOMES, _WRAPPER_SEEN = 1, 2, 4, 8
_TYPES = ((1 << 2, "gpu"), (1 << 1, "cpu"), (1 << 3, "accelerator"), (1 << 4, "custom"))
_MOST_NS = (1 << 63) - 1


class DeviceCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What one process enqueued on one device; without a name: nobody could tell on which."""

    name: str
    platform: str
    type: Fact[str]
    """`gpu`, `cpu`, `accelerator` or `custom`; the first of these where a driver says several."""
    driver_version: str
    enqueued: int
    failed: int
    """Kernels that could not be enqueued."""
    last_error: int | None
    aborted: int
    """Kernels that ended by an error, among those whose end was seen."""
    last_abort: int | None
    timed: int
    """Kernels whose time was seen."""
    device_ns: Fact[int]
    """How long kernels ran, all together; an estimate from those timed, unless `is_exact`. Where
    several run at a time it may be more than what passed meanwhile."""
    is_exact: bool


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How often a call ended with a code; 0 is success."""

    call: str
    code: int
    count: int


class ProcessCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What one process did with OpenCL. One that called exec twice is two of them."""

    pid: int
    parent_pid: int
    program: str
    started_ns: int
    """By CLOCK_MONOTONIC, as time.monotonic_ns()."""
    wall_ns: int
    """From its start to its end, or to its last call where it did not end by exit()."""
    has_exited: bool
    """It ended by exit(), or by returning from main()."""
    loaders: tuple[str, ...]
    """The libraries it loaded that export OpenCL's functions: paths, or empty for the program."""
    devices: tuple[DeviceCounts, ...]
    outcomes: tuple[Outcome, ...]
    """Enqueued kernels are counted by device; here are those that failed."""
    unreturned: tuple[str, ...]
    """Calls in which it was when it was last seen: what crashes or hangs does not return."""
    is_whole: bool
    """False: it loaded a loader that could not be watched, or did more than the record holds."""

    @property
    def enqueued(self) -> int:
        """Return the number of kernels on all devices."""
        return sum(device.enqueued for device in self.devices)


def read_counts(folder: Path) -> tuple[ProcessCounts | Unknown, ...]:
    """Return what each process that loaded OpenCL wrote, in the order of their starts.

    Unknown stands for a process that could not write, or whose file is damaged.
    """
    found: list[ProcessCounts] = []
    damaged: list[Unknown] = []
    for name in _names(folder):
        raw = _content(folder / name)
        process = None if raw is None else _process(raw)
        if process is None:
            damaged.append(Unknown(f"process {name.partition('-')[0]} could not be counted"))
        else:
            found.append(process)
    found.sort(key=lambda one: (one.started_ns, one.pid))
    return (*found, *damaged)


def _names(folder: Path) -> list[str]:
    names = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _NAME.fullmatch(entry.name):
                    names.append(entry.name)
                if len(names) == MOST_PROCESSES:
                    break
    except OSError:
        pass
    return sorted(names)


def _content(path: Path) -> bytes | None:
    raw = read_told(path, RECORD_BYTES + 1)
    return raw if raw is not None and len(raw) == RECORD_BYTES else None


def _process(raw: bytes) -> ProcessCounts | None:
    header = _HEADER.unpack_from(raw)
    magic, version, size, pid, parent_pid, started, _, last, ended, flags = header[:10]
    if (magic, version, size) != (_MAGIC, _VERSION, RECORD_BYTES):
        return None
    begun, program = header[10:-1], header[-1]
    loaders, device_entries, outcome_entries = _tables(raw)
    devices, outcomes = tuple(_devices(device_entries)), tuple(_outcomes(outcome_entries))
    return ProcessCounts(
        pid=pid,
        parent_pid=parent_pid,
        program=_text(program),
        started_ns=min(started, _MOST_NS),
        wall_ns=min(max(0, (ended or last) - started), _MOST_NS),
        has_exited=ended != 0,
        loaders=tuple(dict.fromkeys(_text(path) for state, _, path in loaders if state)),
        devices=devices,
        outcomes=outcomes,
        unreturned=tuple(_unreturned(begun, outcomes, devices)),
        is_whole=not flags & (_UNWATCHED | _MORE_DEVICES | _MORE_OUTCOMES)
        # A wrapper passes on to a loader: where there is none, it may be a whole of its own.
        and (not flags & _WRAPPER_SEEN or any(state for state, *_ in loaders)),
    )


def _tables(raw: bytes) -> Iterator[list[tuple[Any, ...]]]:
    at = _HEADER.size
    for one, count in _PARTS:
        yield [one.unpack_from(raw, at + index * one.size) for index in range(count)]
        at += one.size * count


def _devices(entries: list[tuple[Any, ...]]) -> Iterator[DeviceCounts]:
    for entry in entries:
        state, last_error, last_abort = entry[:3]
        kind, enqueued, failed, aborted, timed, weight, weighted_ns = entry[3:10]
        if not state and not enqueued and not failed:
            continue
        yield DeviceCounts(
            name=_text(entry[10]),
            platform=_text(entry[11]),
            type=next((name for bit, name in _TYPES if kind & bit), Unknown("nobody could tell")),
            driver_version=_text(entry[12]),
            enqueued=min(enqueued, _MOST_NS),
            failed=min(failed, _MOST_NS),
            last_error=last_error if failed else None,
            aborted=min(aborted, _MOST_NS),
            last_abort=last_abort if aborted else None,
            timed=min(timed, _MOST_NS),
            device_ns=_estimate(enqueued, timed, weight, weighted_ns),
            is_exact=timed == enqueued,
        )


def _estimate(enqueued: int, timed: int, weight: int, weighted_ns: int) -> Fact[int]:
    if timed == 0 or weight == 0:
        return 0 if enqueued == 0 else Unknown("the driver gave no times of its kernels")
    return min(weighted_ns if timed == enqueued else weighted_ns * enqueued // weight, _MOST_NS)


def _outcomes(entries: list[tuple[Any, ...]]) -> Iterator[Outcome]:
    for key, count in entries:
        call = key >> 32 & 0x7FFFFFFF
        if key & _OUTCOME_IS_SET and call < len(CALLS) and count:
            code = key & 0xFFFFFFFF
            signed = code - (1 << 32) if code >> 31 else code
            yield Outcome(call=CALLS[call], code=signed, count=min(count, _MOST_NS))


def _unreturned(
    begun: tuple[int, ...], outcomes: tuple[Outcome, ...], devices: tuple[DeviceCounts, ...]
) -> Iterator[str]:
    returned = dict.fromkeys(CALLS, 0)
    for outcome in outcomes:
        returned[outcome.call] += outcome.count
    # Those that went well are noted by device, for both calls together.
    enqueues = [index for index, call in enumerate(CALLS) if call.startswith("clEnqueue")]
    went_well = sum(device.enqueued for device in devices)
    for index, call in enumerate(CALLS):
        if index in enqueues:
            own = min(max(0, begun[index] - returned[call]), went_well)
            went_well -= own
            returned[call] += own
        if begun[index] > returned[call]:
            yield call


def _text(raw: bytes) -> str:
    text = raw.partition(b"\0")[0].decode("utf-8", "replace")
    return "".join(one if one.isprintable() else "\ufffd" for one in text).strip()
