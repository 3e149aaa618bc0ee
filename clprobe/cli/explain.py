# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - completion of names must not wait for the rules to load
"""`clprobe explain`: everything known about a name, offline."""

import click

from clprobe.cli.completion import names
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.output import print_document
from clprobe.cli.output_option import output_option

SCHEMA = "clprobe.explain/1"


@click.command()
@click.argument("name", nargs=-1, required=True, shell_complete=names)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
@output_option
@click.pass_obj
def command(obj: dict[str, str], *, name: tuple[str, ...], as_json: bool) -> int:
    """Print everything known about NAME, with sources.

    NAME is a rule, a GPU by name or PCI id, a codename, a generation, a driver or one version of
    it, a package, a distribution's release, a machine-learning stack, a program, an interface such
    as Vulkan, or a kernel driver. A program and a GPU, in either order, tell whether the one uses
    the other: ollama "HD 4600". Of a name that stands for nothing --json prints no entries, and
    the exit status is 2.
    """
    from clprobe.explain.lexicon import explain_shipped, without_entries
    from clprobe.model.errors import ClprobeError
    from clprobe.report.as_json import document
    from clprobe.report.explain_text import show_explained
    from clprobe.report.terminal import make_console

    asked = " ".join(name)
    try:
        explained = explain_shipped(asked)
    except ClprobeError:
        if as_json:  # a program that reads it gets a document in every case
            print_document(document(SCHEMA, without_entries(asked)))
        raise
    if as_json:
        print_document(document(SCHEMA, explained))
    else:
        show_explained(make_console(obj["color"]), explained)
    return exit_codes.OK
