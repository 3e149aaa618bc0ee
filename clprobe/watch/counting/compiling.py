# SPDX-License-Identifier: MIT
"""compile_library(): the sources beside this file, made into a library by the C compiler there is.

Building a wheel runs this file alone, before anything that clprobe needs is installed.
"""

import hashlib
import os
import platform
import shutil
import struct
import subprocess
from pathlib import Path

TIME_LIMIT_S = 30.0
_SOURCE = Path(__file__).with_name("source")
_COMPILERS = ("cc", "gcc", "clang")
# There is no C library: see source/system.h. One segment less is one mapping less in each process.
_OPTIONS = (
    "-std=c99", "-O2", "-fPIC", "-shared", "-s", "-fvisibility=hidden",
    "-ffreestanding", "-fno-stack-protector", "-nostdlib", "-Wl,-z,defs", "-Wl,-z,noseparate-code",
)  # fmt: skip
# What gcc calls for atomic operations on Arm; elsewhere it need not be there.
_LIBRARIES = ("-lgcc",) if platform.machine() == "aarch64" else ()
# Where the dynamic linker writes addresses into the dynamic section: see source/audit.c.
_MACHINES = ("x86_64", "aarch64")
_LONGEST_REASON = 300


class NotMadeError(Exception):
    """Why there is no library, in words for the user."""


def why_not_here() -> str | None:
    """Return why programs on this machine cannot be counted at all; None if they can."""
    try:
        libc = os.confstr("CS_GNU_LIBC_VERSION")
    except (OSError, ValueError):
        libc = None
    if not libc:
        return "kernels are counted through glibc, and Python runs on another C library, as musl"
    machine = platform.machine()
    if machine not in _MACHINES or struct.calcsize("P") != 8:
        bits = 8 * struct.calcsize("P")
        return f"kernels are counted on {' and '.join(_MACHINES)} only, not {bits}-bit {machine}"
    return None


def library_name() -> str:
    """Return the file name of the library, which tells what it is made of."""
    made_of = [" ".join(_OPTIONS).encode(), platform.machine().encode()]
    made_of += [path.name.encode() + b"\0" + path.read_bytes() for path in _files()]
    return f"count-{hashlib.sha256(bytes(1).join(made_of)).hexdigest()[:16]}.so"


def compile_library(target: Path, limit_s: float | None = None) -> None:
    """Write the library to `target`.

    Raises: NotMadeError
    """
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        raise NotMadeError(f"there is no C compiler ({', '.join(_COMPILERS)}) to make the counter")
    files = [str(path) for path in _files() if path.suffix == ".c"]
    limit_s = TIME_LIMIT_S if limit_s is None else limit_s
    try:
        done = subprocess.run(
            [compiler, *_OPTIONS, *files, *_LIBRARIES, "-o", str(target)],
            env=os.environ | {"LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotMadeError(f"{compiler} was not done after {limit_s:g} s") from None
    except OSError as error:
        raise NotMadeError(f"{compiler} cannot be run: {error.strerror}") from error
    if done.returncode != 0 or not target.is_file():
        said = _error_in(done.stdout.decode("utf-8", "replace"))
        raise NotMadeError(f"{compiler} could not make the counter: {said}")


def _files() -> list[Path]:
    return sorted(path for path in _SOURCE.iterdir() if path.suffix in (".c", ".h"))


def _error_in(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["it said nothing"]
    line = next((line for line in lines if "error" in line or "cannot" in line), lines[0])
    return "".join(one if one.isprintable() else "?" for one in line[:_LONGEST_REASON])
