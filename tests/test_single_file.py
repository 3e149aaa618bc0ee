# SPDX-License-Identifier: MIT
"""clprobe.pyz answers as an installed clprobe does, on a Python that has no package at all."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from clprobe.version import __version__

ROOT = Path(__file__).resolve().parent.parent
CI = ROOT / ".ci"
SNAPSHOT = """\
gpus: [{pci_id: "8086:5916", kernel_driver: i915}]
device_nodes: [{path: /dev/dri/renderD128, mode: "0660", group: render, open_error: EACCES}]
user: {uid: 1000, groups: [{name: alice}], database_groups: [{name: alice}, {name: render}]}
"""


@pytest.fixture(scope="module")
def single_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("single")
    program = [sys.executable, CI / "single_file.py", "--here", folder / "clprobe.pyz"]
    subprocess.run(program, check=True, timeout=300, capture_output=True)
    return folder / "clprobe.pyz"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for caches that several tests share: unpacking takes the longest."""
    return tmp_path_factory.mktemp("cache")


def run(
    single_file: Path, *arguments: str, cache: Path, **variables: str
) -> "subprocess.CompletedProcess[str]":
    """Run the file with a Python that sees its standard library alone."""
    return subprocess.run(
        [sys.executable, "-I", "-S", single_file, *arguments],
        env={"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(cache), **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.skipif(find_spec("cyclonedx_py") is None, reason="cyclonedx-bom is not installed")
def test_what_is_packed_is_listed_with_hashes_the_same_each_time(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("first.json", "second.json")]
    for file in files:
        program = [sys.executable, CI / "single_file.py", "--sbom", file]
        subprocess.run(program, check=True, timeout=300)

    bill = json.loads(files[0].read_text())
    listed = {
        (part["name"], part["version"]): {
            one["content"] for place in part["externalReferences"] for one in place["hashes"]
        }
        for part in bill["components"]
    }
    pins = re.split(r"^(?=\w)", (CI / "single_file/requirements.txt").read_text(), flags=re.M)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert bill["metadata"]["component"]["version"] == __version__
    assert listed == {
        (found[1], found[2]): set(re.findall(r"sha256:(\w+)", pin))
        for pin in pins
        if (found := re.match(r"([\w-]+)==([\w.]+)", pin))
    }


def installed(*arguments: str) -> str:
    program = [sys.executable, "-m", "clprobe", *arguments]
    return subprocess.run(
        program, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    ).stdout


def without_time(document: str) -> Any:
    return json.loads(document) | {"elapsed_ms": 0}


@pytest.mark.parametrize(
    "command",
    [
        ("doctor", "--json", "--exit-zero", "--from"),
        ("info", "--json", "--from"),
        ("install-plan", "--os", "debian-13", "--json", "--from"),
    ],
    ids=lambda command: command[0],
)
def test_it_says_the_same_as_the_installed_program(
    command: tuple[str, ...], single_file: Path, cache: Path, tmp_path: Path
) -> None:
    file = tmp_path / "host.yaml"
    file.write_text(SNAPSHOT)

    done = run(single_file, *command, str(file), cache=cache)

    assert done.returncode == 0, done.stderr
    assert without_time(done.stdout) == without_time(installed(*command, str(file)))


def test_it_explains_and_looks_at_this_host(single_file: Path, cache: Path) -> None:
    explained = run(single_file, "explain", "HD 4600", cache=cache)
    live = run(single_file, "doctor", "--json", "--exit-zero", "--no-kernel", cache=cache)

    assert explained.stdout == installed("explain", "HD 4600")
    assert live.returncode == 0, live.stderr
    assert json.loads(live.stdout)["schema"] == "clprobe.doctor/1"
    assert list((cache / "clprobe").glob("rules-*")) == []  # they came along, parsed


def unpacked(cache: Path) -> Path:
    (folder,) = (cache / "clprobe").glob("single-file-*")
    return folder


@pytest.fixture
def own_cache(single_file: Path, cache: Path) -> Path:
    assert run(single_file, "--version", cache=cache).returncode == 0
    return cache


def spoil_compiled(folder: Path) -> None:
    (compiled,) = folder.glob("modules/**/main.*.pyc")
    compiled.write_bytes(compiled.read_bytes()[:-10])


def spoil_with_times(folder: Path) -> None:
    parsed = folder / "modules/clprobe/_data/parsed-rules.msgpack"
    status = parsed.stat()
    parsed.write_bytes(b"\x80" + parsed.read_bytes()[1:])
    os.utime(parsed, ns=(status.st_atime_ns, status.st_mtime_ns))


def spoil_signatures(folder: Path) -> None:
    (folder / "signatures").write_bytes((folder / "signatures").read_bytes()[:-10])


def open_to_others(folder: Path) -> None:
    folder.chmod(0o777)


def replace_by_link(folder: Path) -> None:
    shutil.move(folder, folder.parent / "elsewhere")
    folder.symlink_to("elsewhere")


def is_believed(folder: Path, before: str = "") -> str:
    """Return what the parts of the file say, run alone as in it; nothing where one raises."""
    program = f"""
import pathlib, sys
sys.path[:0] = [{str(CI / "single_file")!r}, {str(ROOT / "clprobe")!r}]
import private_folders, signatures
folder = {str(folder)!r}
{before}
private_folders.open_private_folder(pathlib.Path(folder))
print(signatures.is_whole(folder))
"""
    python = [sys.executable, "-I", "-S", "-B", "-c", program]
    return subprocess.run(python, capture_output=True, text=True, timeout=60, check=False).stdout


@pytest.mark.parametrize(
    "spoil", [spoil_compiled, spoil_with_times, spoil_signatures, open_to_others, replace_by_link]
)
def test_what_was_changed_or_others_can_change_is_not_believed(spoil: Any, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for name in ("cli/__pycache__/main.cpython-311.pyc", "_data/parsed-rules.msgpack"):
        (folder / "modules/clprobe" / name).parent.mkdir(parents=True)
        (folder / "modules/clprobe" / name).write_bytes(bytes(100))
    folder.chmod(0o700)
    assert is_believed(folder, "signatures.note(folder)") == "True\n"

    spoil(folder)

    assert is_believed(folder) in ("False\n", "")


def test_what_is_not_believed_is_unpacked_anew(single_file: Path, own_cache: Path) -> None:
    folder = unpacked(own_cache)
    (folder / "planted").touch()
    (compiled,) = folder.glob("modules/clprobe/cli/__pycache__/main.*.pyc")
    compiled.write_bytes(b"")
    folder.chmod(0o777)

    done = run(single_file, "--version", cache=own_cache)

    assert done.stdout.startswith("clprobe, version ")
    assert {path.name for path in unpacked(own_cache).iterdir()} == {"modules", "signatures"}
    assert unpacked(own_cache).stat().st_mode & 0o777 == 0o700


def test_without_a_private_cache_it_runs_from_a_temporary_folder_that_goes(
    single_file: Path, tmp_path: Path
) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    done = run(single_file, "rules", "--help", cache=nowhere, TMPDIR=str(temporary))

    assert done.returncode == 0, done.stderr
    ends = time.monotonic() + 20
    while list(temporary.iterdir()) and time.monotonic() < ends:
        time.sleep(0.05)
    assert list(temporary.iterdir()) == []


def test_who_ends_it_while_it_unpacks_finds_nothing_left(single_file: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-I", "-S", single_file, "--version"],
        env={"XDG_CACHE_HOME": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        ends = time.monotonic() + 60
        while not list(tmp_path.glob("clprobe/*/modules")) and time.monotonic() < ends:
            time.sleep(0.01)
        process.terminate()
        _, said = process.communicate(timeout=60)

    assert (process.returncode, said) == (3, "clprobe: interrupted\n")
    assert list((tmp_path / "clprobe").iterdir()) == []


def test_another_python_is_told_which_the_file_is_for(single_file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.pyz"
    with zipfile.ZipFile(single_file) as whole, zipfile.ZipFile(other, "w") as without:
        for name in whole.namelist():
            renamed = "_core.cpython-39-none.so" if name.startswith("_core") else name
            without.writestr(renamed, whole.read(name))

    done = run(other, "--version", cache=tmp_path / "cache-of-other")

    assert done.returncode == 3
    assert done.stderr.startswith("clprobe: this file runs with cpython-39-none, and here is ")


def test_the_cache_command_lists_and_removes_it(single_file: Path, own_cache: Path) -> None:
    folder = unpacked(own_cache)

    done = run(single_file, "cache", "--clear", cache=own_cache)

    assert done.returncode == 0, done.stderr
    assert str(folder) in done.stdout.replace("\n", "")
    assert not folder.exists()


def test_the_same_modules_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(CI)
    import single_file as making  # noqa: PLC0415 - a script, no part of the package

    made = []
    for second, names in enumerate((("a", "b"), ("b", "a"))):
        tree = tmp_path / str(second)
        tree.mkdir()
        for name in names:
            (tree / name).write_text(name * 100)
            os.utime(tree / name, (second, second))
        output = tmp_path / f"{second}.pyz"
        making.write(output, making.packed(tree, preset=0), {"_core.so": b"library"})
        made.append(output.read_bytes())

    assert made[0] == made[1]


def test_python_3_10_gets_the_library_for_its_c_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are called alike in their wheels; Ubuntu 22.04 has that Python, and Alpine 3.16."""
    monkeypatch.syspath_prepend(CI)
    monkeypatch.syspath_prepend(CI / "single_file")
    monkeypatch.syspath_prepend(ROOT / "clprobe")
    import single_file as making  # noqa: PLC0415 - a script, no part of the package
    import unpacking  # noqa: PLC0415 - a part of the file

    name = "_core.cpython-310-x86_64-linux-gnu.so"
    for platform in ("manylinux_2_28", "musllinux_1_2"):
        wheel = tmp_path / f"msgspec-0.22-cp310-cp310-{platform}_x86_64.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"msgspec/{name}", platform)

    cores = making.unpack_pinned(tmp_path, tmp_path / "tree")

    assert cores[unpacking.with_c_library(name)] == b"manylinux_2_28"
    monkeypatch.delitem(os.confstr_names, "CS_GNU_LIBC_VERSION")  # as on Alpine
    assert cores[unpacking.with_c_library(name)] == b"musllinux_1_2"
