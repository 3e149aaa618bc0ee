# SPDX-License-Identifier: MIT
"""Finds the runs of clinfo in a text: where each starts, what belongs to it, how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from clprobe.knowledge.printed import Forms
from clprobe.paste.clinfo.lines import Lines
from clprobe.paste.clinfo.tokens import Token

_FORMS = Forms("clinfo")
NEO_ABORT = "Abort was called at "
"""How Intel's driver starts its last words; the next line names the file."""

_LONGEST_GAPS = {"amd": 2}
_LONGEST_GAP = 12
_STARTING_QUERIES = ("CL_PLATFORM_NAME", "CL_DEVICE_NAME", "CL_ICDL_NAME", "CL_ICDL_VERSION")
_ENOUGH_QUERIES = 3


@dataclass
class Run:
    """The lines of one run while they are gathered."""

    form: str = ""
    tokens: list[Token] = field(default_factory=list)
    foreign: list[int] = field(default_factory=list)
    signal: str = ""
    deaths: list[int] = field(default_factory=list)
    gap: list[int] = field(default_factory=list)
    in_loader: bool = False
    has_answer: bool = False
    last_platform: int = -1
    last_device: int = -1

    def take(self, token: Token) -> None:
        """Add a line; what stood between it and the one before belongs to the run, too."""
        self.tokens.append(token)
        self.foreign += self.gap
        self.gap = []
        self.form = self.form or token.form
        self.in_loader = self.in_loader or token.name.startswith("CL_ICDL_")
        self.has_answer = self.has_answer or token.kind != "failure"
        if token.kind == "tree-platform":
            self.last_platform = int(token.owner[1])

    def is_evident(self) -> bool:
        """Tell whether the lines can hardly be of anything but clinfo."""
        strict = [token for token in self.tokens if token.is_strict]
        if any(token.kind not in ("query", "other") for token in strict):
            return True
        if self.form == "amd":
            return False
        if any(token.name in _STARTING_QUERIES for token in strict):
            return True
        return sum(token.kind == "query" for token in strict) >= _ENOUGH_QUERIES


def split(lines: Lines, taken: frozenset[int]) -> list[Run]:
    """Return the runs among the lines, but for the lines that are already taken."""
    runs: list[Run] = []
    run = Run()
    following = _following(lines)
    for index, line in enumerate(lines.texts):
        token = lines.tokens[index]
        if index in taken:
            run = _closed(runs, run)
        elif index in lines.continuations or (token is None and not line.strip()):
            continue
        elif token is None:
            run = _with_foreign_line(runs, run, index, line)
        elif _belongs(run, token, following[index]):
            run.take(token)
        elif _starts(token, following[index]):
            run = _closed(runs, run)
            run.take(token)
        elif run.tokens:
            run.gap.append(index)
    _closed(runs, run)
    return runs


def _closed(runs: list[Run], run: Run) -> Run:
    if run.tokens and run.is_evident():
        runs.append(run)
    return Run()


def death_of(line: str) -> str:
    """Return the signal that a line of a shell tells of; empty if it tells of none."""
    if _FORMS.spoken.search(line[:300]):
        return ""
    return _FORMS.meaning("deaths", line[:300]) or ""


def _with_foreign_line(runs: list[Run], run: Run, index: int, line: str) -> Run:
    """Keep a line that clinfo does not print for the run, or end the run by it."""
    if not run.tokens:
        return run
    line = line.strip()[:300]
    is_where = run.signal == "SIGABRT" and line.endswith(".cpp")
    if line.startswith(NEO_ABORT) or is_where:
        run.signal = "SIGABRT"
        run.foreign += [*run.gap, index]
        run.gap = []
        return run
    signal = death_of(line)
    if signal:
        run.signal = run.signal or signal
        run.deaths.append(index)
        run.foreign += run.gap
        run.gap = []
        return run
    if _FORMS.end.match(line) or len(run.gap) >= _LONGEST_GAPS.get(run.form, _LONGEST_GAP):
        return _closed(runs, run)
    run.gap.append(index)
    return run


def _belongs(run: Run, token: Token, following: Token | None) -> bool:
    if not run.tokens or run.deaths:
        return False
    if token.kind == "failure":
        return True
    if not run.has_answer or token.kind == "platforms":
        return not run.has_answer and _starts(token, following)
    if token.kind == "tree-platform":
        return int(token.owner[1]) == run.last_platform + 1 and run.form == "tree"
    is_doubtful = token.kind == "query" and not token.is_strict and bool(run.gap)
    if is_doubtful or (run.in_loader and not _is_of_loader(token)):
        return False
    also = ("null", "loader", "note") if run.form == "raw" else ()
    return token.form == run.form or token.kind in also


def _is_of_loader(token: Token) -> bool:
    return token.name.startswith("CL_ICDL_") or token.kind in ("note", "other", "loader")


def _starts(token: Token, following: Token | None) -> bool:
    """Tell whether a run may start here; a driver's name can forge a count of platforms."""
    if token.kind == "platforms":
        if following is None or following.kind in ("platforms", "failure", "loader"):
            return True
        if int(token.value) == 0:
            return following.name.startswith("CL_ICDL_")
        begins = ("CL_PLATFORM_NAME",) if token.form != "amd" else ("CL_PLATFORM_",)
        return following.name.startswith(begins)
    if token.kind in ("devices", "failure", "tree-platform"):
        return True
    # Labels of AMD's clinfo, such as Name, stand in the output of many programs.
    is_common = token.form == "amd" and not token.name.startswith("CL_PLATFORM_")
    return token.kind == "query" and token.is_strict and not is_common


def _following(lines: Lines) -> Sequence[Token | None]:
    """Return for each line what the next line that is not empty says; None: nothing of clinfo."""
    following: list[Token | None] = [None] * len(lines.tokens)
    last: Token | None = None
    for index in range(len(lines.tokens) - 1, -1, -1):
        following[index] = last
        token = lines.tokens[index]
        if index not in lines.continuations and (token is not None or lines.texts[index].strip()):
            last = token
    return following
