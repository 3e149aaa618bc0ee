# SPDX-License-Identifier: MIT
"""The user's own settings of doctor: `clprobe/config.toml` where settings live."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

import click
import msgspec

from clprobe.cli.completion import rule_names
from clprobe.cli.guide.similar import did_you_mean
from clprobe.model.errors import ClprobeError
from clprobe.plain_file import read_plain

_LARGEST = 64 << 10
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")
_AT_KEY = re.compile(r" - at `\$\.?(\w*)")


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file may say: findings that do not count, and whether warnings count as errors."""

    ignore: tuple[str, ...] = ()
    strict: bool = False


def config_path() -> Path:
    """Return where the file is looked for, `~/.config` unless XDG_CONFIG_HOME says otherwise."""
    return Path(click.get_app_dir("clprobe")) / "config.toml"


def read_config() -> Config:
    """Return the settings, the usual ones where there is no file.

    Raises: ClprobeError naming file, line and value of what is wrong in it.
    """
    path = config_path()
    try:
        data = read_plain(path, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    except OSError as error:
        if not os.access(path.parent, os.X_OK):  # as after `su`: the folder is somebody else's
            return Config()
        raise _mistake(f"{path}: {error.strerror}") from error
    text = data.decode("utf-8", "replace")
    try:
        config = msgspec.toml.decode(text, type=Config)
    except msgspec.ValidationError as error:
        raise _wrong_value(path, text, str(error)) from error
    except (msgspec.DecodeError, ValueError) as error:
        found = _AT_LINE.search(str(error))
        number = int(found[1]) if found and found[1] else text.count("\n") + 1
        problem = _AT_LINE.sub("", str(error)).strip()
        raise _mistake(f"{path}:{number}: {problem}: {_line(text, number)}") from error
    for rule in config.ignore:
        if rule not in rule_names():
            message = f"{path}:{_line_of(text, rule)}: there is no rule {rule!r} to ignore"
            raise _mistake(message, did_you_mean(rule, rule_names()))
    return config


def check_rules(names: Iterable[str]) -> None:
    """Raise a usage error with similar names for what is no rule."""
    for name in names:
        if name not in rule_names():
            hint = did_you_mean(name, rule_names()) or "See clprobe doctor --list."
            raise click.BadParameter(f"There is no rule {name!r}. {hint}", param_hint="--ignore")


def _wrong_value(path: Path, text: str, message: str) -> ClprobeError:
    unknown = re.search(r"unknown field `(.*)`", message)
    if unknown:
        problem = f"there is no setting {unknown[1]!r}"
        hint = did_you_mean(unknown[1], Config.__struct_fields__)
        return _mistake(f"{path}:{_line_of(text, unknown[1])}: {problem}", hint)
    key = found[1] if (found := _AT_KEY.search(message)) else ""
    number = _line_of(text, key)
    problem = _AT_KEY.split(message)[0].replace("`", "")
    return _mistake(f"{path}:{number}: {key}: {problem}: {_line(text, number)}")


def _line_of(text: str, word: str) -> int:
    """Return the number of the first line that has the word; the first where none has."""
    whole = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if whole.search(line)), 1)


def _line(text: str, number: int) -> str:
    lines = text.splitlines()
    return lines[number - 1].strip() if number <= len(lines) else "the end of the file"


def _mistake(message: str, hint: str = "") -> ClprobeError:
    usual = 'It may say ignore = ["RULE", …] and strict = true; mend it, or move it away.'
    return ClprobeError(
        reference="config-malformed", message=f"{message}.", hint=f"{hint} {usual}".strip()
    )
