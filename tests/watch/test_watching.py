# SPDX-License-Identifier: MIT
"""What a program may want of the dynamic linker it still gets while it is watched."""

import os
import subprocess
from pathlib import Path

import pytest

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import library
from clprobe.watch.watching import watch_run

# As jemalloc, with which Blender is linked.
_WANTS = """\
static __thread char room[2632] __attribute__((tls_model("initial-exec")));
char *wanted(int place) { return room + place; }
"""
_PROGRAM = """\
#include <stdlib.h>
#include <string.h>
char *wanted(int place);
int main(int count, char **arguments)
{
    const char *own = getenv("GLIBC_TUNABLES");
    *wanted(2631) = 1;
    return count > 1 && (own == NULL || strstr(own, arguments[1]) == NULL);
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that is linked with a library which wants static thread-local storage."""
    found = library()
    if isinstance(found, Unknown):
        pytest.skip(found.unknown)
    (tmp_path / "wants.c").write_text(_WANTS)
    (tmp_path / "program.c").write_text(_PROGRAM)
    made, wants = tmp_path / "program", tmp_path / "libwants.so"
    for command in (
        ("cc", "-shared", "-fPIC", tmp_path / "wants.c", "-o", wants),
        ("cc", tmp_path / "program.c", wants, f"-Wl,-rpath,{tmp_path}", "-o", made),
    ):
        subprocess.run([*map(str, command)], check=True, timeout=60)
    return made


def _status(*argv: str) -> object:
    with Path(os.devnull).open("wb") as nowhere:
        return watch_run(argv, {}, output=nowhere.fileno()).program.exit_status


def test_a_library_that_wants_static_thread_local_storage_gets_it(program: Path) -> None:
    assert _status(str(program)) == 0


def test_tunables_of_the_users_own_stay(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.arena_max=3")
    assert _status(str(program), ":glibc.malloc.arena_max=3") == 0
