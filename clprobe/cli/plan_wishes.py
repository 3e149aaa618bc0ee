# SPDX-License-Identifier: MIT
"""The options of install-plan that narrow the plan."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from clprobe.apply.person import find_person
from clprobe.install.machine import Wishes
from clprobe.model.action import Engine
from clprobe.model.errors import ClprobeError
from clprobe.model.placeholders import HOME
from clprobe.report.terminal import safe

F = TypeVar("F", bound=Callable[..., Any])
_PLACE = "clprobe.wishes"
_STATED = "clprobe.wishes.stated"


def wish_options(command: F) -> F:
    """Add the options to a command; `wishes` says what was asked for."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def wishes() -> Wishes:
    """Return what the options of the running command ask for."""
    return Wishes(**click.get_current_context().meta.get(_PLACE, {}))


def stated(context: click.Context, option: click.Parameter) -> object:
    """Return what an option of the running command was given, one of these or another."""
    name = option.name or ""
    return context.params.get(name, context.meta.get(_STATED, {}).get(name))


def _keep(context: click.Context, option: click.Parameter, value: object) -> None:
    name = {"no_root": "root", "no_third_party": "third_party"}.get(option.name or "", option.name)
    kept = context.meta.setdefault(_PLACE, {})
    context.meta.setdefault(_STATED, {}).setdefault(option.name, value)
    if value is not None:
        kept[name] = not value if isinstance(value, bool) else value


def _option(*names: str, **more: Any) -> Callable[[F], F]:
    return click.option(*names, **{"callback": _keep, "expose_value": False, **more})


def _wheels(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Keep the folder with its full path: the steps run elsewhere."""
    if value is None:
        return
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise click.BadParameter(f"{safe(value)} is no folder.")
    if next(folder.glob("*.whl"), None) is None:
        raise click.BadParameter(f"{safe(value)} holds no wheels (*.whl).")
    # sudo may have another home, and whoever copies the line may stand elsewhere.
    context.meta.setdefault(_STATED, {})[option.name] = str(folder.resolve())
    _keep(context, option, _under_home(folder.resolve()))


def _under_home(folder: Path) -> str:
    """Return the path with the person's home folder as ~, so that a plan names nobody."""
    try:
        home = Path(find_person().home).resolve()
    except ClprobeError:  # without an account there is no home to hide
        return str(folder)
    if folder == home or home == Path("/") or not folder.is_relative_to(home):
        return str(folder)
    return f"{HOME}/{folder.relative_to(home)}"


_OPTIONS = (
    _option("--want", type=click.Choice(["gpu", "cpu"]), help="Only routes on this."),
    _option("--no-root", is_flag=True, help="Only routes that need no root."),
    _option(
        "--no-third-party",
        is_flag=True,
        help="Only packages of the distribution and of Python's index.",
    ),
    _option(
        "--offline-wheels",
        "wheels",
        metavar="FOLDER",
        help="Take Python packages from the wheels in this folder alone.",
        callback=_wheels,
    ),
    _option(
        "--container",
        "engine",
        type=click.Choice(get_args(Engine)),
        help="What runs containers; podman if left out.",
    ),
)
