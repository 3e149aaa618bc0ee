# SPDX-License-Identifier: MIT
"""What compilers of drivers complained of, and which files they missed that are there outside."""

import os
from collections.abc import Iterable, Iterator

from clprobe.knowledge.printed import Forms
from clprobe.watch.links import Links

_FORMS = Forms("builds")
_LONGEST = 200
_MOST = 4


def first_errors(traces: Iterable[Links]) -> tuple[str, ...]:
    """Return the first error of each build log, each once, without the file where it stands."""
    logs = (log for one in traces for log in one.complaints)
    return tuple(dict.fromkeys(filter(None, map(_first_error, logs))))[:_MOST]


def _first_error(log: str) -> str:
    lines = [" ".join(line.split()) for line in log.splitlines() if line.strip()]
    found = next((line for line in lines if _FORMS.error.search(line)), "".join(lines[:1]))
    return _FORMS.place.sub("", found).strip()[:_LONGEST]


def headers_in(texts: Iterable[str]) -> Iterator[str]:
    """Yield the files that compilers did not find."""
    for text in texts:
        for found in _FORMS.absent.finditer(text):
            yield next(name for name in found.groups() if name)


def hidden_files(complaints: Iterable[str], trace: Links | None) -> tuple[str, ...]:
    """Return the files that were missed and are there in our view of files.

    Libraries count that are asked for by their paths, as drivers ask for parts of their own.
    """
    wished = (
        () if trace is None else (wish.name for wish in trace.refused if ".so" in wish.asked_by)
    )
    paths = (path for path in (*headers_in(complaints), *wished) if path.startswith("/"))
    return tuple(dict.fromkeys(os.path.realpath(path) for path in paths if os.path.exists(path)))  # noqa: PTH110 - paths are texts here
