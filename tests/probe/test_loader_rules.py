# SPDX-License-Identifier: MIT
"""Which ICDs a loader reads, as predicted and as real loaders list them."""

import subprocess
import sys
from pathlib import Path

import pytest
from asking import Build, environment

from clprobe.model.opencl import Icd, Loader
from clprobe.model.unknown import Unknown
from clprobe.probe.libraries import Libraries
from clprobe.probe.live_host import LiveHost
from clprobe.probe.opencl.icds import probe_icds
from clprobe.probe.opencl.loaders import probe_loaders

# Names the platforms of one loader as any program would, in a process of its own.
_LIST = """
import ctypes, sys
opened = ctypes.CDLL(sys.argv[1])
count = ctypes.c_uint(0)
opened.clGetPlatformIDs(0, None, ctypes.byref(count))
found = (ctypes.c_void_p * count.value)()
opened.clGetPlatformIDs(count, found, None)
for platform in found:
    text = ctypes.create_string_buffer(1024)
    opened.clGetPlatformInfo(ctypes.c_void_p(platform), 0x0902, 1024, text, None)
    print(text.value.decode())
"""
_POCL = "Portable Computing Language"
_NAMES = ("one", "two", "three", _POCL)
_KINDS = ("ocl-icd", "khronos", "pyopencl-wheel")

# What a user may set: {here} holds one.icd and a subfolder with two.icd, {library} is a third.
_SETTINGS = {
    "nothing": {},
    "vendors folder": {"OCL_ICD_VENDORS": "{here}"},
    "vendors folder with slash": {"OCL_ICD_VENDORS": "{here}/"},
    "vendors .icd file": {"OCL_ICD_VENDORS": "{here}/one.icd"},
    "vendors bare .icd name": {"OCL_ICD_VENDORS": "one.icd", "OPENCL_VENDOR_PATH": "{here}"},
    "vendors library": {"OCL_ICD_VENDORS": "{library}"},
    "vendors empty": {"OCL_ICD_VENDORS": ""},
    "vendors missing": {"OCL_ICD_VENDORS": "/nonexistent"},
    "vendor path folder": {"OPENCL_VENDOR_PATH": "{here}"},
    "vendor path .icd file": {"OPENCL_VENDOR_PATH": "{here}/one.icd"},
    "vendor path beside vendors": {
        "OPENCL_VENDOR_PATH": "/nonexistent",
        "OCL_ICD_VENDORS": "{here}",
    },
    "filenames": {"OCL_ICD_FILENAMES": "{library}"},
    "filenames beside vendors": {"OCL_ICD_FILENAMES": "{library}", "OCL_ICD_VENDORS": "{here}"},
}


@pytest.fixture
def here(build: Build, tmp_path: Path) -> Path:
    """A folder with one.icd, and with two.icd in a subfolder."""
    folder = tmp_path / "vendors"
    (folder / "sub").mkdir(parents=True)
    for name, place in (("one", folder), ("two", folder / "sub")):
        library = build(f"named_{name}", f'-DNAME="{name}"')
        (place / f"{name}.icd").write_text(f"{library}\n")
    return folder


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("setting", _SETTINGS)
def test_a_loader_lists_what_is_predicted(
    setting: str, kind: str, here: Path, build: Build
) -> None:
    third = build("named_three", '-DNAME="three"')
    variables = environment()
    for name, value in _SETTINGS[setting].items():
        variables[name] = value.format(here=here, library=third)
    host = LiveHost(variables)
    libraries = Libraries(host)
    loaders = probe_loaders(host, libraries)
    loader = next((found.facts for found in loaders if found.facts.kind == kind), None)
    if loader is None:
        pytest.skip(f"no {kind} loader on this machine")
    icds = [icd.facts for icd in probe_icds(host, libraries, loaders)]
    predicted = sorted(filter(None, (_platform(icd) for icd in icds if _reads(loader, icd))))
    assert predicted == [name for name in _listed(loader, variables) if name in _NAMES]


def test_a_khronos_loader_that_does_not_name_its_maker_is_known_by_its_variable(
    tmp_path: Path,
) -> None:
    # CUDA 13 brings such a copy; these are its texts.
    texts = (b"/etc/OpenCL/vendors/", b"OCL_ICD_FILENAMES", b"OCL_ICD_VENDORS")
    (tmp_path / "libOpenCL.so.1").write_bytes(b"\0" + b"\0".join(texts) + b"\0")
    host = LiveHost(environment(LD_LIBRARY_PATH=str(tmp_path), OCL_ICD_FILENAMES="a.so:b.so"))

    loaders = probe_loaders(host, Libraries(host))
    found = next(loader for loader in loaders if loader.facts.path.startswith(str(tmp_path)))
    icds = {icd.facts.path: icd.facts for icd in probe_icds(host, Libraries(host), loaders)}

    assert found.facts.kind == "khronos"
    assert found.search.folders == ("/etc/OpenCL/vendors",)
    assert found.search.entries == ("a.so", "b.so")
    assert icds["a.so"].file_type == "library"
    assert icds["a.so"].answer.stage == "library"


def _reads(loader: Loader, icd: Icd) -> bool:
    assert isinstance(icd.searched_by, tuple)
    return loader.path in icd.searched_by


def _platform(icd: Icd) -> str | None:
    """Return the name of the platform that an ICD gives, for those that are compared."""
    path = icd.library.path
    if isinstance(path, Unknown) or path is None:
        return None
    if "libnamed_" in path:
        return path.rpartition("libnamed_")[2].removesuffix(".so")
    return _POCL if "libpocl" in path else None


def _listed(loader: Loader, variables: dict[str, str]) -> list[str]:
    # The Khronos loader of Intel's wheel needs libraries beside it that it does not name.
    more = {"LD_LIBRARY_PATH": str(Path(loader.path).parent)}
    if loader.kind == "pyopencl-wheel":
        more["PYOPENCL_HOME"] = str(Path(loader.path).parents[1])
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _LIST, loader.path],
        env={**variables, **more},
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    return sorted(result.stdout.splitlines())
