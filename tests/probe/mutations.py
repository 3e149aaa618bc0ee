# SPDX-License-Identifier: MIT
"""Seeded damage to what clprobe reads, and what must hold of each damaged thing.

`python tests/probe/mutations.py 10000` tries as many of each kind and prints the figures.
"""

import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
from whole_things import cache_here, conversation, libraries_here

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.lint import file_fault, library_fault
from clprobe.model.finding import Finding
from clprobe.model.opencl import Icd
from clprobe.model.snapshot import Snapshot
from clprobe.probe.elf import read_elf, read_linker_cache
from clprobe.probe.facts import STRICT
from clprobe.probe.host import ChildResult
from clprobe.probe.libraries import Libraries
from clprobe.probe.live_host import LiveHost
from clprobe.probe.opencl.enumeration import answer_of
from clprobe.probe.opencl.icds import FoundIcd, probe_icds
from clprobe.probe.opencl.loaders import FoundLoader, Loader, Search
from clprobe.probe.opencl.reports import read_reports

Check = Callable[[bytes], str]
"""Reads a damaged thing; returns in a word what it was taken for. It raises what must not be."""

_EXTREMES = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, 1 << 63,
             (1 << 64) - 1)  # fmt: skip
_PIECES = (b"\0", b"\n", b"\xff" * 8, b"[" * 3000, b'{"', b"\r\n", b"\xef\xbb\xbf", b"\xff\xfe",
           b"9" * 400, b"-1", b"../", b"\x1b[31m", b"$(x)", b"NaN", b"1e999",
           b'"\\ud800"')  # fmt: skip
_MOST_READ_BYTES = 32 << 20
_MOST_SECONDS = 2.0
_LIBRARY_FAULTS = {"truncated", "damaged-headers", "empty", "not-elf", "other-architecture",
                   "missing-dependency", "missing", "directory", "unreadable", None}  # fmt: skip
# Findings whose remedies fit a file of which only the content was changed.
_ABOUT_FILES = {
    "icd-library-damaged", "icd-library-for-other-processor", "icd-library-needs-more",
    "icd-library-missing", "icd-file-malformed", "icd-library-not-readable", "icd-with-build-path",
    "icd-names-absent-part", "icd-names-loader",
}  # fmt: skip


def damaged(raw: bytes, seed: int, reach: int) -> bytes:
    """Return the bytes with one to six changes, most of them in the first `reach` bytes."""
    chance = random.Random(seed)  # noqa: S311 - chance, no secrets
    changed = bytearray(raw)
    for _ in range(chance.randint(1, 6)):
        where = chance.randrange(min(reach, len(changed)) or 1)
        kind = chance.randrange(7)
        if kind == 0 and changed:
            changed[where : where + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            size = chance.choice((1, 2, 4, 8))
            number = chance.choice(_EXTREMES) & ((1 << 8 * size) - 1)
            changed[where : where + size] = number.to_bytes(size, sys.byteorder)
        elif kind == 2:
            changed[where : where + chance.randrange(64)] = chance.choice(_PIECES)
        elif kind == 3:
            del changed[where : where + chance.randrange(1, 40)]
        elif kind == 4:
            changed[where:where] = changed[: chance.randrange(1, 200)]
        elif kind == 5 and chance.random() < 0.3:
            del changed[where:]
        else:
            changed[where : where + 16] = chance.randbytes(16)
    return bytes(changed)


def check_elf(raw: bytes) -> str:
    """Read headers: whatever they say, little is read, and the answer is one of the few."""
    read = 0

    def read_at(offset: int, count: int) -> bytes:
        nonlocal read
        assert 0 <= offset < 1 << 41
        assert 0 <= count <= 1 << 17
        piece = raw[offset : offset + count]
        read += len(piece)
        return piece

    elf = read_elf(read_at, len(raw))
    assert read <= _MOST_READ_BYTES
    str(elf).encode("utf-8", "surrogateescape")  # names are those of files
    assert "" not in elf.needed
    if elf.problem:
        return "damaged"
    if elf.required_bytes > elf.size_bytes:
        return "cut off"
    return elf.format


def check_cache(raw: bytes) -> str:
    """Read a linker's cache: paths are absolute, and nothing is longer than a path."""
    found = read_linker_cache(raw)
    paths = [library.path for libraries in found.values() for library in libraries]
    assert all(path.startswith("/") and len(path) <= 4096 for path in paths)
    return "some libraries" if paths else "nothing"


def check_report(raw: bytes) -> str:
    """Read a report: an answer comes back that can be written down, bounded whatever it claims."""
    reports, damage = read_reports(raw)
    outcomes = []
    for ended in ("exit", "signal", "timeout"):
        result = ChildResult(ended=ended, status=0, reports=reports, damage=damage)  # type: ignore[arg-type]
        answer = answer_of(result, 10.0)
        assert len(msgspec.json.encode(answer)) < 64 << 20
        outcomes.append(answer.outcome)
    assert outcomes[1:] == ["crash", "hang"]
    if damage:
        assert outcomes[0] == "error"
        return "damaged"
    return str(outcomes[0])


class OneIcd(LiveHost):
    """This machine with a single folder of `.icd` files."""

    def __init__(self, folder: Path) -> None:
        super().__init__({"PATH": os.defpath})
        self.folder = str(folder)

    def list_folder(self, path: str) -> tuple[str, ...]:
        """Return what lies in the one folder; all others are empty."""
        return super().list_folder(path) if path == self.folder else ()


class IcdFiles:
    """Writes a damaged `.icd` file, probes it and judges what that may lead to."""

    def __init__(self, folder: Path) -> None:
        self._icd = folder / "x.icd"
        self._host = OneIcd(folder)
        self._libraries = Libraries(self._host)
        facts = Loader(path="/usr/lib/libOpenCL.so.1", is_default=True)
        self._loaders = (FoundLoader(facts, Search((str(folder),))),)

    def check(self, raw: bytes) -> str:
        """Probe the bytes as `.icd` file: only a whole library may be loaded."""
        self._icd.write_bytes(raw)
        found = self.found()
        fault = file_fault(found.facts)
        library = library_fault(found.facts, "x86_64")
        assert library in _LIBRARY_FAULTS, library
        if found.library is not None:
            assert Path(found.library).is_file()
            assert self._libraries.why_not_loadable(found.library) is None
            return f"loadable, {fault}"
        return f"{fault or library}"

    def found(self) -> FoundIcd:
        """Return the one ICD as probed."""
        return probe_icds(self._host, self._libraries, self._loaders)[0]

    def findings(self, knowledge: Knowledge) -> list[Finding]:
        """Return the errors that are told of the file as it is now."""
        icd: Icd = self.found().facts
        snapshot = Snapshot(icds=(icd,), loaders=(self._loaders[0].facts,))
        told = [one for one in diagnose(snapshot, knowledge).findings if one.verdict == "present"]
        return [one for one in told if one.severity == "error" and one.subject == icd.path]


def check_findings(files: IcdFiles, knowledge: Knowledge) -> None:
    """Assert that nothing is blamed but the file, and that no remedy leads a file to itself."""
    for finding in files.findings(knowledge):
        assert finding.id in _ABOUT_FILES, finding.id
        for remedy in finding.remedies:
            assert remedy.argv is None or remedy.argv[0] != "ln", remedy.argv


def tried(check: Check, materials: list[bytes], reach: int, count: int) -> Counter[str]:
    """Return how often damaged materials were taken for what; none takes longer than a moment."""
    found: Counter[str] = Counter()
    for seed in range(count):
        raw = damaged(materials[seed % len(materials)], seed, reach)
        started = time.process_time()
        try:
            found[check(raw)] += 1
        except Exception as error:
            error.args = (*error.args, f"seed {seed}")
            raise
        assert time.process_time() - started < _MOST_SECONDS, f"seed {seed} takes long"
    return found


def main(count: int) -> None:
    """Try each kind `count` times and print what the damaged things were taken for."""
    os.environ[STRICT] = "1"
    knowledge = Knowledge.load()
    with tempfile.TemporaryDirectory() as name:
        files = IcdFiles(Path(name))
        icd = b"/usr/lib/x86_64-linux-gnu/libc.so.6\n"

        def check_icd(raw: bytes) -> str:
            word = files.check(raw)
            check_findings(files, knowledge)
            return word

        kinds: dict[str, tuple[Check, list[bytes], int]] = {
            "ELF headers": (check_elf, libraries_here(), 0x440),
            "ld.so.cache": (check_cache, [cache_here()], 4096),
            "report": (check_report, [conversation()], 4096),
            ".icd": (check_icd, [icd, b"libc.so.6\n", b"libx.so\r\n"], 64),
        }
        for kind, (check, materials, reach) in kinds.items():
            started = time.monotonic()
            found = tried(check, materials, reach, count)
            seconds = time.monotonic() - started
            print(f"{kind}: {found.total()} in {seconds:.0f} s: {dict(found.most_common())}")  # noqa: T201 - a script


if __name__ == "__main__":
    main(int(sys.argv[1]))
