# SPDX-License-Identifier: MIT
"""Where answers and errors go; what cannot be written is said in one line, with its own status.

A full disk, a closed standard output and a reader that went away show only in `write`, deep in
other libraries, and click takes such an error for its own. So both streams are wrapped while a
command runs: standard output raises `NotWritten`; standard error, which only tells how things go,
is done without.
"""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO

import click

from clprobe.cli.exit import codes as exit_codes
from clprobe.model.errors import ClprobeError
from clprobe.report.escaping import safe, safe_line


class NotWritten(Exception):  # noqa: N818 - says what happened
    """What could not be written, and why. No OSError, which others would catch."""

    def __init__(self, what: str, error: OSError) -> None:
        super().__init__(f"{what} cannot be written: {error.strerror or error}")


class _ReaderGone(NotWritten):
    """Whoever read has read enough, as in `clprobe info | head -1`."""


def answering(run: Callable[[], int]) -> int:
    """Return the exit status of `run` once all that it printed is written.

    It is 0 if the reader of standard output went away, and 3, after one line on standard error,
    if the answer could not be written.
    """
    _fill_low_descriptors()
    answer, chatter = sys.stdout or _closed(), sys.stderr or _closed()
    former = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Answer(answer), _Chatter(chatter)
    try:
        return _written(run)
    except _ReaderGone:
        return exit_codes.OK
    except NotWritten as error:
        click.echo(f"clprobe: {safe_line(str(error))}.", err=True)
        return exit_codes.UNDECIDED
    finally:
        sys.stdout, sys.stderr = former
        _let_go(answer)
        _let_go(chatter)


def print_document(text: str) -> None:
    """Print a document for programs in UTF-8, whatever the terminal or the locale speaks."""
    click.echo(text.encode("utf-8", "backslashreplace"), nl=False)


def show_error(error: ClprobeError) -> None:
    """Print what is wrong and what to do."""
    click.echo(f"error  {error.reference}\n  {safe_line(error.message)}", err=True)
    if error.hint:
        click.echo(f"  fix: {safe_line(error.hint)}", err=True)


def show_mistake(error: ClprobeError) -> None:
    """Print a mistake in a file, in the form that editors jump to."""
    click.echo(safe_line(error.message), err=True)
    if error.hint:
        click.echo(f"  fix: {safe_line(error.hint)}", err=True)


def show_usage_error(error: click.ClickException) -> None:
    """Print what click has to say of the command line."""
    text = io.StringIO()
    error.show(file=text)
    click.echo(safe(text.getvalue()), nl=False, err=True)


def _written(run: Callable[[], int]) -> int:
    try:
        return run()
    finally:
        sys.stdout.flush()


def _fill_low_descriptors() -> None:
    """Open what is closed of 0, 1 and 2: else the next file gets that number, and foreign text."""
    with contextlib.suppress(OSError):
        descriptor = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
        while descriptor <= 2:
            descriptor = os.dup(descriptor)
        os.close(descriptor)


def _let_go(stream: TextIO) -> None:
    """Flush, and drop what cannot be written: Python would complain about it as it ends."""
    try:
        stream.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class _Stream:
    """A text stream, or the bytes below it, whose failures `_failed` hears."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, data: Any) -> int:
        """Write, and return how much of `data` that was."""
        try:
            return int(self._stream.write(data))
        except OSError as error:
            self._failed(error)
            return len(data)

    def writelines(self, lines: Iterable[Any]) -> None:
        """Write each of the lines."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Hand on what is still held back."""
        try:
            self._stream.flush()
        except OSError as error:
            self._failed(error)

    @property
    def buffer(self) -> "_Stream":
        """The stream of bytes below."""
        return type(self)(self._stream.buffer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _failed(self, error: OSError) -> None:
        raise NotImplementedError


class _Answer(_Stream):
    def _failed(self, error: OSError) -> None:
        kind = _ReaderGone if error.errno == errno.EPIPE else NotWritten
        raise kind("standard output", error) from error


class _Chatter(_Stream):
    def _failed(self, error: OSError) -> None:
        """Go on: nobody reads it."""


class _Closed(io.RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, _: Any, /) -> int:
        raise OSError(errno.EBADF, "it is closed")


def _closed() -> TextIO:
    """Return what stands for a stream that was closed when Python started."""
    return io.TextIOWrapper(_Closed(), encoding="utf-8", write_through=True)  # type: ignore[type-var]
