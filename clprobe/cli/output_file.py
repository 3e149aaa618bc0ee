# SPDX-License-Identifier: MIT
"""The file of `--output`: written whole, or not at all."""

import contextlib
import os
from pathlib import Path

import click

from clprobe.cli.output import NotWritten

STDOUT = "-"
"""As the file, it stands for standard output, where answers go anyway."""


def checked_folder(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Return the path of `--output` if its folder is there, None for standard output.

    Click calls this before any work.

    Raises: click.BadParameter if it is not; NotWritten if nothing can be written in it.
    """
    if path is None or str(path) == STDOUT:
        return None
    folder = path.absolute().parent
    if not folder.is_dir():
        raise click.BadParameter(f"the folder of {path} does not exist.")
    if not path.exists() and not os.access(folder, os.W_OK):
        raise NotWritten(str(path), PermissionError(0, f"you may not write in {folder}"))
    return path


def write_file(output: Path, text: str) -> None:
    """Write the file whole or not at all; what is no regular file is written through.

    Raises: NotWritten if that fails.
    """
    try:
        if output.exists() and not output.is_file():
            output.write_text(text, "utf-8")
        else:
            _replace(output.resolve(), text)
    except OSError as error:
        raise NotWritten(str(output), error) from error


def _replace(output: Path, text: str) -> None:
    import tempfile  # noqa: PLC0415 - few ask for a file, and all commands have the option

    # Not named after it: a name as long as names may be would grow too long.
    descriptor, name = tempfile.mkstemp(prefix=".clprobe-", dir=output.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
            # mkstemp is stricter than what the user's umask asks for.
            os.fchmod(file.fileno(), 0o666 & ~_umask())
        Path(name).replace(output)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
