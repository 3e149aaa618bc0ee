# SPDX-License-Identifier: MIT
"""Reads needs.yaml; a mistake is named with file, line, value and remedy."""

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from clprobe.derived import code_of, derived_parts
from clprobe.knowledge import checked_yaml
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import compare, conditions, is_empty
from clprobe.model.errors import ClprobeError
from clprobe.needs.sizes import bytes_of
from clprobe.needs.written import DeviceNeed, HostNeed, Needs

_RANGES = ("driver", "opencl", "opencl_c")
_SIZES = ("global_memory", "largest_buffer", "local_memory")
_RANGE = 'Write a range in quotes, such as ">=3.0" or ">=24.35, <26".'
_SIZE = "Write bytes, or a size such as 2 GiB or 64 KiB."
_HINTS = dict.fromkeys(_RANGES, _RANGE) | dict.fromkeys(_SIZES, _SIZE)
_FORMAT = 'README.md, "Does this host have what my program needs?", shows the format.'
_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,39}[A-Za-z0-9])?")
_EXTENSION = re.compile(r"cl_[a-z0-9]+_\w+|cles_\w+")
_DEEPEST = 20
_PARSED_BY = code_of("knowledge/yaml_text.py", "model/plain_yaml.py")
_MOST_KEPT, _LONGEST_KEPT = 20, 4096
"""Files of needs, and characters, whose data is kept: a prolog asks the same of each job."""
Keys = tuple[str | int, ...]


def read_needs(path: Path, tables: Tables) -> Needs:
    """Return what a file asks for.

    Raises: ClprobeError naming file, line, value and remedy if it cannot be read or asks for what
    there cannot be.
    """
    data = _parsed(path)
    if not isinstance(data, dict):
        kind = "nothing" if data is None else f"a {type(data).__name__}"
        raise _mistake(path, 1, f"needs are a mapping, this is {kind}.")
    if _depth(data) > _DEEPEST:
        raise _mistake(path, 1, f"needs within needs go deeper than {_DEEPEST} levels.")
    needs = checked_yaml.read(path, Needs, data=data, mistake=_mistake)
    for keys, problem, hint in _host_problems(needs, (), tables):
        line = checked_yaml.line_at(path, keys)
        raise _mistake(path, line, f"{'.'.join(map(str, keys)) or 'needs'}: {problem}.", hint)
    return needs


def _parsed(path: Path) -> Any:
    """Return the plain data; what is wrong is told of needs, not of clprobe's own tables."""
    try:
        text = checked_yaml.text_of(path)
        if len(text) > _LONGEST_KEPT:
            return checked_yaml.parse_text(path, text)
        return _kept(path, text)
    except ClprobeError as error:
        kind = error.reference.rpartition("-")[2]
        hint = error.hint if kind == "unreadable" else _FORMAT
        raise ClprobeError(reference=f"needs-{kind}", message=error.message, hint=hint) from error


def _kept(path: Path, text: str) -> Any:
    name = hashlib.blake2s(text.encode()).hexdigest()

    def parse(_: str) -> Any:
        return checked_yaml.parse_text(path, text)

    try:
        return derived_parts("needs", Any, _PARSED_BY, [name], parse, most=_MOST_KEPT)[name]
    except OverflowError:  # a number that no cache can hold
        return parse(name)


def _depth(data: Any) -> int:
    parts = list(data.values()) if isinstance(data, dict) else data
    if not isinstance(parts, list):
        return 0
    return 1 + max(map(_depth, parts), default=0)


def _mistake(path: Path, line: int, problem: str, hint: str = "") -> ClprobeError:
    key = problem.partition(":")[0].rpartition(".")[2]
    return ClprobeError(
        reference="needs-malformed",
        message=f"{path}:{line}: {problem}",
        hint=hint or _HINTS.get(key, _FORMAT),
    )


Problem = tuple[Keys, str, str]


def _host_problems(need: HostNeed, at: Keys, tables: Tables) -> Iterator[Problem]:
    if not (need.asks_devices or need.all or need.any or need.none):
        yield at, "it asks for nothing", "Write device:, count:, all:, any: or none:."
    if need.label is not None and not _LABEL.fullmatch(need.label):
        hint = "Use at most 41 letters, digits, - _ and . inside."
        yield (*at, "label"), f"{need.label!r} is no label", hint
    if need.device is not None:
        yield from _device_problems(need.device, (*at, "device"), tables)
    for key in ("all", "any", "none"):
        for place, part in enumerate(getattr(need, key)):
            yield from _host_problems(part, (*at, key, place), tables)


def _device_problems(need: DeviceNeed, at: Keys, tables: Tables) -> Iterator[Problem]:
    if need == DeviceNeed() and at[-1] != "device":
        yield at, "it asks for nothing", _FORMAT
    for key in _RANGES:
        yield from _checked(need, at, key, _check_range, _RANGE)
    for key in _SIZES:
        yield from _checked(need, at, key, bytes_of, _SIZE)
    if need.computes is False:
        yield (*at, "computes"), "it may be true, or be left out", "Write computes: true."
    yield from _misnamed(need, at, tables)
    for key in ("all", "any", "none"):
        for place, part in enumerate(getattr(need, key)):
            yield from _device_problems(part, (*at, key, place), tables)


def _misnamed(need: DeviceNeed, at: Keys, tables: Tables) -> Iterator[Problem]:
    for name in generations_of(need):
        if tables.generation(name) is None:
            hint = checked_yaml.nearest(name, list(tables.generations()))
            yield (*at, "generation"), f"there is no generation {name!r} of Intel's GPUs", hint
    for key in ("platform", "name"):
        if getattr(need, key) is not None and not getattr(need, key).strip():
            yield (*at, key), "it is empty", "Write part of the name, or leave it out."
    for place, name in enumerate(need.extensions):
        if not _EXTENSION.fullmatch(name):
            hint = "Write it as drivers list it, such as cl_khr_fp16."
            yield (*at, "extensions", place), f"{name!r} is no name of an extension", hint


def generations_of(need: DeviceNeed) -> tuple[str, ...]:
    """Return the generations of which a device may be one; none: any."""
    if need.generation is None:
        return ()
    return (need.generation,) if isinstance(need.generation, str) else need.generation


def _checked(
    need: DeviceNeed, at: Keys, key: str, check: Callable[[Any], object], hint: str
) -> Iterator[Problem]:
    value = getattr(need, key)
    try:
        if value is not None:
            check(value)
    except ClprobeError as error:
        yield (*at, key), error.message.rstrip("."), hint


def _check_range(versions: str) -> None:
    for _, bound in conditions(versions):
        compare(bound, bound, "mesa")
    if is_empty(versions, "mesa"):
        raise ClprobeError(
            reference="version-range-malformed", message=f"no version lies in {versions!r}"
        )
