# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - completion of names must not wait for the rules to load
"""`clprobe explain`: everything known about a name, offline."""

import click

from clprobe.cli import exit_codes
from clprobe.cli.completion_words import names


@click.command()
@click.argument("name", nargs=-1, required=True, shell_complete=names)
@click.pass_obj
def command(obj: dict[str, str], name: tuple[str, ...]) -> int:
    """Print everything known about NAME, with sources.

    NAME is a rule, a GPU by name or PCI id, a generation, a driver, a distribution or a stack.
    """
    from clprobe.engine.diagnose import Knowledge
    from clprobe.engine.lexicon import look_up_name
    from clprobe.report.explain_text import show_entry
    from clprobe.report.terminal import make_console

    console = make_console(obj["color"])
    for number, entry in enumerate(look_up_name(" ".join(name), Knowledge.load())):
        if number:
            console.print()
        show_entry(console, entry)
    return exit_codes.OK
