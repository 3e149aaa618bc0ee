# SPDX-License-Identifier: MIT
"""Intel's offline compiler, asked what it knows of chips and PCI ids; it compiles nothing here.

The library behind `ocloc` is asked by a child process, many questions at a time: all 65,536 ids
take it four seconds.
"""

import json
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from emulated_neo import at_home_in

SECONDS = 120
"""Time for one child."""
EVERY_ID = tuple(f"{number:04x}" for number in range(1 << 16))
# What it prints is among its outputs, as stdout.log. The source it gets is an empty file.
_ASK = """
import ctypes, json, sys
library = ctypes.CDLL(sys.argv[1])
pointer, text = ctypes.c_void_p, ctypes.c_char_p
def ask(words):
    argv = (text * len(words))(*[word.encode() for word in words])
    data, names, sizes = (text * 1)(b"x"), (text * 1)(b"empty.spv"), (ctypes.c_uint64 * 1)(0)
    count, outputs, lengths, called = ctypes.c_uint32(), pointer(), pointer(), pointer()
    results = [ctypes.byref(one) for one in (count, outputs, lengths, called)]
    library.oclocInvoke(len(words), argv, 1, data, sizes, names, 0, None, None, None, *results)
    found = {}
    for i in range(count.value):
        length = ctypes.cast(lengths, ctypes.POINTER(ctypes.c_uint64))[i]
        start = ctypes.cast(outputs, ctypes.POINTER(pointer))[i]
        name = ctypes.cast(called, ctypes.POINTER(text))[i].decode()
        found[name] = ctypes.string_at(start, length).decode("latin-1") if start else ""
    library.oclocFreeOutput(*results)
    return found
questions = json.load(open(sys.argv[2]))
json.dump([ask(words) for words in questions], open(sys.argv[3], "w"))
"""


class CompilerSilentError(Exception):
    """The compiler ended before it had answered; says with what."""


@dataclass(frozen=True, slots=True)
class OfflineCompiler:
    """A build of `ocloc` by its library; `python` starts a Python whose C library it works with."""

    version: str
    library: Path
    python: tuple[str, ...] = (sys.executable,)

    def ask(self, questions: Iterable[Sequence[str]]) -> list[dict[str, str]]:
        """Return what it puts out for each command line: texts by name, stdout.log among them.

        Raises: CompilerSilentError
        """
        with tempfile.TemporaryDirectory(prefix="clprobe-reality-") as folder:
            asked, answers = Path(folder, "questions"), Path(folder, "answers")
            asked.write_text(json.dumps([["ocloc", *words] for words in questions]))
            done = subprocess.run(
                [*self.python, "-I", "-S", "-c", _ASK, self.library, asked, answers],
                cwd=folder, env=at_home_in(folder), capture_output=True, text=True,
                timeout=SECONDS, check=False,
            )  # fmt: skip
            if not answers.is_file():
                raise CompilerSilentError(f"status {done.returncode}: {done.stderr[-500:]}")
            found: list[dict[str, str]] = json.loads(answers.read_text())
            return found

    def chips(self, ids: Sequence[str] = EVERY_ID) -> dict[str, str]:
        """Return the chip that it takes each id for, of those ids such as "1912" that it knows.

        It looks an id up before it reads what it shall compile, and stops at an empty source.
        """
        words = ("compile", "-file", "empty.spv", "-spirv_input", "-device")
        known = {}
        for device, answer in zip(ids, self.ask((*words, f"0x{one}") for one in ids), strict=True):
            said = answer["stdout.log"]
            found = re.search(r"target based on 0x[0-9A-Fa-f]{4} device id: (\S+)", said)
            assert found or "Cannot get HW Info" in said, said
            if found:
                known[device] = found[1]
        return known

    def names(self) -> frozenset[str]:
        """Return every name that it takes for a chip, a family or a release of chips."""
        (answer,) = self.ask([("compile", "--help")])
        offered = re.search(r"can be: (.+?), (?:ip )?version", answer["stdout.log"])
        return frozenset(offered[1].split(", ")) if offered else frozenset()

    def ip_versions(self, chips: Iterable[str]) -> dict[str, str | None]:
        """Return architecture and release, such as "12.55"; None where it knows no such chip."""
        asked = sorted(set(chips))
        known = zip(asked, self.ask(("ids", chip) for chip in asked), strict=True)
        return {chip: _ip_version(answer["stdout.log"]) for chip, answer in known}

    def query(self, what: str, chips: Iterable[str]) -> dict[str, str]:
        """Return what it says of each chip, such as its CL_DEVICE_EXTENSIONS."""
        asked = sorted(set(chips))
        answers = self.ask(("query", "-device", chip, what) for chip in asked)
        return {chip: answer[what] for chip, answer in zip(asked, answers, strict=True)}


def opencl_c_version(said: str) -> str:
    """Return the newest version of its answer CL_DEVICE_OPENCL_C_ALL_VERSIONS, such as "3.0".

    That is an array of cl_name_version: a packed version and 64 bytes for the name.
    """
    packed = [number for (number,) in struct.iter_unpack("<I64x", said.encode("latin-1"))]
    return f"{max(packed) >> 22}.{max(packed) >> 12 & 0x3FF}"


def listed(number: str, ranges: tuple[str, ...]) -> bool:
    """Whether an IP version such as 12.55 is in one of the ranges, such as 12.55-12.57."""
    value = _pair(number)
    return any(
        _pair(first) <= value <= _pair(last or first)
        for first, _, last in (text.partition("-") for text in ranges)
    )


def _ip_version(said: str) -> str | None:
    found = re.search(r"^(\d+\.\d+)\.\d+$", said, re.MULTILINE)
    return found[1] if found else None


def _pair(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)
