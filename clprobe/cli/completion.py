# SPDX-License-Identifier: MIT
"""`clprobe completion`: the script that lets a shell complete clprobe's words."""

import click
from click.shell_completion import get_completion_class

from clprobe.cli.exit import codes as exit_codes

_VARIABLE = "_CLPROBE_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    r"""Print a script that makes Tab complete clprobe's options, rules, names and files.

    \b
    bash:  eval "$(clprobe completion bash)"        in ~/.bashrc
    zsh:   eval "$(clprobe completion zsh)"         in ~/.zshrc, after compinit
    fish:  clprobe completion fish | source         in ~/.config/fish/config.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"This click cannot complete for {shell}.")
    root = ctx.find_root().command
    # Not source(): for bash that asks the bash on PATH for its version.
    script = kind(root, {}, "clprobe", _VARIABLE)
    click.echo(script.source_template % script.source_vars())
    return exit_codes.OK
