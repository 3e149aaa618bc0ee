# SPDX-License-Identifier: MIT
"""The options of install-plan that narrow the plan."""

import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import click

from clprobe.apply.person import find_person
from clprobe.commands.pasted import Typist
from clprobe.install.machine import Wishes
from clprobe.model.action import Engine
from clprobe.model.errors import ClprobeError
from clprobe.model.placeholders import HOME
from clprobe.report.escaping import safe

F = TypeVar("F", bound=Callable[..., Any])


def wish_options(command: F) -> F:
    """Add the options to a command; `wishes` takes what they were given."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def wishes(
    *,
    want: Literal["gpu", "cpu"] | None,
    no_root: bool,
    no_third_party: bool,
    wheels: Path | None,
    engine: Engine | None,
) -> Wishes:
    """Return what the options ask for."""
    return Wishes(
        want=want,
        root=not no_root,
        third_party=not no_third_party,
        wheels=_under_home(wheels) if wheels is not None else None,
        engine=engine or "podman",
        contained=engine is not None,
    )


def typist() -> Typist:
    """Return who types what a plan for this host prints: the person behind sudo, too."""
    caller = os.environ.get("SUDO_USER") or os.environ.get("DOAS_USER")
    try:
        return Typist(user=find_person().name, is_root=os.geteuid() == 0 and not caller)
    except ClprobeError:  # no account: the shell of whoever pastes it may know one
        return Typist()


def our_python() -> str:
    """Return the release of the Python that runs here, which plans for this host rest on."""
    major, minor, _ = platform.python_version_tuple()
    return f"{major}.{minor}"


def _folder(_: click.Context, __: click.Parameter, value: str | None) -> Path | None:
    """Return the folder of wheels with its full path: the steps run elsewhere."""
    if value is None:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise click.BadParameter(f"{safe(value)} is no folder.")
    if next(folder.glob("*.whl"), None) is None:
        raise click.BadParameter(f"{safe(value)} holds no wheels (*.whl).")
    # sudo may have another home, and whoever copies the line may stand elsewhere.
    return folder.resolve()


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
    click.option("--want", type=click.Choice(["gpu", "cpu"]), help="Only routes on this."),
    click.option("--no-root", is_flag=True, help="Only routes that need no root."),
    click.option(
        "--no-third-party",
        is_flag=True,
        help="Only packages of the distribution, of Python's and of PyTorch's index.",
    ),
    click.option(
        "--offline-wheels",
        "wheels",
        metavar="FOLDER",
        help="Take Python packages from the wheels in this folder alone.",
        callback=_folder,
    ),
    click.option(
        "--container",
        "engine",
        type=click.Choice(get_args(Engine)),
        help="Plan for inside a container of this; podman runs the others.",
    ),
)
