# SPDX-License-Identifier: MIT
"""find(): what clprobe, and libraries on its behalf, left on this machine for this user."""

import os
import re
import shlex
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from clprobe import derived, parsed_files
from clprobe.model.leftovers import Kind, LeftOver
from clprobe.private_files import cache_folder
from clprobe.private_folders import why_not_private

# No run takes a day.
_ABANDONED_SECONDS = 86400
_TEMPORARY = re.compile("clprobe-(bench-|watch-)?[a-z0-9_]{8}")
_SYSTEM_JOURNALS = Path("/var/lib/clprobe")

_CACHES = (
    (
        parsed_files.NAMES,
        "the parsed rules of one installation, which make each command start faster",
    ),
    (parsed_files.OF_TABLES, "the parsed tables of one installation, for the same"),
    (derived.NAMES, "what one installation computed of its rules and tables, to answer faster"),
    ("single-file-*", "what a release of the single file unpacked, from where it runs"),
    ("kernels", "kernels that bench compiled, at most 256 MiB"),
    ("known-answers", "what doctor's kernel was compiled to for devices, and what pyopencl saw"),
    ("counter", "the library with which doctor looks into programs, where a wheel brought none"),
    ("tuned", "the fastest kernels of each device, measured by bench --tune"),
)
_OF_LIBRARIES = (
    ("pocl", "kernels that PoCL compiled, for bench and for other programs"),
    ("pytools", "code that PyOpenCL generated, for bench and for other programs"),
    ("pyopencl", "kernels that PyOpenCL compiled, for other programs"),
    ("neo_compiler_cache", "kernels that Intel's driver compiled, for any program"),
    ("mesa_shader_cache", "kernels and shaders that Mesa compiled, for any program"),
)
ENVIRONMENTS = (
    *("pytorch", "openvino", "onnxruntime-openvino", "llama-cpp", "tinygrad", "netcl"),
    *("clprobe-tensor", "opencl-on-cpu"),
)
"""What plans install into environments of their own, each in the folder NAME-venv."""


def find() -> tuple[LeftOver, ...]:
    """Return all there is: first what `--clear` removes, last what belongs to libraries."""
    found = (*_own_caches(), *_sessions(), *_temporary(), *_kept(), *_of_libraries())
    return tuple(sorted(found, key=lambda one: not one.is_cleared))


def _own_caches() -> Iterator[LeftOver]:
    folder = cache_folder()
    for pattern, purpose in _CACHES:
        for path in sorted(folder.glob(pattern)):
            private = path if _is_folder(path) else folder
            yield _entry(path, "cache", purpose, problem=why_not_private(private))


def _sessions() -> Iterator[LeftOver]:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    folders = [Path(runtime, "clprobe")] if runtime.startswith("/") else []
    for path in (path for one in (*folders, cache_folder()) for path in sorted(one.glob("env-*"))):
        is_over = _is_over(path.name.partition("-")[2])
        state = "has ended" if is_over else "may still use it"
        purpose = f"the drivers that clprobe env chose for a shell, which {state}"
        yield _entry(path, "session", purpose, safe=is_over, problem=why_not_private(path))


def _is_over(process: str) -> bool:
    return Path("/proc/self").exists() and not Path("/proc", process).exists()


def _temporary() -> Iterator[LeftOver]:
    folder = Path(tempfile.gettempdir())
    for path in sorted(one for one in folder.glob("clprobe-*") if _TEMPORARY.fullmatch(one.name)):
        try:
            status = path.lstat()
        except OSError:
            continue
        if status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode):
            continue
        is_old = time.time() - status.st_mtime > _ABANDONED_SECONDS
        state = "was killed" if is_old else "was killed or is at work"
        yield _entry(path, "temporary", f"files of a clprobe that {state}", safe=is_old)


def _kept() -> Iterator[LeftOver]:
    stated = os.environ.get("XDG_STATE_HOME", "")
    state = Path(stated) if stated.startswith("/") else _home() / ".local/state"
    for path in (_SYSTEM_JOURNALS, state / "clprobe"):
        if _is_folder(path):
            purpose = "journals of --apply and --fix, without which --undo can do nothing"
            yield _entry(path, "journal", purpose, safe=False)
    environments = [_home() / f"{name}-venv" for name in ENVIRONMENTS]
    for path in (_home() / ".local/share/clprobe", *environments):
        if _is_folder(path):
            purpose = "what install-plan --apply installed into your home folder"
            undo = "clprobe install-plan --undo"
            yield _entry(path, "environment", purpose, safe=False, remove_with=undo)


def _of_libraries() -> Iterator[LeftOver]:
    base, stated = cache_folder().parent, os.environ.get("POCL_CACHE_DIR", "")
    found = {base / name: purpose for name, purpose in _OF_LIBRARIES}
    found[_home() / ".nv/ComputeCache"] = "kernels that NVIDIA's driver compiled, for any program"
    for path, purpose in found.items():
        place = Path(stated) if path.name == "pocl" and stated.startswith("/") else path
        if _is_folder(place):
            yield _entry(place, "library-cache", purpose)


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir() raises below a closed folder


def _home() -> Path:
    return Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises where there is none


def _entry(  # noqa: PLR0913 - the parts of one line
    path: Path,
    kind: Kind,
    purpose: str,
    *,
    safe: bool = True,
    remove_with: str | None = None,
    problem: str | None = None,
) -> LeftOver:
    size, files = _measured(path)
    return LeftOver(
        path=str(path),
        kind=kind,
        purpose=purpose,
        bytes=size,
        files=files,
        safe_to_remove=safe,
        is_cleared=safe and kind in ("cache", "session") and problem is None,
        remove_with=remove_with or (f"rm -r {shlex.quote(str(path))}" if safe else None),
        problem=None if problem is None else f"not used, for {problem}",
    )


def _measured(path: Path) -> tuple[int, int]:
    """Return how many bytes there are in how many files; what cannot be seen is left out."""
    if not _is_folder(path) or path.is_symlink():
        return (path.lstat().st_size, 1) if os.path.lexists(path) else (0, 0)
    size = files = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                size += os.lstat(Path(folder, name)).st_size
            except OSError:
                continue
            files += 1
    return size, files
