# SPDX-License-Identifier: MIT
"""Records are read as they were laid out, and whatever else lies in the folder does no harm."""

import os
import random
import re
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import ProcessCounts, kernel_uses, read_counts, records

SOURCE = Path(records.__file__).with_name("source")
NAME = "4711-1f"


def record(**header: int) -> bytes:
    """Return a record of a process that enqueued three kernels on one device."""
    fields = {"version": 1, "size": records.RECORD_BYTES, "flags": 0, **header}
    begun = [0] * 32
    begun[records.CALLS.index("clEnqueueNDRangeKernel")] = 4
    raw = struct.pack(
        "=8sIIII4QI4x32Q192s",
        *(b"clprobeW", fields["version"], fields["size"], 4711, 1, 1000, 1500, 9000, 0),
        *(fields["flags"], *begun, b"/bin/program"),
    )
    raw += struct.pack("=II248s", 1, 1, b"/lib/libOpenCL.so.1").ljust(16 * 256, b"\0")
    raw += struct.pack(
        "=Iii4x7Q240s128s72s",
        *(1, -5, 0, 1 << 2, 3, 1, 0, 1, 2, 800, b"Mali \x1b[31m\xff", b"ARM", b"1.0"),
    ).ljust(32 * 512, b"\0")
    outcome = 1 << 63 | 11 << 32 | (-5 & 0xFFFFFFFF)
    return raw + struct.pack("=QQ", outcome, 1).ljust(96 * 16, b"\0")


def only(folder: Path) -> ProcessCounts | Unknown:
    """Return the one process."""
    (process,) = read_counts(folder)
    return process


def test_what_was_written_is_read(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(record())

    process = only(tmp_path)
    assert isinstance(process, ProcessCounts)
    assert (process.pid, process.parent_pid, process.program) == (4711, 1, "/bin/program")
    assert (process.started_ns, process.wall_ns, process.has_exited) == (1000, 8000, False)
    assert process.loaders == ("/lib/libOpenCL.so.1",)
    (device,) = process.devices
    assert (device.enqueued, device.failed, device.last_error) == (3, 1, -5)
    # One kernel was timed, for two: three of them took half as much again.
    assert (device.timed, device.device_ns, device.is_exact) == (1, 1200, False)
    assert device.type == "gpu"
    assert process.unreturned == ()


def test_what_would_change_a_terminal_is_not_in_names(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(record())

    process = only(tmp_path)
    assert isinstance(process, ProcessCounts)
    assert process.devices[0].name.isprintable()


def test_kernels_that_ran_side_by_side_fill_no_more_than_the_time_there_was(
    tmp_path: Path,
) -> None:
    (tmp_path / NAME).write_bytes(record())
    (tmp_path / "4712-1").write_bytes(record())

    (use,) = kernel_uses([one for one in read_counts(tmp_path) if not isinstance(one, Unknown)], 10)
    assert (use.kernels, use.refused, use.error_code, use.busy_share) == (6, 2, -5, 1.0)


@pytest.mark.parametrize(("flags", "is_whole"), [(0, True), (1, False), (2, False), (8, True)])
def test_counts_that_are_not_whole_say_so(tmp_path: Path, flags: int, is_whole: bool) -> None:
    (tmp_path / NAME).write_bytes(record(flags=flags))

    process = only(tmp_path)
    assert isinstance(process, ProcessCounts)
    assert process.is_whole is is_whole


@pytest.mark.parametrize(
    "content",
    [b"", record()[:-1], record() + b"x", record(version=2), record(size=12), bytes(len(record()))],
    ids=["empty", "cut", "longer", "newer", "of another size", "zeros"],
)
def test_a_damaged_record_is_a_process_that_could_not_be_counted(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / NAME).write_bytes(content)

    assert only(tmp_path) == Unknown("process 4711 could not be counted")


@settings(max_examples=50, deadline=None)
@given(content=st.binary(max_size=2000), seed=st.integers(0, 1 << 32))
def test_no_content_is_a_fault(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("records")
    chance = random.Random(seed)  # noqa: S311 - not for cryptography
    raw = bytearray(record())
    for at in (chance.randrange(8, len(raw)) for _ in range(chance.randrange(400))):
        raw[at] = chance.randrange(256)
    (folder / "1-1").write_bytes(content)
    (folder / "2-1").write_bytes(raw)
    (folder / "3-1").write_bytes(b"clprobeW" + content.ljust(len(raw) - 8, b"\xff"))

    counts = read_counts(folder)
    assert len(counts) == 3
    kernel_uses([one for one in counts if not isinstance(one, Unknown)], 1)


def test_what_is_no_record_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "1-1").mkdir()
    os.mkfifo(tmp_path / "2-2")
    (tmp_path / "kept").write_bytes(record())
    (tmp_path / "3-3").symlink_to("kept")
    (tmp_path / "4-zz").write_bytes(record())

    assert [isinstance(one, Unknown) for one in read_counts(tmp_path)] == [True] * 3
    assert read_counts(tmp_path / "nowhere") == ()


def test_the_number_of_records_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_PROCESSES", 5)
    for number in range(9):
        (tmp_path / f"{number}-1").touch()

    assert len(read_counts(tmp_path)) == 5


def test_the_calls_are_in_the_order_of_their_numbers() -> None:
    numbered = re.findall(r"X\(n, \w+, (cl\w+)", (SOURCE / "opencl.h").read_text())

    assert tuple(numbered[: len(records.CALLS)]) == records.CALLS


def test_the_c_compiler_lays_records_out_alike(make: Callable[..., Path]) -> None:
    program = make("layout.c", "layout", f"-I{SOURCE}")

    printed = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True)
    sizes = [one.size for one, _ in records._PARTS]
    assert [int(word) for word in printed.stdout.split()] == [
        records.RECORD_BYTES,
        records._HEADER.size,
        *sizes,
    ]
