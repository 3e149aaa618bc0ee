# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - imports stand where they are needed
"""`clprobe doctor -- PROGRAM`, `--pid` and `--service`: which program is to be looked at."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, get_args

import click

if TYPE_CHECKING:
    from clprobe.knowledge.tables import Tables
    from clprobe.watch.observe import Watched
    from clprobe.watch.settings import Earlier

_PROGRAM = "clprobe.program"
_SERVICE = ".service"
F = TypeVar("F", bound=Callable[..., Any])


Kind = Literal["container", "flatpak", "snap"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""What can be looked at from outside, each by the tools that run it."""


class WithProgram(click.Command):
    """A command whose words behind -- are a program with its arguments, and none of its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set the program aside before click sees its options."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[_PROGRAM] = tuple(args[at + 1 :])
            args = args[:at]
            if not ctx.meta[_PROGRAM]:
                raise click.UsageError("Behind -- there is no program.", ctx)
        return super().parse_args(ctx, args)


class Target(NamedTuple):
    """What is to be looked at, one of them; all are None: the host alone."""

    argv: tuple[str, ...] | None
    pid: int | None
    service: str | None
    outside: "Outside | None" = None

    @property
    def is_given(self) -> bool:
        """Whether there is any."""
        return any(part is not None for part in self)


class Outside(NamedTuple):
    """What is to be looked at from outside: its kind, and the name that its tool knows."""

    kind: Kind
    name: str


def program_options(command: F) -> F:
    """Add --pid, --service, --container, --flatpak and --snap."""
    pid = click.option(
        "--pid", type=click.IntRange(min=1), metavar="N", help="Look at a running program."
    )
    service = click.option(
        "--service", metavar="UNIT", help="Look at a systemd service and its process."
    )
    container = click.option(
        "--container",
        metavar="NAME",
        help="Look into a container of podman or docker from outside.",
    )
    flatpak = click.option(
        "--flatpak", metavar="APP", help="Look at what a flatpak is given, from outside."
    )
    snap = click.option(
        "--snap", metavar="NAME", help="Look at what a snap is given, from outside."
    )
    return pid(service(container(flatpak(snap(command)))))


def wanted_program(
    *,
    pid: int | None,
    service: str | None,
    outside: dict[str, str | None],
    others: bool,
    alone: str | None = None,
) -> Target:
    """Return what is to be looked at.

    `outside` are the names of what is to be looked at from outside, by kind; `others`: the answer
    is to come from a file, or for another user. `alone` is an option that was given and has nothing
    to do with programs.

    Raises: click.UsageError if two things are asked for at once.
    """
    argv = click.get_current_context().meta.get(_PROGRAM)
    named = [Outside(kind, name) for kind in KINDS if (name := outside[kind]) is not None]
    target = Target(argv, pid, service, named[0] if named else None)
    if sum(part is not None for part in target) > 1 or len(named) > 1:
        raise click.UsageError(
            "-- PROGRAM, --pid, --service, --container, --flatpak and --snap are different things; "
            "give one."
        )
    if target.is_given and others:
        raise click.UsageError("A program is looked at here and now: not with a FILE, not --as.")
    if target.is_given and alone is not None:
        raise click.UsageError(
            f"{alone} has nothing to do with a program: it acts on this host, or lists its rules."
        )
    return target


def watch(target: Target, *, to_stderr: bool) -> "Watched | None":
    """Look at the program; `to_stderr`: what it prints is kept off stdout.

    Raises: ClprobeError if it cannot be started, or is not there.
    """
    if not target.is_given or target.outside is not None:
        return None
    from clprobe.knowledge.tables import Tables
    from clprobe.watch import watching

    tables = Tables.load()
    known_as = {
        name: program.program
        for program in tables.programs()
        for name in (program.program, *program.called)
    }
    if target.argv is not None:
        earlier = _earlier(target.argv, tables)
        seen = watching.watch_run(target.argv, known_as, output=2 if to_stderr else None)
        return _with_hint(_with_switches(seen, target.argv, tables, earlier), target.argv)
    if target.pid is not None:
        return _with_switches(watching.watch_process(target.pid, known_as), (), tables)
    main = watching.main_process(unit_name(target.service or ""))
    if main is None:
        return None
    seen = _with_switches(watching.watch_process(main, known_as), (), tables)
    from msgspec.structs import replace

    return seen._replace(program=replace(seen.program, looked_at="service"))


def _earlier(argv: tuple[str, ...], tables: "Tables") -> "Earlier":
    """Return what stands in the settings of known programs before one of them is run."""
    import os
    from pathlib import Path

    from clprobe.watch.settings import read_earlier

    return read_earlier(tables.programs(), argv, os.environ, folder=str(Path.cwd()))


def _with_hint(watched: "Watched", argv: tuple[str, ...]) -> "Watched":
    """Return it with what would tell more, where a flatpak or a snap used no device."""
    import shutil

    from msgspec.structs import replace

    from clprobe.model.unknown import listed
    from clprobe.outside.commands import started_by

    started = started_by(argv, shutil.which(argv[0]))
    if started is None or any(one.kernels for one in listed(watched.program.kernels)):
        return watched
    more = f"what the {started.kind} is given: clprobe doctor --{started.kind} {started.name}"
    program = replace(watched.program, unseen=(*watched.program.unseen, more))
    return watched._replace(program=program)


def _with_switches(
    watched: "Watched",
    argv: tuple[str, ...],
    tables: "Tables",
    earlier: "Earlier | None" = None,
) -> "Watched":
    """Return it with what of its words and variables chooses devices, or was lost on the way."""
    from msgspec.structs import replace

    from clprobe.model.unknown import listed
    from clprobe.watch.features import wanted_features
    from clprobe.watch.numbers import names_opencl, numbers_of
    from clprobe.watch.switches import hints_of, lost_of, switches_of

    watched = _with_paths(watched, argv, tables, earlier)
    key = watched.program.key
    row = tables.program(key) if isinstance(key, str) else None
    words = watched.argv or argv
    variables = watched.environment or {}
    program = replace(
        watched.program,
        switches=switches_of(row, words, variables),
        hints=hints_of(row, words, variables),
        numbers=numbers_of(row, words, variables),
        names_opencl=names_opencl(words),
        wanted_features=wanted_features(
            words,
            _printed(watched),
            listed(watched.program.complaints),
        ),
        shadowing=shadowing_of(watched, words),
        lost_variables=()
        if watched.environment is None
        else lost_of(row, watched.before, variables),
    )
    return watched._replace(program=program)


def _with_paths(
    watched: "Watched",
    argv: tuple[str, ...],
    tables: "Tables",
    earlier: "Earlier | None",
) -> "Watched":
    """Return it with what its own files and variables say; a sandbox may have others."""
    from pathlib import Path

    from msgspec.structs import replace

    from clprobe.model.unknown import Unknown
    from clprobe.watch.absent_paths import absent_paths
    from clprobe.watch.driver_needs import closed_caches, closed_files, hidden_commands
    from clprobe.watch.settings import off_settings

    program, variables = watched.program, watched.environment
    if isinstance(program.sandbox, str) or variables is None:
        return watched
    row = tables.program(program.key) if isinstance(program.key, str) else None
    printed = _printed(watched)
    folder = str(Path.cwd()) if isinstance(watched.folder, Unknown) else watched.folder
    own = replace(
        program,
        closed_caches=closed_caches(program, variables, tables),
        closed_files=closed_files(program, variables, printed),
        hidden_commands=hidden_commands(program, variables, tables),
        off_settings=off_settings(
            row,
            watched.argv or argv,
            variables,
            printed=printed,
            folder=folder,
            earlier=earlier,
        ),
        absent_paths=absent_paths(
            row, variables, files=watched.files, printed=printed, tables=tables
        ),
    )
    return watched._replace(program=own)


def shadowing_of(watched: "Watched", words: Sequence[str]) -> tuple[str, ...]:
    """Return the files in the way of modules of a Python that stumbled over them."""
    from clprobe.watch.observe import is_python
    from clprobe.watch.script import shadowing_files

    if not is_python(watched.program.name):
        return ()
    return shadowing_files(words, watched.environment or {}, _printed(watched))


def _printed(watched: "Watched") -> str:
    printed = watched.program.printed
    return printed if isinstance(printed, str) else ""


def unit_name(service: str) -> str:
    """Return the unit's whole name."""
    return service if service.endswith(_SERVICE) else f"{service}{_SERVICE}"
