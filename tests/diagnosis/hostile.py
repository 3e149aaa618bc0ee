# SPDX-License-Identifier: MIT
"""Hostile texts, and a sandbox that tells which commands a shell makes of a printed line."""

import subprocess
from pathlib import Path
from typing import Any

MARK = "PWNED"
TYPED = (
    f"/x; touch {MARK}; #",
    f"/x $(touch {MARK})",
    f"/x`touch {MARK}`y",
    f"/x'; touch {MARK}; '",
    f'/x"; touch {MARK}; "',
    f"/x|e touch {MARK}",
    f"/x && touch {MARK} \\",
    f"-oAPT::Update::Pre-Invoke::=touch {MARK}",
    f"--option={MARK}",
    f"x-,;{MARK}-",
    f"/x  two  blanks {MARK}",
    f"/x*?[{MARK}]~!{{}}&>",
)
"""Texts that a line can show."""
UNSEEN = (
    f"/x\ntouch {MARK}\n",
    f"/x\n  Fix      touch {MARK}",
    f"/x\r\x1b]0;{MARK}\x07",
    f"/x\u202e{MARK}",
    f"/x\u2028touch {MARK}",
)
"""Texts with line ends, or with characters that nobody sees."""
NASTY = (*TYPED, *UNSEEN)


class Hostile(str):
    """A fact of any type: whatever is asked of it is the same text again."""

    __slots__ = ()

    def __getattr__(self, name: str) -> "Hostile":
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def commands_of(lines: list[str], folder: Path, programs: set[str]) -> list[tuple[str, ...]]:
    """Return which commands `sh` runs for the lines; every program is a stub that says its argv."""
    stubs, log = folder / "stubs", folder / "log"
    stubs.mkdir(exist_ok=True)
    for name in programs:
        stub = stubs / name
        stub.write_text(
            f"#!/bin/sh\nprintf '%s\\0' '{name}' \"$@\" >>'{log}'\nprintf '\\036' >>'{log}'\n"
        )
        stub.chmod(0o755)
    log.write_bytes(b"")
    work = folder / "work"
    work.mkdir(exist_ok=True)
    done = subprocess.run(
        ["/bin/sh", "-eu"],
        input="\n".join([*lines, ""]), capture_output=True, text=True, check=False, timeout=300,
        cwd=work, env={"PATH": str(stubs), "USER": "USER", "HOME": "/home/USER"},
    )  # fmt: skip
    # The linker says so of every stub for which LD_PRELOAD names no library.
    said = [one for one in done.stderr.splitlines() if not one.startswith("ERROR: ld.so: object")]
    assert (done.returncode, said) == (0, []), lines
    assert list(work.iterdir()) == [], lines
    records = log.read_bytes().decode("utf-8", "surrogateescape").split("\x1e")[:-1]
    return [tuple(record.split("\0")[:-1]) for record in records]


def with_hostile_texts(document: Any, nasty: str, spared: frozenset[str]) -> Any:
    """Return the document with `nasty` at the end of each text but those under spared keys."""
    if isinstance(document, dict):
        return {
            key: value if key in spared else with_hostile_texts(value, nasty, spared)
            for key, value in document.items()
        }
    if isinstance(document, list):
        return [with_hostile_texts(value, nasty, spared) for value in document]
    return document + nasty if isinstance(document, str) else document
