# SPDX-License-Identifier: MIT
"""Which device or platform a program was told to take by number, and whether it was told OpenCL.

Only the option or variable and its number are kept.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from clprobe.knowledge.program_table import Program as TableProgram

_NUMBER = re.compile(r"\d{1,2}(?:[:.]\d{1,2})?")
_AT_END = re.compile(r"(?:^|(?<=[:=]))\d{1,2}(?:[:.]\d{1,2})?$")
_OPTION = re.compile(r"(?P<name>-{1,2}[A-Za-z][\w.-]{0,38})(?:=(?P<value>.*))?", re.DOTALL)
_CHOOSES = re.compile(
    r"(?i)(?<![a-z])(?P<kind>device|dev|platform|plat|gpu)(?:[-_.]?(?:id|idx|index|num|number|no|nr))?$"
)
_OF_OTHERS = re.compile(r"CUDA|HIP|Vulkan|OpenVINO")
_COUNTS = re.compile(r"(?i)(?:num|count|max|min|per|how)[a-z]*[-_.]")
_OF_PLATFORM = " (platform)"
_OF_PYOPENCL = "PYOPENCL_CTX"
_SPEAKS = re.compile(r"(?i)(?<![a-z])(?:open-?cl|ocl)(?![a-z])")
_LONGEST_WORD = 80


def numbers_of(
    row: TableProgram | None, argv: Sequence[str], environment: Mapping[str, str]
) -> tuple[str, ...]:
    """Return what chooses by number, such as `--device 3` or `CLBLAST_PLATFORM=2`.

    Where only the table knows that it is a platform's, as of `-p`, that stands behind it.
    """
    known = dict(_known(row))
    found = (*_of_words(argv[1:], known), *_of_variables(environment, known))
    return tuple(dict.fromkeys(found))


def kind_of(choice: str) -> str | None:
    """Return what a choice of `numbers_of` chooses: a device or a platform."""
    name = re.split(r"[ =]", choice)[0]
    if name == _OF_PYOPENCL or choice.endswith(_OF_PLATFORM):
        return "platform"
    found = _CHOOSES.search(name)
    if found is None:
        return None
    return "platform" if found["kind"].lower().startswith("plat") else "device"


def names_opencl(argv: Sequence[str]) -> bool:
    """Return whether a word behind the program names OpenCL; paths and long texts do not count."""
    return any(
        len(word) <= _LONGEST_WORD and "/" not in word and _SPEAKS.search(word) for word in argv[1:]
    )


def _known(row: TableProgram | None) -> Iterator[tuple[str, str]]:
    """Yield the table's switches that take a device or platform by number, with what it is."""
    for one in () if row is None else row.switches:
        kind = re.search(r"\b(device|platform)s?\b", one.does)
        is_by_number = re.search(r"\bnumber|\bindex|\bid\b", one.does)
        if kind is not None and is_by_number and not _OF_OTHERS.search(one.does):
            yield re.split(r"[ =]", one.name)[0], kind[1]


def _of_words(words: Sequence[str], known: Mapping[str, str]) -> Iterator[str]:
    for at, word in enumerate(words):
        option = _OPTION.fullmatch(word)
        if option is None or not _is_choice(option["name"], known):
            continue
        follows = words[at + 1] if at + 1 < len(words) else ""
        name, value = option["name"], follows if option["value"] is None else option["value"]
        is_told = known.get(name) != "platform" or _CHOOSES.search(name)
        behind = "" if is_told else _OF_PLATFORM
        if _NUMBER.fullmatch(value):
            yield f"{name} {value}{behind}" if option["value"] is None else f"{word}{behind}"
        elif name in known and (number := _AT_END.search(value)):
            yield f"{name} {number[0]}{behind}"


def _of_variables(environment: Mapping[str, str], known: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        is_choice = _is_choice(name, known) and name.isupper()
        if (is_choice or name == _OF_PYOPENCL) and _NUMBER.fullmatch(value):
            yield f"{name}={value}"


def _is_choice(name: str, known: Mapping[str, str]) -> bool:
    return name in known or bool(_CHOOSES.search(name) and not _COUNTS.search(name))
