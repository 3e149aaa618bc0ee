# SPDX-License-Identifier: MIT
"""Damaged ELF headers, linker caches, reports and .icd files: no exception, no wrong remedy.

mutations.py tries as many as one likes; here are a few of each.
"""

from pathlib import Path

from mutations import (
    IcdFiles,
    check_cache,
    check_elf,
    check_findings,
    check_report,
    tried,
)
from whole_things import cache_here, conversation, libraries_here

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.probe.elf import read_linker_cache

_FEW = 400


def test_whole_things_are_taken_for_what_they_are() -> None:
    assert [check_elf(raw) for raw in libraries_here()] == ["elf"] * len(libraries_here())
    assert check_cache(cache_here()) == "some libraries"
    assert check_report(conversation()) == "ok"


def test_damaged_elf_headers_never_raise() -> None:
    found = tried(check_elf, libraries_here(), 0x440, _FEW)
    assert {"elf", "damaged", "cut off", "not-elf"} <= set(found)


def test_a_damaged_linker_cache_never_raises() -> None:
    assert set(tried(check_cache, [cache_here()], 4096, _FEW)) == {"some libraries", "nothing"}


def test_every_cut_of_a_linker_cache_is_read() -> None:
    raw = cache_here()
    for size in range(100):
        assert read_linker_cache(raw[:size]) == {}


def test_a_damaged_report_never_raises() -> None:
    assert tried(check_report, [conversation()], 4096, _FEW)["damaged"] > _FEW / 2


def test_a_report_never_says_that_it_is_not_done() -> None:
    ended = conversation().replace(b'"done":true', b'"done":false')
    assert ended != conversation()
    assert check_report(ended) == "damaged"


def test_a_damaged_icd_file_leads_to_no_wrong_remedy(tmp_path: Path) -> None:
    files, knowledge = IcdFiles(tmp_path), Knowledge.load()
    materials = [b"libc.so.6\n", b"/usr/lib/libx.so\r\n"]
    assert tried(files.check, materials, 64, _FEW)["missing"]
    for raw in (b"libc.so.6\0\n", b"l\0i\0b\0", b"\xff\xfe/\0", b"", b"/\n", b"\n", b"..\n"):
        files.check(raw)
        check_findings(files, knowledge)
