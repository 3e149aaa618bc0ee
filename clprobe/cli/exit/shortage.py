# SPDX-License-Identifier: MIT
"""What a limit denied this process, in words: a limit is no bug of clprobe's, so no traceback."""

import errno
import resource
from collections.abc import Iterator

_NO_MEMORY = ("failed to map segment", "cannot allocate memory")


def shortage(error: BaseException) -> str | None:
    """Return what there was too little of and which limit to raise; None if that is not it."""
    for one in _with_causes(error):
        number = one.errno if isinstance(one, OSError) else None
        if number in (errno.EMFILE, errno.ENFILE):
            return _line("open no more files", "ulimit -n", resource.RLIMIT_NOFILE, 1)
        if isinstance(one, MemoryError) or number == errno.ENOMEM or _failed_to_load(one):
            return _line("have no more memory", "ulimit -v, in KiB,", resource.RLIMIT_AS, 1024)
        if number == errno.EAGAIN or _failed_to_start(one):
            return _line("start no more processes", "ulimit -u", resource.RLIMIT_NPROC, 1)
    return None


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _failed_to_load(error: BaseException) -> bool:
    return isinstance(error, ImportError) and any(words in str(error) for words in _NO_MEMORY)


def _failed_to_start(error: BaseException) -> bool:
    return isinstance(error, RuntimeError) and "start new thread" in str(error)


def _line(what: str, name: str, limit: int, unit: int) -> str:
    soft = resource.getrlimit(limit)[0]
    known = "is unlimited" if soft == resource.RLIM_INFINITY else f"is {soft // unit}"
    return f"not finished: this process may {what} ({name} {known}); raise the limit and try again"
