# SPDX-License-Identifier: MIT
"""`eval "$(clprobe env)"` makes clinfo work again, under both loaders, and can be taken back."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from faults import POCL, register_clash, register_fault

_LIMIT_S = 3
_POCL = "Portable Computing Language"
_ENV = f"{shlex.quote(sys.executable)} -m clprobe env --timeout {_LIMIT_S}"
_SHELLS = {"dash": ["dash"], "bash": ["bash"], "zsh": ["zsh"], "busybox": ["busybox", "sh"]}

# Faults that cost programs all drivers, and the loaders under which they do.
_BOTH = ("ocl-icd", "khronos")
_FATAL = {
    "truncated": _BOTH,
    "empty_icd": ("khronos",),
    "blank_icd": (),
    "fifo_icd": ("ocl-icd",),
    "ctor_abort": _BOTH,
    "ctor_segv": _BOTH,
    "ctor_exit0": _BOTH,
    "ctor_exit1": _BOTH,
    "ctor_hang": _BOTH,
    "dtor_segv": _BOTH,
    "dtor_hang": _BOTH,
    "entry_abort": _BOTH,
    "entry_segv": _BOTH,
    "entry_hang": _BOTH,
    "prints_forever": _BOTH,
    "ends_main_thread": _BOTH,
    "becomes_sleep": _BOTH,
    "null_dispatch": ("ocl-icd",),
    "wild_dispatch": _BOTH,
    "devices_hang": _BOTH,
    "devices_segv": _BOTH,
    "devices_error": _BOTH,
    "device_query_segv": _BOTH,
    "device_query_hang": _BOTH,
    "build_abort": _BOTH,
    "build_hang": _BOTH,
}


class _Setting(NamedTuple):
    """A folder of drivers, a home, and the variables of a person who has both."""

    vendors: Path
    libraries: Path
    home: Path
    kernels: Path

    def environment(self, **more: str) -> dict[str, str]:
        steering = (
            "OCL_",
            "OPENCL_",
            "LD_LIBRARY",
            "POCL_",
            "RUSTICL_",
            "CONDA_",
            "XDG_",
            "CLPROBE",
        )
        kept = {name: text for name, text in os.environ.items() if not name.startswith(steering)}
        return {
            **kept,
            "HOME": str(self.home),
            "OCL_ICD_VENDORS": str(self.vendors),
            "POCL_CACHE_DIR": str(self.kernels),
            "CLPROBE_UNRELATED": "stays",
            **more,
        }


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PoCL's cache, so that not every test waits for its compiler."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def setting(tmp_path: Path, kernels: Path) -> _Setting:
    """PoCL registered alone; every path holds a blank, a quote and a dollar sign."""
    if not POCL.exists() or shutil.which("clinfo") is None or shutil.which("cc") is None:
        pytest.skip("needs pocl-opencl-icd, clinfo, and gcc with libc6-dev")
    odd = tmp_path / "a person's $folder"
    made = _Setting(odd / "vendors", odd / "libraries", odd / "home", kernels)
    for folder in made:
        folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(POCL, made.vendors / "pocl.icd")
    return made


@pytest.mark.parametrize("loader", _BOTH)
@pytest.mark.parametrize("fault", _FATAL)
def test_clinfo_works_again(fault: str, loader: str, setting: _Setting) -> None:
    environment = setting.environment(**_with_loader(loader, setting))
    register_fault(fault, setting.vendors, setting.libraries)
    if loader in _FATAL[fault]:
        assert _why_clinfo_fails("clinfo", environment)
    assert _why_clinfo_fails(f'eval "$({_ENV})" && clinfo', environment) == ""


def test_of_two_drivers_that_clash_one_stays(setting: _Setting) -> None:
    register_clash(setting.vendors, setting.libraries)
    environment = setting.environment()
    assert _why_clinfo_fails("clinfo", environment)
    assert _why_clinfo_fails(f'eval "$({_ENV})" && clinfo', environment) == ""
    assert _kept(setting) in (["pocl.icd", "first.icd"], ["first.icd", "pocl.icd"])


@pytest.mark.parametrize("shell", _SHELLS)
@pytest.mark.parametrize("variable", ["set", "unset"])
def test_undo_restores_the_environment(shell: str, variable: str, setting: _Setting) -> None:
    if shutil.which(_SHELLS[shell][0]) is None:
        pytest.skip(f"needs {shell}")
    register_fault("ctor_abort", setting.vendors, setting.libraries)
    environment = setting.environment(OCL_ICD_FILENAMES="")
    if variable == "unset":
        del environment["OCL_ICD_FILENAMES"]
    script = f"""set -eu
        env -0 | sort -z > before
        eval "$({_ENV} 2>/dev/null)"
        eval "$({_ENV} 2>/dev/null)"
        test "$OCL_ICD_VENDORS" = "$CLPROBE_ENV_FOLDER"
        ls -ld "$OCL_ICD_VENDORS" > folder
        ls "$OCL_ICD_VENDORS" > files
        clinfo -l
        eval "$({_ENV} --undo)"
        env -0 | sort -z > after"""
    done = subprocess.run(
        [*_SHELLS[shell], "-c", script],
        env=environment,
        cwd=setting.home,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert _POCL in done.stdout
    assert (setting.home / "before").read_bytes() == (setting.home / "after").read_bytes()
    assert (setting.home / "folder").read_text().startswith("drwx------")
    assert (setting.home / "files").read_text() == "pocl.icd\n"
    # Parsed rules are kept there too, as files.
    left = (setting.home / ".cache" / "clprobe").iterdir()
    assert [path for path in left if path.is_dir()] == []


def test_fish_reads_its_own_lines(setting: _Setting) -> None:
    if shutil.which("fish") is None:
        pytest.skip("needs fish")
    register_fault("ctor_abort", setting.vendors, setting.libraries)
    script = f"""env -0 | sort -z > before
        {_ENV} --shell fish 2>/dev/null | source
        test $OCL_ICD_VENDORS = $CLPROBE_ENV_FOLDER; or exit 9
        clinfo -l; or exit 8
        {_ENV} --shell fish --undo | source
        env -0 | sort -z > after"""
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        env=setting.environment(),
        cwd=setting.home,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert _POCL in done.stdout
    assert (setting.home / "before").read_bytes() == (setting.home / "after").read_bytes()


def test_nothing_broken_exports_nothing(setting: _Setting) -> None:
    done = _env(setting)
    assert done.returncode == 0
    assert [line for line in done.stdout.splitlines() if not line.startswith("#")] == []


def test_a_driver_without_a_device_is_no_broken_one(setting: _Setting) -> None:
    register_fault("zero_devices", setting.vendors, setting.libraries)
    assert "OCL_ICD_VENDORS" not in _env(setting).stdout


def test_everything_broken_says_so_and_exits_with_1(setting: _Setting) -> None:
    (setting.vendors / "pocl.icd").unlink()
    register_fault("ctor_exit1", setting.vendors, setting.libraries)
    done = _env(setting)
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if not line.startswith("#")] == []
    assert "no driver is left" in done.stderr


def test_stdout_holds_shell_lines_only_whatever_a_driver_is_called(setting: _Setting) -> None:
    icd = register_fault("ctor_abort", setting.vendors, setting.libraries)
    icd.rename(icd.with_name("evil\n$(touch pwned)';touch pwned;'\x1b[31m.icd"))
    done = subprocess.run(
        ["sh", "-c", f'eval "$({_ENV})" && clinfo -l'],
        env=setting.environment(),
        cwd=setting.home,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert _POCL in done.stdout
    assert not (setting.home / "pwned").exists()
    assert "\x1b" not in done.stderr


def test_only_keeps_and_without_hides_what_they_name(setting: _Setting) -> None:
    register_fault("healthy", setting.vendors, setting.libraries)
    assert _kept(setting, "--only", "pocl") == ["pocl.icd"]
    assert _kept(setting, "--only", "Fixture") == ["broken.icd"]
    assert _kept(setting, "--without", "libpocl") == ["broken.icd"]
    wrong = _env(setting, "--only", "nothing-like-this")
    assert wrong.returncode == 2
    assert wrong.stdout == ""
    assert "broken.icd" in wrong.stderr


def test_a_relative_library_is_kept_by_its_whole_path(setting: _Setting) -> None:
    icd = register_fault("healthy", setting.vendors, setting.libraries)
    library = Path(icd.read_text().strip())
    icd.write_text(f"{library.name}\n")
    report = _json(setting, "--without", "pocl", LD_LIBRARY_PATH=str(library.parent))
    assert [one["library"] for one in report["kept"]] == [str(library)]


def test_a_folder_that_others_may_write_is_not_used(setting: _Setting) -> None:
    register_fault("ctor_abort", setting.vendors, setting.libraries)
    runtime = setting.home.parent / "runtime"
    runtime.mkdir(mode=0o700)
    assert "/runtime" in json.dumps(_json(setting, XDG_RUNTIME_DIR=str(runtime))["lines"])
    runtime.chmod(0o777)
    assert "/runtime" not in json.dumps(_json(setting, XDG_RUNTIME_DIR=str(runtime))["lines"])


def _with_loader(loader: str, setting: _Setting) -> dict[str, str]:
    """Return the variables that make programs load it; Khronos's must be on this machine."""
    if loader == "ocl-icd":
        return {}
    named = os.environ.get("CLPROBE_KHRONOS_LOADER")
    library = Path(named) if named else Path(sys.prefix, "lib", "libOpenCL.so.1")
    folder = setting.home / "khronos"
    folder.mkdir()
    (folder / "libOpenCL.so.1").symlink_to(library)
    variables = {"LD_LIBRARY_PATH": str(folder)}
    if not library.exists() or b"Khronos Group" not in library.read_bytes():
        pytest.skip("no Khronos loader; CLPROBE_KHRONOS_LOADER may name its libOpenCL.so.1")
    if _why_clinfo_fails("clinfo", setting.environment(**variables)):
        pytest.skip(f"clinfo does not run with {library}")
    return variables


def _why_clinfo_fails(command: str, environment: dict[str, str]) -> str:
    """Return what went wrong, nothing if it exits with 0 and shows PoCL."""
    # Some drivers print without end, which must not end up in this process.
    limited = f"timeout -k 1 {_LIMIT_S + 9} sh -c {shlex.quote(command)} 2>&1 | head -c 1000000"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", limited],
        env=environment,
        capture_output=True,
        check=False,
        timeout=_LIMIT_S + 15,
    )
    if done.returncode == 0 and _POCL.encode() in done.stdout:
        return ""
    return f"exit {done.returncode}: {done.stdout[-2000:].decode(errors='replace')}"


def _env(setting: _Setting, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "clprobe", "env", "--timeout", str(_LIMIT_S), *options],
        env=setting.environment(**more),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def _json(setting: _Setting, *options: str, **more: str) -> dict[str, list[dict[str, str]]]:
    return json.loads(_env(setting, "--json", *options, **more).stdout)


def _kept(setting: _Setting, *options: str) -> list[str]:
    return [one["file_name"] for one in _json(setting, *options)["kept"]]
