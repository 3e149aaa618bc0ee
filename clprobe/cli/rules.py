# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - what one subcommand needs, the others do not load
"""`clprobe rules`: lists, validates, tests and documents the rules database."""

from collections.abc import Mapping
from pathlib import Path

import click

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.guide.group import Suggesting
from clprobe.cli.output import print_document, show_mistake
from clprobe.cli.output_file import write_file
from clprobe.cli.output_option import output_option
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.errors import ClprobeError
from clprobe.report.escaping import safe_line
from clprobe.resources import rules_path
from clprobe.ruleset.rules import load_rules


@click.group(cls=Suggesting)
def command() -> None:
    """List, validate, test and document the rules database."""


@command.command("list")
@output_option
@click.pass_obj
def list_rules(obj: dict[str, str]) -> int:
    """List all rules."""
    from clprobe.report.rule_text import show_rules
    from clprobe.report.terminal import make_console

    show_rules(make_console(obj["color"]), load_rules())
    return exit_codes.OK


@command.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path), required=False)
@output_option
def validate(path: Path | None) -> int:
    """Check the rule file or folder PATH, by default the whole database.

    Names every mistake with file and line; exits with 2 if there is one.
    """
    from clprobe.validation.validate import validate as validated

    result = validated(path)
    for mistake in result.mistakes:
        show_mistake(mistake)
    if result.mistakes:
        count = len(result.mistakes)
        click.echo(f"{count} mistake{'' if count == 1 else 's'}", err=True)
        return exit_codes.USAGE
    tables = f", {result.tables} tables valid" if result.tables else ""
    click.echo(f"{result.rules} rule{'' if result.rules == 1 else 's'} valid{tables}")
    return exit_codes.OK


@command.command("test")
@click.argument("path", type=click.Path(exists=True, path_type=Path), required=False)
@output_option
def test_rules(path: Path | None) -> int:
    """Run the cases beside the rules in the folder PATH, by default the whole database."""
    from clprobe.validation.cases import run_cases

    knowledge = Knowledge(load_rules(path), Knowledge.load().tables)
    results = [result for rule in knowledge.rules for result in run_cases(rule, knowledge, path)]
    failures = [result for result in results if result.complaint]
    for failure in failures:
        click.echo(safe_line(f"{failure.rule}: {failure.case}: {failure.complaint}"))
    click.echo(f"{len(results)} cases, {len(failures)} wrong")
    return exit_codes.PROBLEMS if failures else exit_codes.OK


@command.command()
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a page is stale.")
def docs(check: bool) -> int:
    """Write the README.md of each folder of rules and of tables from its files."""
    from clprobe.report.data_pages import data_pages

    stale = []
    for name, page in data_pages(Knowledge.load()).items():
        path = rules_path() / name
        if not path.is_file() or path.read_text(encoding="utf-8") != page:
            stale.append(path)
            if not check:
                write_file(path, page)
    for path in stale:
        click.echo(safe_line(f"{'stale' if check else 'written'}: {path}"))
    return exit_codes.PROBLEMS if check and stale else exit_codes.OK


@command.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.pass_context
def site(ctx: click.Context, folder: Path) -> int:
    """Write the manual, and all that is known, as static pages into FOLDER; open index.html there.

    Needs Jinja2 and markdown-it-py, of the extra `site`.
    """
    from clprobe.cli.extras import how_to_install

    try:
        from clprobe.cli.guide.site_sources import site_sources
        from clprobe.report.site.pages import site as made_site
    except ModuleNotFoundError as error:
        raise ClprobeError(
            reference="site-needs-jinja2",
            message=f"{error}.",
            hint=f"Install it: {how_to_install('site')}",
        ) from error
    files = made_site(Knowledge.load(), site_sources(ctx.find_root().command))
    _write_site(files, folder)
    click.echo(safe_line(f"{len(files)} files: {folder / 'index.html'}"))
    return exit_codes.OK


def _write_site(files: Mapping[str, str], folder: Path) -> None:
    """Write every file below `folder`; pages of a former run that are gone now are removed.

    Raises: ClprobeError if the folder holds something else, or cannot be written.
    """
    try:
        if folder.exists() and any(folder.iterdir()) and not (folder / "search-index.js").is_file():
            raise ClprobeError(
                reference="site-folder-in-use",
                message=f"{folder} holds files that are no pages of this site.",
                hint="Name an empty or a new folder.",
            )
        for page in folder.glob("*/*.html"):
            if str(page.relative_to(folder)) not in files:
                page.unlink()
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ClprobeError(
            reference="site-not-written", message=str(error), hint="Name a folder of your own."
        ) from error


@command.command()
@click.option("--generation", multiple=True, metavar="NAME", help="Gen9, xe2, Haswell; repeatable.")
@click.option("--distribution", multiple=True, metavar="NAME", help="debian-12, noble, fedora.")
@click.option("--implementation", multiple=True, metavar="NAME", help="beignet, compute-runtime.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown"]),
    default="table",
    show_default=True,
    help="How to lay it out.",
)
@output_option
@click.pass_obj
def matrix(
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
        print_document(document("clprobe.matrix/1", table))
    elif form == "markdown":
        print_document(support_as_markdown(table.cells))
    else:
        show_support(make_console(obj["color"]), table.cells)
    return exit_codes.OK


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print clprobe.rules-stats/1.")
@output_option
@click.pass_obj
def stats(obj: dict[str, str], *, as_json: bool) -> int:
    """Show how much of the support matrix is verified, and how old its rows are."""
    from clprobe.compat.evidence import Verified, rule_stats
    from clprobe.compat.support_table import support_table
    from clprobe.knowledge.tables import Tables
    from clprobe.report.as_json import document
    from clprobe.report.stats_text import show_stats
    from clprobe.report.terminal import make_console

    tables = Tables.load()
    found = rule_stats(support_table(tables).cells, tables, Verified.load())
    if as_json:
        print_document(document("clprobe.rules-stats/1", found))
    else:
        show_stats(make_console(obj["color"]), found)
    return exit_codes.OK
