# SPDX-License-Identifier: MIT
"""Damages snapshots, rules and reports at random, and checks what clprobe makes of them.

`python tests/cli/mutated_files.py KIND COUNT [SEED]` does as many as wanted; the suite does few.
"""

import copy
import json
import os
import random
import re
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[2]
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# Folders in which anybody may put a file; no remedy may name one.
OPEN_TO_ALL = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108 - looked for, not used
# Bytes that readers stumble over: quotes, ends, escapes, deep, long, wrong and hostile ones.
CHUNKS = (
    b"\x00", b"\x1b[31m", b"\xff\xfe", b"\xe2\x80\xae", b"\xc2\x9b", b"\\u001b]0;x\\u0007", b"\n",
    b"'", b'"', b"{", b"[", b"]", b"}", b": ", b"- ", b"&a ", b"*a", b"!!python/name:os.system",
    b"? [a]\n", b"<<: ", b"NaN", b"1e999", b"-1", b"9" * 5000, b"[" * 3000, b"$(id)", b"; id",
    b"null", b"\t", b"\r", b"\xef\xbb\xbf", b"%YAML 9.9\n", b"---\n", b"|\n ", b"0x", b"\\ud800",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 2**64, 1.5, "", "x" * 2000, "\x1b[31m\u202e\x9b", "a\nb", [], {}, [[]],
    {"unknown": "\x1b]0;x\x07"}, "'; id; '", "$(id)", "/../..", "0000:00:02.0", "8086:5917", [None],
)  # fmt: skip


class Case(NamedTuple):
    """What came of one damaged file."""

    kind: str
    status: int
    seconds: float


@cache
def seeds(kind: str) -> tuple[bytes, ...]:
    """Return sound files of this kind."""
    if kind == "rules":
        return tuple(path.read_bytes() for path in sorted(ROOT.glob("rules/*/*.yaml")))
    if kind == "reports":
        sys.path.insert(0, str(ROOT / "tests/bench"))
        from invented_reports import full_report  # noqa: PLC0415 - beside the bench's tests

        from clprobe.model.bench_codec import SCHEMA  # noqa: PLC0415
        from clprobe.report.as_json import document  # noqa: PLC0415

        return (document(SCHEMA, full_report()).encode(),)
    found = []
    for path in sorted(ROOT.glob("rules/*/*.cases.yaml")):
        cases = yaml.safe_load(path.read_text("utf-8"))
        bases = [cases.get("base"), *(one.get("snapshot") for one in cases["cases"])]
        found += [{"schema": "clprobe.snapshot/1", **base} for base in bases if base]
    write: Callable[[Any], str] = json.dumps if kind == "json" else yaml.safe_dump
    return tuple(write(one).encode() for one in found)


def damaged(chance: random.Random, kind: str) -> bytes:
    """Return one file of this kind with one to four mistakes in it."""
    data = chance.choice(seeds(kind))
    if kind in {"json", "reports"} and chance.random() < 0.5:
        document = json.loads(data)
        for _ in range(chance.randrange(1, 4)):
            change(chance, document)
        return json.dumps(document).encode("utf-8", "replace")
    for _ in range(chance.randrange(1, 5)):
        data = with_bytes_changed(chance, data)
    return data


def change(chance: random.Random, document: Any) -> None:
    """Change, remove or rename something in a document, somewhere."""
    here = document
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not keys:
            return
        key = chance.choice(keys)
        inner = here[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.8:
            here = inner
            continue
        if chance.random() < 0.2 and isinstance(here, dict):
            here[f"{key}\x1b[31m"] = here.pop(key)
        else:
            alike = [one for one in VALUES if type(one) is type(inner)]
            wanted = alike if alike and chance.random() < 0.7 else VALUES
            here[key] = copy.deepcopy(chance.choice(wanted))
        return


def with_bytes_changed(chance: random.Random, data: bytes) -> bytes:
    """Return the data with some bytes flipped, cut out, repeated or put in."""
    at = chance.randrange(len(data) + 1)
    end = min(len(data), at + chance.randrange(1, 60))
    how = chance.randrange(5)
    if how == 0 and at < len(data):
        return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
    if how == 1:
        return data[:at] + data[end:]
    if how == 2:
        return data[:at] + data[at:end] * chance.randrange(2, 9) + data[end:]
    if how == 3:
        return data[: max(at, 1)]
    return data[:at] + chance.choice(CHUNKS) + data[at:]


def run(argv: list[str]) -> tuple[int, str]:
    """Return status and output of a command run in this process; tracebacks are raised."""
    from clprobe.cli.main import main  # noqa: PLC0415 - slow, and not needed to make files

    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8") for _ in range(2))
    status = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(argv)
        except SystemExit as stop:
            status = int(stop.code or 0)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return status, "".join(texts)


COMMANDS = {
    "json": ("doctor", "--json", "--from", "FILE"),
    "yaml": ("doctor", "--json", "--from", "FILE"),
    "baseline": ("doctor", "--json", "--from", "SOUND", "--baseline", "FILE"),
    "rules": ("rules", "validate", "FILE"),
    "reports": ("bench", "--compare", "SOUND", "FILE"),
}


def check(kind: str, count: int, seed: int) -> Iterator[Case]:
    """Yield what came of each file.

    Raises: AssertionError for what must not be, with the file as it was.
    """
    chance = random.Random(seed)  # noqa: S311 - no secret
    _sound()  # looks at every sound snapshot, which is no part of the time that a damaged one takes
    of = "json" if kind == "baseline" else kind
    with tempfile.TemporaryDirectory() as folder:
        file, sound = Path(folder, "damaged.yaml"), Path(folder, "sound.json")
        sound.write_bytes(seeds(of)[0])
        words = {"FILE": str(file), "SOUND": str(sound)}
        argv = [words.get(word, word) for word in COMMANDS[kind]]
        for _ in range(count):
            data = damaged(chance, of)
            file.write_bytes(data)
            begun = time.process_time()
            try:
                status, text = run(argv)
                assert status in {0, 1, 2, 3}, status
                assert not STEERING.search(text), STEERING.search(text)
                _check_remedies(text)
            except Exception as error:
                raise AssertionError(f"{kind}: {error!r} for {data[:3000]!r}") from error
            yield Case(kind, status, time.process_time() - begun)


class Command(NamedTuple):
    """One command of a remedy, as a shell would run it."""

    program: str
    options: frozenset[str]
    words: tuple[str, ...]


@cache
def _sound() -> tuple[frozenset[str], frozenset[str]]:
    """Return the programs and options that remedies of sound snapshots name."""
    with tempfile.TemporaryDirectory() as folder:
        file, found = Path(folder, "x.json"), []
        for data in seeds("json"):
            file.write_bytes(data)
            found += _commands(run(["doctor", "--json", "--from", str(file)])[1])
    programs = frozenset(one.program for one in found)
    return programs, frozenset(option for one in found for option in one.options)


def _commands(text: str) -> list[Command]:
    """Return the commands of all remedies; those within a shell's script one by one.

    Raises: AssertionError for a script that substitutes what a command prints
    """
    if not text.startswith("{"):
        return []
    findings = json.JSONDecoder().raw_decode(text)[0].get("findings", [])
    remedies = [remedy for finding in findings for remedy in finding["remedies"]]
    return [one for remedy in remedies for one in _simple_commands(remedy.get("argv") or [])]


def _simple_commands(argv: list[str]) -> Iterator[Command]:
    if len(argv) == 3 and argv[:2] in (["sh", "-c"], ["bash", "-c"]):
        bare = re.sub("'[^']*'", "''", argv[2])
        assert not re.search(r"[$]\(|`", bare), argv
        lexer = shlex.shlex(argv[2], posix=True, punctuation_chars=True)
        lexer.commenters = ""
        inner: list[str] = []
        for token in [*lexer, ";"]:
            if token and set(token) <= set(";|&()"):
                yield from _simple_commands(inner)
                inner = []
            else:
                inner.append(token)
    elif argv:
        options = frozenset(word for word in argv[1:] if word.startswith("-"))
        yield Command(argv[0], options, tuple(argv[1:]))


def _check_remedies(text: str) -> None:
    """Assert that no remedy runs a program or gives it an option that the damage brought in."""
    commands = _commands(text)
    programs, options = _sound() if commands else (frozenset(), frozenset())
    for one in commands:
        assert one.program in programs, one
        assert one.options <= options, one
        # clprobe's own commands name the file that was read.
        open_to_all = [word for word in one.words if word.startswith(OPEN_TO_ALL)]
        assert one.program == "clprobe" or not open_to_all, one
        assert not any(STEERING.search(word) for word in one.words), one


if __name__ == "__main__":
    os.environ.setdefault("NO_COLOR", "1")
    wanted, number = sys.argv[1], int(sys.argv[2])
    seen = list(check(wanted, number, int(sys.argv[3]) if len(sys.argv) > 3 else 14))
    statuses = dict(sorted(Counter(case.status for case in seen).items()))
    slowest = max(case.seconds for case in seen)
    sys.stdout.write(f"{wanted}: {len(seen)} files, statuses {statuses}, slowest {slowest:.2f} s\n")
