# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - topics need no YAML, and pages are written by packagers alone
"""`clprobe help`: topics, the commands' own help with examples, and manual pages."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.guide.similar import did_you_mean
from clprobe.cli.output_file import write_file
from clprobe.cli.output_option import output_option
from clprobe.manual.topics import topic, topic_names, topic_text
from clprobe.report.escaping import safe_line

if TYPE_CHECKING:
    from clprobe.manual.commands import Told


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    del param
    root = ctx.find_root().command
    commands = root.list_commands(ctx) if isinstance(root, click.Group) else []
    return [
        CompletionItem(name) for name in (*topic_names(), *commands) if name.startswith(incomplete)
    ]


@click.command("help")
@click.argument("name", nargs=-1, metavar="[TOPIC|COMMAND]", shell_complete=_names)
@click.option(
    "--man",
    "folder",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a manual page for clprobe and one for each command into FOLDER.",
)
@output_option
@click.pass_context
def command(ctx: click.Context, name: tuple[str, ...], folder: Path | None) -> int:
    """Explain a topic, or a command with examples; without a name, list the topics."""
    root = ctx.find_root()
    if folder is not None:
        if name:
            raise click.UsageError("--man writes all pages; leave the name out.")
        return _write_pages(root, folder)
    if not name:
        click.echo(_list(root))
    elif name[0] in topic_names() and len(name) == 1:
        click.echo(topic_text(name[0]), nl=False)
    else:
        click.echo(_of_command(root, name))
    return exit_codes.OK


def _list(root: click.Context) -> str:
    topics = [(name, topic(name).title) for name in topic_names()]
    formatter = root.make_formatter()
    with formatter.section("Topics"):
        formatter.write_dl(topics)
    root.command.format_commands(root, formatter)  # type: ignore[attr-defined]
    return f"Usage: clprobe help [TOPIC|COMMAND]\n\n{formatter.getvalue().rstrip()}"


def _of_command(root: click.Context, name: tuple[str, ...]) -> str:
    """Return the help of a command, or of one inside it, with examples.

    Raises: click.UsageError with similar names if there is none.
    """
    ctx = root
    for word in name:
        group = ctx.command
        found = group.get_command(ctx, word) if isinstance(group, click.Group) else None
        if found is None:
            known = list(group.list_commands(ctx)) if isinstance(group, click.Group) else []
            known += topic_names() if ctx is root else []
            hint = did_you_mean(word, known) or "clprobe help lists what there is."
            raise click.UsageError(f"There is no topic or command {word!r}. {hint}", root)
        ctx = click.Context(found, info_name=word, parent=ctx, color=ctx.color)
        ctx.help_option_names = root.help_option_names
    from clprobe.manual.commands import Told, told

    return ctx.get_help() + _examples(told().get(" ".join(name), Told()))


def _examples(own: "Told") -> str:
    lines = [f"  {one.run}\n      {one.does}" for one in own.examples]
    return "".join(["\n\nExamples:\n", "\n".join(lines)]) if lines else ""


def _write_pages(root: click.Context, folder: Path) -> int:
    from clprobe.cli.guide.man_pages import man_pages
    from clprobe.model.errors import ClprobeError

    if not isinstance(root.command, click.Group):
        raise click.UsageError("There are no commands to describe.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ClprobeError(
            reference="manual-not-written",
            message=f"{folder}: {error.strerror}.",
            hint="Name a folder that you may write to.",
        ) from error
    pages = man_pages(root.command, date=_date())
    for name, text in pages.items():
        write_file(folder / name, text)
    click.echo(safe_line(f"{len(pages)} pages: {folder}"), err=True)
    return exit_codes.OK


def _date() -> str:
    """Return the day that SOURCE_DATE_EPOCH names, so that pages made twice are alike; or none."""
    stated = os.environ.get("SOURCE_DATE_EPOCH", "")
    return time.strftime("%Y-%m-%d", time.gmtime(int(stated))) if stated.isdecimal() else ""
