# SPDX-License-Identifier: MIT
"""The manual pages: what click knows of each command, and what the manual adds."""

import re
from collections.abc import Iterator

import click

from clprobe.manual.commands import WHOLE, Told, told
from clprobe.manual.topics import Block, topic, topic_names
from clprobe.report.man_page import Option, Page, man_page
from clprobe.version import __version__

_SECTIONS = {"EXIT STATUS": "exit-status", "ENVIRONMENT": "environment", "FILES": "files"}
_VERBATIM = "\b"


def man_pages(root: click.Group, *, date: str) -> dict[str, str]:
    """Return each page under the name of its file, as man shows it."""
    pages = manual(root)
    return {f"{one.name}.1": man_page(one, version=__version__, date=date) for one in pages}


def manual(root: click.Group) -> list[Page]:
    """Return what each page says: that of `root`, and one for each command."""
    ctx = click.Context(root, info_name=WHOLE, **root.context_settings)
    commands = {name: root.get_command(ctx, name) for name in root.list_commands(ctx)}
    pages = [_page(root, ctx, WHOLE, [f"{WHOLE}-{name}" for name in commands])]
    for name, command in commands.items():
        if command is not None:
            inner = click.Context(command, info_name=name, parent=ctx)
            pages.append(_page(command, inner, name, [WHOLE, *_related(name)]))
    return pages


def summary(command: click.Command) -> str:
    """Return the first sentence of a command's help, without its full stop."""
    first = (command.help or "").split("\n\n")[0]
    return " ".join(first.split()).rstrip(".")


def _page(command: click.Command, ctx: click.Context, name: str, others: list[str]) -> Page:
    whole, own = told()[WHOLE], told().get(name, Told())
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    is_whole = name == WHOLE
    return Page(
        name=WHOLE if is_whole else f"{WHOLE}-{name}",
        summary=summary(command),
        synopsis=[usage, *own.synopsis],
        description=[*_description(command), *(_of_topics() if is_whole else ())],
        commands=[
            Option(f"{WHOLE}-{one}(1)" if is_whole else one, f"{summary(inner.command)}.")
            for one, inner in _inner(command, ctx)
        ],
        options=list(_options(command, ctx, is_whole=is_whole)),
        examples=[(one.run, one.does) for one in own.examples],
        sections=[(title, _chosen(title, whole, own, is_whole=is_whole)) for title in _SECTIONS],
        see_also=others,
    )


def _chosen(title: str, whole: Told, own: Told, *, is_whole: bool) -> tuple[Block, ...]:
    """Return of a topic what matters to the command; of exit statuses, and for all, everything."""
    found = topic(_SECTIONS[title])
    if is_whole or title == "EXIT STATUS":
        return found.blocks
    tags = (
        (*whole.environment, *own.environment)
        if title == "ENVIRONMENT"
        else (*whole.files, *own.files)
    )
    more = Block("paragraph", f"`{WHOLE} help {_SECTIONS[title]}` has all.")
    return (*found.entries(tags), more)


def _related(name: str) -> list[str]:
    return [f"{WHOLE}-{one}" for one in ("doctor", "info", "install-plan", "help") if one != name]


def _of_topics() -> Iterator[Block]:
    yield Block("paragraph", f"`{WHOLE} help TOPIC` tells more. Topics are:")
    for name in topic_names():
        yield Block("entry", f"{topic(name).title}.", tag=name)


def _description(command: click.Command) -> Iterator[Block]:
    for part in (command.help or "").split("\n\n"):
        if part.startswith(_VERBATIM):
            yield Block("verbatim", part.removeprefix(_VERBATIM).strip("\n"))
        else:
            yield Block("paragraph", " ".join(part.split()))


def _inner(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, click.Context]]:
    """Yield the commands of a group, each with its context."""
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            if inner is not None:
                yield name, click.Context(inner, info_name=name, parent=ctx)


def _options(
    command: click.Command, ctx: click.Context, *, is_whole: bool
) -> Iterator[tuple[str, list[Option]]]:
    yield "", list(_records(command, ctx))
    if not is_whole:  # whose commands have pages of their own
        for name, inner in _inner(command, ctx):
            usage = " ".join([name, *inner.command.collect_usage_pieces(inner)])
            yield (
                usage.replace("[OPTIONS] ", "").removesuffix(" [OPTIONS]"),
                list(_records(inner.command, inner)),
            )


def _records(command: click.Command, ctx: click.Context) -> Iterator[Option]:
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None and record[1]:  # arguments stand in the synopsis
            names, text = record
            yield Option(names, re.sub(r"\s+\[", " [", text))
