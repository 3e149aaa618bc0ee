# SPDX-License-Identifier: MIT
"""What the dynamic linker writes is read as it stands, from real programs and from lines."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import library
from clprobe.watch.libraries import role_of
from clprobe.watch.links import STREAM_NAME, Links, Wish, links_in, read_links
from clprobe.watch.watching import STREAM

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


ENTRIES = (
    "libOpenCL.so.1", "libOpenCL-5519dec5.so.1.0.0", "libze_loader.so.1", "libze_intel_gpu.so.1",
    "libcuda.so.1", "libamdhip64.so.6", "libhsa-runtime64.so.1", "libvulkan.so.1", "libva.so.2",
    "libva-drm.so.2",
)  # fmt: skip


def traced(folder: Path, *argv: str, stream: bool = False) -> list[Links]:
    """Run a program with our library in it, or skip where there is none."""
    inside = library()
    if isinstance(inside, Unknown):
        pytest.skip(inside.unknown)
    into = folder / "told"
    into.mkdir()
    environment = {**os.environ, "LD_AUDIT": str(inside), "CLPROBE_WATCH": str(into)}
    descriptor = os.open(into / STREAM_NAME, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    found = os.fstat(descriptor)
    if stream:
        environment[STREAM] = f"{descriptor}:{found.st_dev}:{found.st_ino}"
    subprocess.run(argv, check=True, env=environment, timeout=60, pass_fds=(descriptor,))
    os.close(descriptor)
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


def test_what_is_handed_down_takes_all_records_and_no_file_is_made(tmp_path: Path) -> None:
    traces = traced(tmp_path, "sh", "-c", "ls / > /dev/null; ls / > /dev/null", stream=True)
    assert len(traces) >= 2
    assert [one.name for one in (tmp_path / "told").iterdir()] == [STREAM_NAME]


def test_a_process_that_closes_what_was_handed_down_goes_on_in_its_own_file(tmp_path: Path) -> None:
    closes = "for (int file = 3; file < 1024; file++) close(file);"
    code = "#include <unistd.h>" + DLOPENS.replace("{", "{" + closes, 1)
    program = built(tmp_path, "closes", code, "-ldl")
    (trace,) = traced(tmp_path, str(program), "libNowhere.so.7", stream=True)
    assert (trace.program, trace.refused) == (str(program), (Wish("libNowhere.so.7", ""),))
    assert any(path.endswith("/libc.so.6") for path in trace.loaded)
    assert len(list((tmp_path / "told").iterdir())) == 2


def test_a_stream_of_a_number_that_is_another_file_now_is_left_alone(tmp_path: Path) -> None:
    program = built(tmp_path, "opens", DLOPENS, "-ldl")
    other = tmp_path / "other"
    command = f'eval "exec ${{{STREAM}%%:*}}> {other}"; {program} libNowhere.so.7'
    traced(tmp_path, "bash", "-c", command, stream=True)
    assert other.read_bytes() == b""


@pytest.mark.parametrize("name", ENTRIES)
def test_files_and_nodes_are_looked_at_for_what_leads_to_devices(tmp_path: Path, name: str) -> None:
    program = built(tmp_path, "opens", DLOPENS, "-ldl")
    assert role_of(name) is not None
    (trace,) = traced(tmp_path, str(program), f"/nowhere/{name}")
    assert trace.namespace == os.readlink("/proc/self/ns/mnt")  # noqa: PTH115 - it leads nowhere


def test_files_and_nodes_are_not_looked_at_for_programs_that_compute_nothing(
    tmp_path: Path,
) -> None:
    program = built(tmp_path, "opens", DLOPENS, "-ldl")
    (trace,) = traced(tmp_path, str(program), "libNowhere.so.7")
    assert (trace.namespace, trace.icds, trace.nodes) == ("", (), {})


@pytest.mark.parametrize(
    "raw", [b"", b"P", b"\0\1\2", b"Sx\0", b"P/bin/x\0\0V", b"V=\0\0" * 9, os.urandom(4096)]
)
def test_other_bytes_do_no_harm(raw: bytes) -> None:
    for one in links_in(raw):
        assert one.loaded == ()
