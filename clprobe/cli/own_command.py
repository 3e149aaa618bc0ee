# SPDX-License-Identifier: MIT
"""The command lines of `install-plan` that people are told to run next, ready to be copied."""

import os
import sys
from pathlib import Path

import click
from click.core import ParameterSource

from clprobe.cli.plan_wishes import stated


def own_command() -> tuple[str, ...]:
    """Return the command line that runs this very command again, with full paths."""
    context = click.get_current_context()
    words: list[str] = []
    for parameter in context.command.params:
        value = stated(context, parameter)
        source = context.get_parameter_source(parameter.name or "")
        if source != ParameterSource.COMMANDLINE:
            continue
        if value is True:
            words.append(parameter.opts[-1])
        else:
            values = value if isinstance(value, tuple) else (value,)
            for one in values:
                words += [parameter.opts[0], str(one)]
    return (*_own_program(), "install-plan", *words)


def undo_command() -> tuple[str, ...]:
    """Return the command line that takes back what was done."""
    sudo = () if os.geteuid() == 0 and not os.environ.get("SUDO_USER") else ("sudo",)
    return (*sudo, *_own_program(), "install-plan", "--undo")


def _own_program() -> tuple[str, ...]:
    called = Path(sys.argv[0])
    if called.name == "clprobe" and called.is_file():
        return (str(called.absolute()),)
    return (sys.executable, "-m", "clprobe")
