# SPDX-License-Identifier: MIT
"""How errors are laid out on standard error; nothing that they quote steers a terminal."""

import io

import click

from clprobe.model.errors import ClprobeError
from clprobe.report.escaping import safe, safe_line


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
