# SPDX-License-Identifier: MIT
"""What compilers have proved of the kernels, so that minutes of building are not repeated.

A proof holds for one compiler and for the files that decide what is built and what must hold of it:
the kernels, the code that asks for them, and these tests. Once one of them has changed, or with
CLPROBE_RENEW_PROOFS=1, which writes proofs.json anew, all is built again.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_FILE = Path(__file__).with_name("proofs.json")
_DECIDING = ("kernels", "clprobe/tensor", "tests/kernels")
_CASES = ("every_operation.py", "further_operations.py")
_ENDINGS = {".cl", ".h", ".py", ".yaml"}
RENEW = os.environ.get("CLPROBE_RENEW_PROOFS") == "1"


@contextmanager
def proof(name: str, compiler: str) -> Iterator[None]:
    """Skip what was proved with the same files and compiler; else remember it, if asked to."""
    digest = digest_of(files(), compiler)
    known = json.loads(_FILE.read_text("utf-8")) if _FILE.exists() else {}
    if not RENEW and known.get(name) == digest:
        pytest.skip(f"proved with these kernels and {compiler}; CLPROBE_RENEW_PROOFS=1 repeats it")
    yield
    if RENEW:
        _FILE.write_text(json.dumps({**known, name: digest}, indent=2, sort_keys=True) + "\n")


@cache
def files() -> dict[str, bytes]:
    """Return the files that decide, by their names below the clone."""
    found = [path for folder in _DECIDING for path in (_ROOT / folder).rglob("*")]
    found += [_ROOT / "tests/tensor" / name for name in _CASES]
    return {
        str(path.relative_to(_ROOT)): path.read_bytes()
        for path in sorted(found)
        if path.suffix in _ENDINGS
    }


def digest_of(contents: dict[str, bytes], compiler: str) -> str:
    """Return the SHA-256 of the files and of the compiler's name."""
    whole = hashlib.sha256(compiler.encode())
    for name, content in contents.items():
        whole.update(f"\0{name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def packages(*names: str) -> str:
    """Return installed Debian packages with their versions."""
    done = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${Package} ${Version}, ", *names],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout.rstrip(", ") or "a compiler of no package"
