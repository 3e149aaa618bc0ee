# SPDX-License-Identifier: MIT
"""Which of a program's options and variables choose devices: by the table, or by their names.

No more of its words is kept than these names, and values out of a closed list: the rest is private.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from clprobe.knowledge.program_table import Program as TableProgram
from clprobe.probe.environment import LISTED, is_recorded

_STEERS = frozenset(LISTED) - {"CONDA_PREFIX", "VIRTUAL_ENV", "XDG_SESSION_ID", "XDG_SESSION_TYPE"}
_FAMILIES = ("OCL_ICD_", "OPENCL_LAYER", "RUSTICL_", "POCL_")
_MOST_HINTS = 6
_OPTION = re.compile(r"-{1,2}(?P<name>[A-Za-z][\w.-]{0,38})")
_SETTING = re.compile(r"(?P<name>[A-Za-z][\w.-]{0,38})(?==)")
_BARE = re.compile(r"(?i)(?:(?:no|disable|without|use|force|only)[-_]?)?(?:open-?cl|gpu|cpu)")
_SPEAKS = re.compile(
    r"(?i)open-?cl|gpu|(?<![a-z])(?:no)?(?:ocl|cl|cpu|devices?|platforms?|backends?|accel\w*|hwaccel|"
    r"cuda|hip|rocm|vulkan|sycl|level-?zero)(?![a-z])"
)
_SHOWS = re.compile(r"(?i)(?:^|[-_.])(?:list|show|print|info|detect|query|help|version|dump)")
_MESA = re.compile(
    r"(?i)(?:llvmpipe|softpipe|iris|crocus|radeonsi|r600|nouveau|panfrost|asahi|freedreno|v3d|virgl|"
    r"zink)"
)
_VALUE = re.compile(
    r"(?i)no|off|false|none|yes|on|true|all|any|auto|never|always|(?:dis|en)abled?|[cg]pu|opencl|cuda|"
    r"hip|vulkan|native|host|\d{1,2}(?:[:.,]\d{1,2}){0,3}"
)
_OFF = re.compile(r"(?i)no|off|false|none|0|never|disabled?|cpu")
_NEGATES = re.compile(r"(?i)(?:^|_)(?:no|disable|without|skip)(?:_|$)")


def switches_of(
    row: TableProgram | None, argv: Sequence[str], environment: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the names of those switches of the table that the program was given."""
    words = {word.partition("=")[0] for word in argv if word.startswith("-")}
    return tuple(
        one.name
        for one in (() if row is None else row.switches)
        if (one.kind == "option" and _bare_name(one.name) in words)
        or (one.kind == "variable" and one.name.partition("=")[0] in environment)
    )


def hints_of(
    row: TableProgram | None, argv: Sequence[str], environment: Mapping[str, str]
) -> tuple[str, ...]:
    """Return options and variables whose names speak of devices, and which no table knows."""
    known = {_bare_name(one.name) for one in (() if row is None else row.switches)}
    found = (*_of_words(argv[1:], known), *_of_variables(environment, known))
    return tuple(dict.fromkeys(found))[:_MOST_HINTS]


def _bare_name(name: str) -> str:
    return name.partition(" ")[0].partition("=")[0]


def _of_words(words: Sequence[str], known: set[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        if _BARE.fullmatch(word) and (at == 0 or not words[at - 1].startswith("-")):
            yield word
            continue
        option = _OPTION.match(word) or _SETTING.match(word)
        if option is None or option[0] in known or not _speaks(option["name"]):
            continue
        rest = word[option.end() :]
        follows = words[at + 1] if at + 1 < len(words) and word.startswith("-") else ""
        if rest.startswith("=") and _is_plain(rest[1:]):
            yield word
        elif not rest and _is_plain(follows):
            yield f"{word} {follows}"
        elif not rest or rest.startswith("="):
            yield option[0]


def _speaks(name: str) -> bool:
    return bool(_SPEAKS.search(name)) and not _SHOWS.search(name)


def _is_plain(value: str) -> bool:
    """Whether the value is one that anybody may see."""
    return bool(_VALUE.fullmatch(value) or _MESA.fullmatch(value))


def mesa_driver_in(hints: Sequence[str]) -> str | None:
    """Return the driver of Mesa's that one of the hints asks for; None: none does."""
    found = (_MESA.fullmatch(re.split(r"[ =]", hint)[-1]) for hint in hints)
    return next((one[0].lower() for one in found if one is not None), None)


def _of_variables(environment: Mapping[str, str], known: set[str]) -> Iterator[str]:
    """Yield the variables that seem to switch something off; most say nothing of that kind."""
    for name, value in environment.items():
        if is_recorded(name) or name in known or not re.search(r"OPENCL|OCL|GPU", name):
            continue
        is_off = bool(_OFF.fullmatch(value)) != bool(_NEGATES.search(name))
        if is_off and _VALUE.fullmatch(value):
            yield f"{name}={value}"


def lost_of(
    row: TableProgram | None, before: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the variables that steer OpenCL, were set before, and do not reach the program.

    One of the program's own counts as lost where something gave it another value as well.
    """
    own = {one.name for one in (() if row is None else row.switches) if one.kind == "variable"}
    return tuple(
        name
        for name, value in sorted(before.items())
        if (_steers(name) and not environment.get(name))
        or (name in own and environment.get(name) != value)
    )


def _steers(name: str) -> bool:
    return name in _STEERS or name.startswith(_FAMILIES)
