# SPDX-License-Identifier: MIT
"""YAML files checked against types; a mistake is named with file, line, value and nearest word."""

import difflib
import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from clprobe.model.errors import ClprobeError
from clprobe.model.plain_yaml import YamlMistake, load
from clprobe.parsed_files import RULES
from clprobe.plain_file import read_plain

T = TypeVar("T")
_MOST_BYTES = 1 << 20
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(path: Path, kind: type[T], *, data: Any = None) -> T:
    """Return a file as a `kind`; `data` is what was made of it where that is not just its parse.

    Raises: ClprobeError if it cannot be read, is no YAML, repeats a key, or does not fit.
    """
    data = document(path) if data is None else data
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        mistake = mistake_of(error, kind, path, data)
        raise table_error(path, mistake.line, mistake.problem, mistake.hint) from error


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
    text = text_of(path)
    try:
        return load(text, _Loader)
    except YamlMistake as error:
        raise table_error(path, error.line, error.problem) from error


def table_error(path: Path, line: int, message: str, hint: str = "") -> ClprobeError:
    """Return the error that a file of the rules database is wrong in that line."""
    return ClprobeError(
        reference="table-malformed",
        message=f"{path}:{line}: {message}",
        hint=hint or "rules/tables/README.md explains the format.",
    )


def line_at(path: Path, keys: tuple[str | int, ...]) -> int:
    """Return the line of the deepest of `keys` that the file has. Slow; for errors only.

    A text among the keys is a key of a mapping or, in a list, the item that says so.
    """
    node, line = composed(text_of(path)), 1
    for key in keys:
        found = _entry(node, key)
        if found is None:
            break
        line, node = found
    return line


def composed(text: str) -> Any:
    """Return the nodes of a text that `parse` took, with their lines."""
    return yaml.compose(text, Loader=_Loader)


def _entry(node: Any, key: str | int) -> tuple[int, Any] | None:
    if isinstance(node, yaml.MappingNode):
        found = next(((k, v) for k, v in node.value if k.value == str(key)), None)
    elif isinstance(node, yaml.SequenceNode):
        at = (item for i, item in enumerate(node.value) if key in (i, item.value))
        found = next(((item, item) for item in at), None)
    else:
        found = None
    return (int(found[0].start_mark.line) + 1, found[1]) if found is not None else None


def nearest(word: str, known: list[str]) -> str:
    """Return a hint with the known words most like `word`, or all of them."""
    close = difflib.get_close_matches(word, known, n=3, cutoff=0.5) or sorted(known)
    return (
        "Did you mean " + " or ".join(close) + "?"
        if len(close) <= 3
        else ("Known are " + ", ".join(close) + ".")
    )


class _Loader(_Base):  # type: ignore[misc]
    """The safe loader with fewer surprises: `yes`, `on` and dates are text, keys are unique."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[Any] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key.value!r} is there twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("int", r"-?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+", "-0123456789"),
    ("float", r"-?[0-9]+\.[0-9]+(?:e-?[0-9]+)?", "-0123456789"),
    ("null", r"null|", "n"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}",
        re.compile(rf"^(?:{_pattern})$"),
        [*_first, ""] if _tag == "null" else list(_first),
    )


class Mistake(msgspec.Struct, frozen=True):
    """What does not fit in a file, in which line, and what would."""

    line: int
    problem: str
    hint: str


def mistake_of(error: msgspec.ValidationError, kind: Any, path: Path, data: Any) -> Mistake:
    """Return what msgspec says of a file's data, with its line and the nearest word."""
    message, _, where = str(error).partition(" - at `")
    keys = _keys(where.rstrip("`"), kind, data, str(error))
    node = composed(text_of(path))
    line, found = _line(node, keys), _word(message)
    hint = ""
    if found is not None:
        line = _line_of_word(node, keys, found, line)
        words = _known_words(
            msgspec.inspect.type_info(kind), keys, field="unknown field" in message
        )
        hint = nearest(found, words) if words else ""
    value = _value(data, keys)
    said = f" (here: {value!r})" if isinstance(value, str | int | float | bool) else ""
    place = ".".join(str(key) for key in keys)
    return Mistake(line, f"{place + ': ' if place else ''}{message}{said}.", hint)


def _word(message: str) -> str | None:
    match = re.search(r"unknown field `(.*)`|enum value '(.*)'", message)
    return (match[1] or match[2]) if match else None


def _keys(where: str, kind: Any, data: Any, message: str) -> list[str | int]:
    """Return the path to the mistake; msgspec writes `[...]` for keys, so they are tried."""
    keys: list[str | int] = []
    for token in re.findall(r"\[(\.\.\.|\d+)\]|\.([^.\[]+)|(key)", where):
        if token[0] == "...":
            here = _value(data, keys)
            keys.append(next((k for k in here if _fails(k, keys, kind, data, message)), ""))
        elif token[0] or token[1]:
            keys.append(int(token[0]) if token[0] else token[1])
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


def _child(node: Any, key: str | int) -> Any:
    if isinstance(node, yaml.MappingNode):
        return next((value for name, value in node.value if name.value == str(key)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int):
        return node.value[key] if key < len(node.value) else None
    return None


def _node(node: Any, keys: list[str | int]) -> Any:
    for key in keys:
        child = _child(node, key)
        if child is None:
            return node
        node = child
    return node


def _line(node: Any, keys: list[str | int]) -> int:
    if node is None:  # nothing but comments
        return 1
    return int(_node(node, keys).start_mark.line) + 1


def _line_of_word(node: Any, keys: list[str | int], word: str, otherwise: int) -> int:
    inner = _node(node, keys)
    if isinstance(inner, yaml.MappingNode):
        for name, _ in inner.value:
            if name.value == word:
                return int(name.start_mark.line) + 1
    return otherwise


def _known_words(kind: Any, keys: list[str | int], *, field: bool) -> list[str]:
    """Return the field names (or the values) that are allowed at the end of the path."""
    if isinstance(kind, msgspec.inspect.UnionType):
        return [word for one in kind.types for word in _known_words(one, keys, field=field)]
    if not keys:
        if isinstance(kind, msgspec.inspect.StructType) and field:
            return [f.encode_name for f in kind.fields]
        if isinstance(kind, msgspec.inspect.LiteralType):
            return [str(value) for value in kind.values]
        return []
    if isinstance(kind, msgspec.inspect.StructType):
        inner = next((f.type for f in kind.fields if f.encode_name == keys[0]), None)
    else:
        inner = getattr(kind, "value_type", None) or getattr(kind, "item_type", None)
    return _known_words(inner, keys[1:], field=field) if inner else []
