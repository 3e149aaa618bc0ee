# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - what one subcommand needs, the others do not load
"""`clprobe rules matrix`: which release brings which generation OpenCL, by what."""

import click

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.output import print_document

SCHEMA = "clprobe.matrix/1"


@click.command("matrix")
@click.option("--generation", multiple=True, metavar="NAME", help="Gen9, xe2, Haswell; repeatable.")
@click.option("--distribution", multiple=True, metavar="NAME", help="debian-12, noble, fedora.")
@click.option("--implementation", multiple=True, metavar="NAME", help="beignet, compute-runtime.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown"]),
    default="table",
    show_default=True,
)
@click.pass_obj
def command(
    obj: dict[str, str],
    *,
    generation: tuple[str, ...],
    distribution: tuple[str, ...],
    implementation: tuple[str, ...],
    form: str,
) -> int:
    """Show what each release offers each generation, and the reasons where few are named."""
    from clprobe.compat.support_table import support_table
    from clprobe.knowledge.tables import Tables
    from clprobe.report.as_json import document
    from clprobe.report.support_text import show_support, support_as_markdown
    from clprobe.report.terminal import make_console

    table = support_table(Tables.load(), generation, distribution, implementation)
    if form == "json":
        print_document(document(SCHEMA, table))
    elif form == "markdown":
        print_document(support_as_markdown(table.cells))
    else:
        show_support(make_console(obj["color"]), table.cells)
    return exit_codes.OK
