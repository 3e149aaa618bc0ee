# SPDX-License-Identifier: MIT
"""`--output FILE`: a command's answer goes to a file, laid out as its suffix says."""

import io
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from clprobe.cli.output_file import checked_folder, write_file
from clprobe.model.errors import ClprobeError

F = TypeVar("F", bound=Callable[..., Any])
_FORMS = {
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".prom": "prometheus",
    ".sarif": "sarif",
    ".sh": "sh",
    ".xml": "junit",
}
_NEEDING_A_FORM = {".html", ".json", ".md", ".sarif"}
"""What only holds one format, whatever the command."""
_ACTING = {"applies": "--apply", "fixes": "--fix", "undoes": "--undo"}


def output_option(call: F) -> F:
    """Add --output to a command that prints its answer.

    Where the command fails nothing is written, unless it printed a document that says so.
    """

    @wraps(call)
    def answering(*arguments: Any, output: Path | None, **named: Any) -> Any:
        if output is None:
            return call(*arguments, **named)
        asker = next((name for key, name in _ACTING.items() if named.get(key)), None)
        if asker is not None and not named.get("yes"):
            raise click.UsageError(
                f"--output goes with {asker} only where --yes does: who is asked must see what for."
            )
        return _kept(output, lambda: call(*arguments, **_laid_out(output, named)))

    option = click.option(
        "--output",
        metavar="FILE|-",
        type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
        callback=checked_folder,
        help="Write the answer to FILE, as its suffix says, instead of stdout.",
    )
    return option(answering)  # type: ignore[return-value]


def _kept(output: Path, run: Callable[[], Any]) -> Any:
    """Return what `run` does, and write what it printed."""
    former, written = sys.stdout, io.BytesIO()
    sys.stdout = printed = io.TextIOWrapper(written, encoding="utf-8", errors="backslashreplace")
    try:
        status = run()
    except ClprobeError:
        if printed.tell():  # a document that says what is wrong
            _write(output, printed, written)
        raise
    finally:
        sys.stdout = former
    _write(output, printed, written)
    return status


def _write(output: Path, printed: io.TextIOWrapper, written: io.BytesIO) -> None:
    printed.flush()
    write_file(output, written.getvalue().decode("utf-8", "backslashreplace"))


def _laid_out(output: Path, named: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with the format that the suffix names, unless one was asked for.

    Raises: click.UsageError if the command has no such format.
    """
    ctx, form = click.get_current_context(), _FORMS.get(output.suffix)
    keys = [key for key in ("form", "as_json") if key in named]
    if form is None or any(
        ctx.get_parameter_source(key) != ParameterSource.DEFAULT for key in keys
    ):
        return named
    if form in _choices(ctx):
        return {**named, "form": form}
    if form == "json" and "as_json" in named:
        return {**named, "as_json": True}
    if output.suffix in _NEEDING_A_FORM:
        raise click.UsageError(
            f"{ctx.command_path} has no format for a file ending in {output.suffix}."
        )
    return named


def _choices(ctx: click.Context) -> tuple[str, ...]:
    """Return the formats that the command has."""
    kinds = (one.type for one in ctx.command.params if one.name == "form")
    return tuple(name for kind in kinds if isinstance(kind, click.Choice) for name in kind.choices)
