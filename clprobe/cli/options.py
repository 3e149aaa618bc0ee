# SPDX-License-Identifier: MIT
"""Options that several commands have."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

_LEAST_S, _MOST_S = 0.1, 3600.0
F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def from_option(text: str) -> Callable[[F], F]:
    """Return --from, a file to read instead of this host; `text` is its help."""
    kind = click.Path(allow_dash=True)
    return click.option("--from", "source", metavar="FILE|-", type=kind, help=text)


def file_argument(command: F) -> F:
    """Add a file or folder as an argument, which is the same as --from."""
    kind = click.Path(allow_dash=True)
    return click.argument("file", metavar="[FILE|FOLDER]", required=False, type=kind)(command)


def only_source(file: str | None, source: str | None) -> str | None:
    """Return what is to be read: the argument or --from; None: this host.

    Raises: click.UsageError if both are there.
    """
    if file is not None and source is not None:
        raise click.UsageError(f"--from {source} and {file} are two things to read; leave one out.")
    return source if file is None else file


def timeout_option(text: str = "Seconds to wait for a driver,") -> Callable[[F], F]:
    """Return --timeout: how long a driver may take to answer; `text` begins its help."""
    return click.option(
        "--timeout",
        metavar="SECONDS",
        default="10.0",
        show_default=True,
        callback=_seconds,
        help=f"{text} from {_LEAST_S:g} to {_MOST_S:g}.",
    )


def _seconds(_: click.Context, __: click.Parameter, value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    # Comparisons with nan are False.
    if not _LEAST_S <= seconds <= _MOST_S:
        raise click.BadParameter(
            f"{value} is no number of seconds from {_LEAST_S:g} to {_MOST_S:g}."
        )
    return seconds
