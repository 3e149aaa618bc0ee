# SPDX-License-Identifier: MIT
"""A group of commands that says what may have been meant where one is mistyped."""

from pathlib import Path

import click

from clprobe.cli.guide.similar import did_you_mean


class Suggesting(click.Group):
    """A group whose error for an unknown command names similar ones."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names.

        Raises: click.UsageError with what may have been meant, if it names none.
        """
        word = args[0]
        if self.get_command(ctx, word) is not None or word.startswith("-"):
            return super().resolve_command(ctx, args)
        hint = did_you_mean(word, self.list_commands(ctx)) or _for_a_file(ctx, word)
        raise click.UsageError(f"There is no command {word!r}. {hint}".rstrip(), ctx)


def _for_a_file(ctx: click.Context, word: str) -> str:
    """Return what reads a file, for those who name one where a command belongs."""
    if ctx.parent is None and (word == "-" or Path(word).exists()):
        return f"To have it read: clprobe doctor {word}"
    return ""
