# SPDX-License-Identifier: MIT
"""What the dynamic linker writes is read as it stands, from real programs and from lines."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import library
from clprobe.watch.links import Links, Wish, links_in, read_links

DLOPENS = """
#include <dlfcn.h>
int main(int count, char **names) {
  for (int at = 1; at < count; at++) dlopen(names[at], RTLD_NOW);
  return 0;
}
"""


def built(folder: Path, name: str, code: str, *options: str) -> Path:
    """Compile a program or library, or skip where no compiler is."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    source = folder / f"{name}.c"
    source.write_text(code)
    made = folder / name
    subprocess.run(["cc", "-o", made, source, *options], check=True, timeout=60)
    return made


def traced(folder: Path, *argv: str) -> list[Links]:
    """Run a program with our library in it, or skip where there is none."""
    inside = library()
    if isinstance(inside, Unknown):
        pytest.skip(inside.unknown)
    into = folder / "told"
    into.mkdir()
    environment = {**os.environ, "LD_AUDIT": str(inside), "CLPROBE_WATCH": str(into)}
    subprocess.run(argv, check=True, env=environment, timeout=60)
    return list(read_links(str(into)))


def test_a_library_that_is_not_there_was_refused(tmp_path: Path) -> None:
    program = built(tmp_path, "opens", DLOPENS, "-ldl")
    (trace,) = traced(tmp_path, str(program), "libNowhere.so.7", "libc.so.6")
    assert trace.refused == (Wish("libNowhere.so.7", ""),)
    assert any(path.endswith("/libc.so.6") for path in trace.loaded)


def test_a_library_that_lacks_another_is_half_loaded(tmp_path: Path) -> None:
    program = built(tmp_path, "opens", DLOPENS, "-ldl")
    part = built(tmp_path, "libpart.so", "int part;", "-shared", "-fPIC")
    options = ("-shared", "-fPIC", "-Wl,--no-as-needed", f"-L{tmp_path}", "-lpart")
    whole = built(tmp_path, "libwhole.so", "int whole;", *options)
    part.unlink()
    (trace,) = traced(tmp_path, str(program), str(whole))
    assert trace.half_loaded == (str(whole),)
    assert trace.refused == (Wish("libpart.so", str(whole)),)


def test_a_second_name_of_a_loaded_library_is_no_refusal(tmp_path: Path) -> None:
    program = built(tmp_path, "opens", DLOPENS, "-ldl")
    library = built(tmp_path, "libmine.so.1", "int mine;", "-shared", "-fPIC")
    link = tmp_path / "libmine.so"
    link.symlink_to(library.name)
    (trace,) = traced(tmp_path, str(program), str(library), str(link))
    assert trace.refused == ()


def test_children_have_traces_of_their_own(tmp_path: Path) -> None:
    traces = traced(tmp_path, "sh", "-c", "ls / > /dev/null; ls / > /dev/null")
    assert len(traces) >= 2
    assert all(trace.loaded for trace in traces)


def test_variables_are_those_of_each_program(tmp_path: Path) -> None:
    code = "RUSTICL_ENABLE=iris ls / > /dev/null; exec env A=b\\\nc ls / > /dev/null"
    told = traced(tmp_path, "sh", "-c", code)
    by_program = [(Path(one.program).name, one.environment) for one in told]
    listed = [variables for name, variables in by_program if name == "ls"]
    assert [one.get("RUSTICL_ENABLE") for one in listed].count("iris") == 1
    assert len(listed) == 2


@pytest.mark.parametrize(
    "raw", [b"", b"P", b"\0\1\2", b"Sx\0", b"P/bin/x\0\0V", b"V=\0\0" * 9, os.urandom(4096)]
)
def test_other_bytes_do_no_harm(raw: bytes) -> None:
    for one in links_in(raw):
        assert one.loaded == ()
