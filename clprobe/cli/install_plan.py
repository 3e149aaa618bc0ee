# SPDX-License-Identifier: MIT
"""`clprobe install-plan`: the steps that lead to OpenCL here, and what cannot work and why."""

from typing import Any

import click
import msgspec

from clprobe.apply.run import Here
from clprobe.apply.work import Release
from clprobe.cli.acting import undo
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.install_apply import apply_route, asked_to_act
from clprobe.cli.options import file_argument, from_option, only_source
from clprobe.cli.output import print_document
from clprobe.cli.output_option import output_option
from clprobe.cli.plan_options import our_python, typist, wish_options, wishes
from clprobe.cli.sources import read_snapshot
from clprobe.commands.pasted import ANYBODY
from clprobe.compat.matrix import MatrixRow, matrix
from clprobe.install.installed import with_installed
from clprobe.install.machine import look_up
from clprobe.install.same_host import check_same_host
from clprobe.install.several import best_of, each_candidate, said_of_others
from clprobe.install.target import Stated, described, of_snapshot
from clprobe.install.version_matrix import version_matrix
from clprobe.knowledge.tables import Tables
from clprobe.model.action import Goal
from clprobe.model.errors import ClprobeError
from clprobe.model.plan import InstallPlan, Route, VersionRow
from clprobe.model.snapshot import Snapshot
from clprobe.probe.for_plan import facts_for_plan
from clprobe.probe.live_host import LiveHost
from clprobe.probe.system import probe_system
from clprobe.report.as_json import document
from clprobe.report.escaping import safe_line
from clprobe.report.plan_answer import answer
from clprobe.report.plan_html import plan_as_html
from clprobe.report.plan_markdown import plan_as_markdown
from clprobe.report.plan_script import script
from clprobe.report.plan_text import show_answer, show_details, show_matrices
from clprobe.report.plan_words import title, way
from clprobe.report.terminal import make_console

Matrices = tuple[list[MatrixRow], list[VersionRow]]
"""Which release drives the GPU, and which versions go together on it."""


@click.command("install-plan")
@file_argument
@click.option(
    "--gpu",
    "gpus",
    metavar="NAME|ID",
    multiple=True,
    help='Another GPU: "HD 4600", Haswell, 8086:0416; of several, the best is planned for.',
)
@click.option("--os", "os_name", metavar="OS", help="Another distribution: ubuntu-24.04.")
@click.option("--linux", "--kernel", metavar="VERSION", help="Another Linux: 6.8.")
@click.option("--python", metavar="VERSION", help="Another Python: 3.11.")
@click.option("--cpu", metavar="NAME", help='Another processor: "Ryzen 7 5800X", zen4.')
@click.option(
    "--goal",
    type=click.Choice(["opencl", "pytorch", "inference"]),
    default="opencl",
    show_default=True,
    help="OpenCL devices, training in PyTorch on them, or running trained models.",
)
@wish_options
@from_option("Plan for the host of this snapshot or pasted text (4 MiB at most).")
@click.option(
    "--backend",
    metavar="NAME[:HOW]|NUMBER",
    help="Show this route: beignet:container, or its number.",
)
@click.option(
    "--matrix", "with_matrix", is_flag=True, help="Also show which versions and releases fit."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown", "html", "sh"]),
    default="table",
    show_default=True,
    help="sh: a script that installs the best route, or the one of --backend.",
)
@click.option("-v", "--verbose", is_flag=True, help="Also show all routes, reasons and sources.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@output_option
@click.option("--apply", "applies", is_flag=True, help="Run the steps, after asking.")
@click.option("--undo", "undoes", is_flag=True, help="Take back what the last --apply did.")
@click.option("--yes", is_flag=True, help="With --apply or --undo: do not ask.")
@click.pass_obj
def command(  # noqa: PLR0913 - one parameter per option
    obj: dict[str, str],
    /,
    *,
    file: str | None,
    gpus: tuple[str, ...],
    os_name: str | None,
    linux: str | None,
    python: str | None,
    cpu: str | None,
    goal: Goal,
    source: str | None,
    backend: str | None,
    with_matrix: bool,
    form: str,
    verbose: bool,
    as_json: bool,
    applies: bool,
    undoes: bool,
    yes: bool,
    **wished: Any,
) -> int:
    """Show what to install, in which versions, and what cannot work and why."""
    form = "json" if as_json else form
    source = only_source(file, source)
    asked = asked_to_act(form, obj["color"], applies=applies, undoes=undoes, yes=yes)
    if undoes:
        return undo("install-plan", asked, backend)
    tables = Tables.load()
    snapshot = read_snapshot(source) if source is not None else None
    host = facts_for_plan() if snapshot is None and (not gpus or os_name is None) else None
    base = _base(snapshot, host, tables)
    each: list[Stated] = []
    for gpu in gpus or (None,):
        one = described(base, tables, gpu=gpu, os=os_name, linux=linux, python=python, cpu=cpu)
        each += each_candidate(one, tables)
    stated, made = best_of(each, tables, goal, wishes(**wished))
    for note in filter(None, (*stated.notes, said_of_others(stated, each))):
        click.echo(safe_line(note), err=True)
    shown = snapshot or host
    if shown is not None and os_name is None:
        made = with_installed(made, shown)
    matrices: Matrices = _matrices(stated, tables) if with_matrix else ([], [])
    route = _chosen(made, backend)
    acts = applies and route is not None
    if not acts or form != "json":
        if form == "table":
            typing = typist() if host is not None and os_name is None else ANYBODY
            console = make_console(obj["color"])
            show_answer(console, answer(made, route, tables, typing), applies=acts)
            if verbose:
                show_details(console, made, route, typing)
            show_matrices(console, made.target.os, *matrices)
        else:
            print_document(_document(made, matrices, route, form, tables))
    if route is not None and acts:
        if snapshot is not None:
            check_same_host(snapshot, facts_for_plan())
        return apply_route(made, route, _here(stated, tables), asked)
    return exit_codes.OK if made.routes else exit_codes.PROBLEMS


def _base(snapshot: Snapshot | None, host: Snapshot | None, tables: Tables) -> Stated:
    """Return what is to be changed: of a snapshot, of this host, or nothing at all."""
    if snapshot is not None:
        return of_snapshot(snapshot, tables)
    if host is None:
        return Stated()
    return of_snapshot(host, tables, python=our_python())


def _here(planned: Stated, tables: Tables) -> Here:
    """Return this host's distribution and release, in the plan's words if it is the same one."""
    system = probe_system(LiveHost())
    ours = of_snapshot(Snapshot(system=system), tables)
    name, version = system.distribution.id, system.distribution.version
    release = Release(
        name if isinstance(name, str) else "", version if isinstance(version, str) else None
    )
    found, wanted = ours.release, planned.release
    if found is None or wanted is None:
        return Here(ours.os, release)
    same = found.key in {wanted.key, wanted.os_release_of}
    return Here(planned.os if same else ours.os, release)


def _chosen(made: InstallPlan, backend: str | None) -> Route | None:
    if backend is None:
        return made.routes[0] if made.routes else None
    name, _, how = backend.partition(":")
    for route in made.routes:
        called = (str(route.rank), route.stack, title(route, made.target))
        ways = ("", route.how, way(route, made.target))
        if backend in called or (name == route.backend and how in ways):
            return route
    rejected = [entry.because for entry in made.rejected if entry.backend == name]
    names = ", ".join(dict.fromkeys(route.backend for route in made.routes))
    raise ClprobeError(
        reference="backend-not-available",
        message=f"No route uses {backend}. {rejected[0] if rejected else ''}".rstrip(),
        hint=f"Routes here use {names}." if names else "",
    )


def _matrices(stated: Stated, tables: Tables) -> Matrices:
    machine = look_up(stated, tables)
    if machine.generation is None:
        is_known = machine.pci_id is not None or machine.has_gpu
        lacking = f"no table has {machine.gpu_name}" if is_known else "no GPU is known here"
        raise ClprobeError(
            reference="matrix-needs-gpu",
            message=f"The matrix is about one GPU, and {lacking}.",
            hint='Name one with --gpu, such as --gpu "HD 4600".',
        )
    rows = matrix(machine.chips, machine.generation, tables)
    return rows, version_matrix(stated, tables)


def _document(
    made: InstallPlan, matrices: Matrices, route: Route | None, form: str, tables: Tables
) -> str:
    """Return the plan as `form`: json, sh, markdown or html."""
    rows, versions = matrices
    if form == "sh":
        return script(made, route) if route is not None else ""
    if form in ("markdown", "html"):
        written = plan_as_markdown if form == "markdown" else plan_as_html
        return written(made, answer(made, route, tables), rows, versions)
    both = {"matrix": rows, "versions": versions}
    more = {name: msgspec.to_builtins(one) for name, one in both.items() if one}
    return document("clprobe.install-plan/1", made, **more)
