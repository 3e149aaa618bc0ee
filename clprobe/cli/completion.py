# SPDX-License-Identifier: MIT
"""`clprobe completion`, and what shells may complete.

The words are taken from file names and plain text, so that Tab answers at once.
"""

import re
from collections.abc import Iterable, Iterator

import click
from click.shell_completion import CompletionItem, get_completion_class

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.output_option import output_option
from clprobe.resources import NO_RULES, rules_path

_VARIABLE = "_CLPROBE_COMPLETE"
_CASES = ".cases.yaml"
_BY_FILE = ("implementations", "distributions", "stacks", "families", "programs")
_CALLED = re.compile(r"^called: *\[([^\]]+)\]", re.M)
_GPU_WORDS = re.compile(r"\b(?:name|codename|platform): *(?:\"([^\"]+)\"|([^,}\n\"]+))")
_CODENAMES = re.compile(r"^(?:generation|microarchitecture): *\"?(.+?)\"?\s*$", re.M)
_MAKER = re.compile(r"^(?:Intel|AMD|NVIDIA) +")
_DEVICES = ("gpu", "cpu", "accelerator", "0", "1", "2", "3")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@output_option
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print a script that makes Tab complete clprobe's options, rules, names and files.

    \b
    bash:  eval "$(clprobe completion bash)"        in ~/.bashrc
    zsh:   eval "$(clprobe completion zsh)"         in ~/.zshrc, after compinit
    fish:  clprobe completion fish | source         in ~/.config/fish/config.fish
    """  # noqa: D301 - the character, which has click leave the lines as they are
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"This click cannot complete for {shell}.")
    root = ctx.find_root().command
    # Not source(): for bash that asks the bash on PATH for its version.
    script = kind(root, {}, "clprobe", _VARIABLE)
    click.echo(script.source_template % script.source_vars())
    return exit_codes.OK


def rule_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the ids of rules that start so."""
    del ctx, param
    return _starting(rule_names(), incomplete)


def device_words(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return words that pick devices; the drivers themselves are not asked: one may hang."""
    del ctx, param
    return _starting(_DEVICES, incomplete)


def names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the next words of everything that `explain` knows; names may have several words."""
    before = tuple(ctx.params.get(param.name or "") or ())
    start = "".join(f"{word} " for word in _behind_program(before))
    length = len(start)
    following = {
        name[length:].split(" ", 1)[0]
        for name in _names()
        if name[:length].casefold() == start.casefold()
    }
    return _starting(sorted(following), incomplete)


def _names() -> Iterator[str]:
    yield from rule_names()
    tables = rules_path() / "tables"
    for folder in _BY_FILE:
        for path in tables.glob(f"{folder}/*.yaml"):
            yield path.stem
    for path in tables.glob("generations/*.yaml"):
        for listed in _CODENAMES.findall(path.read_text(encoding="utf-8")):
            yield from listed.split(", ")
    for path in tables.glob("gpus/*.yaml"):
        for quoted, bare in _GPU_WORDS.findall(path.read_text(encoding="utf-8")):
            name = (quoted or bare).strip()
            yield from {name, _MAKER.sub("", name)}
    yield from _programs()


def _behind_program(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words behind a program's name, where a GPU stands; all of them without one."""
    known = _programs() if words else set()
    lengths = range(1, len(words) + 1)
    named = [end for end in lengths if " ".join(words[:end]).casefold() in known]
    return words[max(named) :] if named else words


def _programs() -> set[str]:
    """Return the names of all programs, in lower case."""
    texts = (
        path.read_text(encoding="utf-8") for path in rules_path().glob("tables/programs/*.yaml")
    )
    return {
        name.strip(" '\"\n")
        for text in texts
        for listed in _CALLED.findall(text)
        for name in listed.split(",")
    }


def rule_names() -> list[str]:
    """Return the ids of all rules, by the names of their files."""
    return sorted(
        path.stem
        for path in rules_path().glob("*/*.yaml")
        if path.parent.name not in NO_RULES and not path.name.endswith(_CASES)
    )


def _starting(words: Iterable[str], incomplete: str) -> list[CompletionItem]:
    start = incomplete.casefold()
    return [CompletionItem(word) for word in words if word and word.casefold().startswith(start)]
