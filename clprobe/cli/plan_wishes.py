# SPDX-License-Identifier: MIT
"""The options of install-plan that narrow the plan."""

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from clprobe.install.wishes import Engine, Wishes

F = TypeVar("F", bound=Callable[..., Any])
_PLACE = "clprobe.wishes"


def wish_options(command: F) -> F:
    """Add the options to a command; `wishes` says what was asked for."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def wishes() -> Wishes:
    """Return what the options of the running command ask for."""
    return Wishes(**click.get_current_context().meta.get(_PLACE, {}))


def _keep(context: click.Context, option: click.Parameter, value: object) -> None:
    name = {"no_root": "root", "no_third_party": "third_party"}.get(option.name or "", option.name)
    kept = context.meta.setdefault(_PLACE, {})
    if value is not None:
        kept[name] = not value if isinstance(value, bool) else value


def _option(*names: str, **more: Any) -> Callable[[F], F]:
    return click.option(*names, callback=_keep, expose_value=False, **more)


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
    ),
    _option(
        "--container",
        "engine",
        type=click.Choice(get_args(Engine)),
        help="What runs containers; podman if left out.",
    ),
)
