# SPDX-License-Identifier: MIT
"""YAML files checked against types; a mistake is named with file, line, value and nearest word."""

import difflib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from clprobe.model.errors import ClprobeError
from clprobe.parsed_files import RULES
from clprobe.plain_file import read_plain

T = TypeVar("T")
_MOST_BYTES = 1 << 20


def read(
    path: Path,
    kind: type[T],
    *,
    data: Any = None,
    mistake: Callable[[Path, int, str, str], ClprobeError] | None = None,
) -> T:
    """Return a file as a `kind`; `data` is what was made of it where that is not just its parse.

    Raises: ClprobeError if it cannot be read, is no YAML, repeats a key, or does not fit: then it
    is what `mistake` makes of file, line, problem and hint.
    """
    data = document(path) if data is None else data
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise (mistake or table_error)(path, *_explained(error, kind, path, data)) from error


def document(path: Path) -> Any:
    """Return the plain data of a file. Only true and false are booleans, and dates stay text.

    Raises: ClprobeError if it cannot be read, is no YAML or repeats a key.
    """
    try:
        return RULES.parsed(path, parse)
    except OSError as error:
        raise _unreadable(path, error) from error


def text_of(path: Path) -> str:
    """Return the text of a data file, or say which one cannot be read."""
    data = b""
    try:
        data = read_plain(path, _MOST_BYTES)
        return data.decode("utf-8")
    except OSError as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"the byte {data[error.start]:#04x} is no UTF-8"
        raise table_error(path, line, problem, "Save the file as UTF-8.") from error


def _unreadable(path: Path, error: OSError) -> ClprobeError:
    return ClprobeError(
        reference="rule-unreadable",
        message=f"{path}: {error.strerror or error}",
        hint="Check path and mode.",
    )


def parse(path: Path) -> Any:
    """Return the plain data of a file that need not be kept from run to run, as `document` does.

    Raises: ClprobeError if it cannot be read, is no YAML or repeats a key.
    """
    return parse_text(path, text_of(path))


def parse_text(path: Path, text: str) -> Any:
    """Return the plain data of the text that a file holds.

    Raises: ClprobeError if it is no YAML or repeats a key.
    """
    # Most runs find each file as it was parsed before, and PyYAML takes as long as all of them.
    from clprobe.knowledge.yaml_text import Loader  # noqa: PLC0415
    from clprobe.model.plain_yaml import YamlMistake, load  # noqa: PLC0415

    try:
        return load(text, Loader)
    except YamlMistake as error:
        raise table_error(path, error.line, error.problem) from error


def table_error(path: Path, line: int, message: str, hint: str = "") -> ClprobeError:
    """Return the error that a file of the rules database is wrong in that line."""
    return ClprobeError(
        reference="table-malformed",
        message=f"{path}:{line}: {message}",
        hint=hint or "rules/tables/README.md explains the format.",
    )


def line_at(path: Path, keys: Sequence[str | int]) -> int:
    """Return the line of the deepest of `keys` that the file has. Slow; for errors only.

    A text among the keys is a key of a mapping; in a list, the item that says so, or that has it.
    """
    from clprobe.knowledge.yaml_text import line_in  # noqa: PLC0415 - see parse

    return line_in(text_of(path), keys)


def nearest(word: str, known: list[str]) -> str:
    """Return a hint with the known words most like `word`, or all of them."""
    close = difflib.get_close_matches(word, known, n=3, cutoff=0.5) or sorted(known)
    return (
        "Did you mean " + " or ".join(close) + "?"
        if len(close) <= 3
        else ("Known are " + ", ".join(close) + ".")
    )


def _explained(
    error: msgspec.ValidationError, kind: Any, path: Path, data: Any
) -> tuple[int, str, str]:
    """Return the line of what msgspec says of a file's data, its words, and the nearest word."""
    message, _, where = str(error).partition(" - at `")
    keys = _keys(where.rstrip("`"), kind, data, str(error))
    match = re.search(r"(unknown field|enum value) [`'](.*)[`']", message)
    hint = ""
    if match is not None:
        allowed = _allowed(
            msgspec.inspect.type_info(kind), keys, fields=match[1] == "unknown field"
        )
        hint = nearest(match[2], allowed) if allowed else ""
    value = _value(data, keys)
    said = f" (here: {value!r})" if isinstance(value, str | int | float | bool) else ""
    place = f"{'.'.join(map(str, keys))}: " if keys else ""
    line = line_at(path, keys if match is None else [*keys, match[2]])
    return line, f"{place}{message}{said}.", hint


def _keys(where: str, kind: Any, data: Any, message: str) -> list[str | int]:
    """Return the path to the mistake; msgspec writes `[...]` for keys, so they are tried."""
    keys: list[str | int] = []
    for index, field in re.findall(r"\[(\.\.\.|\d+)\]|\.([^.\[]+)", where):
        if index == "...":
            here = _value(data, keys)
            keys.append(next((k for k in here if _fails(k, keys, kind, data, message)), ""))
        else:
            keys.append(int(index) if index else field)
    return keys


def _fails(key: str, keys: list[str | int], kind: Any, data: Any, message: str) -> bool:
    alone = _only(data, [*keys, key])
    try:
        msgspec.convert(alone, kind)
    except msgspec.ValidationError as error:
        return str(error) == message
    return False


def _only(data: Any, keys: list[str | int]) -> Any:
    """Return `data` in which the innermost mapping on the path holds nothing but its last key."""
    if len(keys) == 1:
        return {keys[0]: data[keys[0]]}
    copy = data.copy()
    copy[keys[0]] = _only(data[keys[0]], keys[1:])
    return copy


def _value(data: Any, keys: list[str | int]) -> Any:
    try:
        for key in keys:
            data = data[key]
    except (KeyError, IndexError, TypeError):
        return None
    return data


def _allowed(kind: Any, keys: list[str | int], *, fields: bool) -> list[str]:
    """Return the names of fields (or the values) that are allowed at the end of the path."""
    if isinstance(kind, msgspec.inspect.Metadata):  # around what is described
        return _allowed(kind.type, keys, fields=fields)
    if isinstance(kind, msgspec.inspect.UnionType):
        return [word for one in kind.types for word in _allowed(one, keys, fields=fields)]
    if keys and isinstance(kind, msgspec.inspect.StructType):
        inner = next((f.type for f in kind.fields if f.encode_name == keys[0]), None)
    elif keys:
        inner = getattr(kind, "value_type", None) or getattr(kind, "item_type", None)
    elif fields:
        return [field.encode_name for field in getattr(kind, "fields", ())]
    else:
        return [str(value) for value in getattr(kind, "values", ())]
    return _allowed(inner, keys[1:], fields=fields) if inner else []
