# SPDX-License-Identifier: MIT
"""The `clprobe` command: a group whose commands are imported only when they are called."""

import importlib
import sys
from typing import Any

import click

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.guide.group import Suggesting
from clprobe.cli.output import answering, show_error, show_usage_error
from clprobe.manual.topics import topic_names
from clprobe.model.errors import ClprobeError
from clprobe.version import __version__

# Name → what it does. The texts stand here so that `clprobe --help` imports no command.
_COMMANDS = {
    "doctor": "Say why OpenCL devices are missing, root-only or crashing, and how to fix it.",
    "info": "List drivers, loaders, platforms, devices and GPUs with their limits.",
    "install-plan": "Show what to install, in which versions, and what cannot work and why.",
    "check": "Say whether this host has what a program needs, as needs.yaml tells it.",
    "bench": "Train small real nets on each device and compare it with the CPU.",
    "env": "Print shell lines that hide broken drivers for you, without root.",
    "snapshot": "Write the facts of this host for replay and bug reports.",
    "explain": "Print everything known about a rule, GPU, driver or distribution.",
    "cache": "List what clprobe left on this machine, and remove its caches.",
    "completion": "Print the script that makes Tab complete for bash, zsh or fish.",
    "rules": "List, validate and test the rules database.",
    "help": "Explain a topic such as exit-status or files, or a command with examples.",
}


class _LazyGroup(Suggesting):
    """Imports clprobe.cli.NAME only when NAME is called: `--help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"clprobe.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        topics = ", ".join(topic_names())
        with formatter.section("Topics of clprobe help TOPIC"):
            formatter.write_text(topics)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clprobe")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Colour on a terminal only, always, or never; NO_COLOR and FORCE_COLOR are obeyed.",
)
@click.pass_context
def cli(ctx: click.Context, color: str) -> None:
    """Say why OpenCL devices are missing, how to fix it, and whether they beat the CPU."""
    ctx.obj = {"color": color}


def main(argv: list[str] | None = None) -> None:
    """Run the command line and exit with the contract's status."""
    sys.exit(answering(lambda: _run(argv)))


def _run(argv: list[str] | None) -> int:
    try:
        status: Any = cli.main(args=argv, prog_name="clprobe", standalone_mode=False)
        _keep_parsed_rules()
    except click.ClickException as error:
        show_usage_error(error)
        return exit_codes.USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("clprobe: interrupted", err=True)
        return exit_codes.UNDECIDED
    except ClprobeError as error:
        show_error(error)
        return exit_codes.USAGE
    return status if isinstance(status, int) else exit_codes.OK


def _keep_parsed_rules() -> None:
    parsed_files = sys.modules.get("clprobe.parsed_files")
    if parsed_files is not None:  # else nothing read a rule
        parsed_files.RULES.save()
