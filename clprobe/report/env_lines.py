# SPDX-License-Identifier: MIT
"""Shell lines that make programs load chosen ICDs only, and lines that take it back.

Both loaders agree on one thing alone: OCL_ICD_VENDORS may name a folder of `.icd` files. The lines
make such a folder for the shell that runs them, so that clprobe itself changes nothing.
"""

import shlex
from collections.abc import Sequence

import msgspec

from clprobe.facts.hiding import Choice, HiddenIcd, KeptIcd

FOLDER = "CLPROBE_ENV_FOLDER"
"""The variable that names the folder in force."""

# What the lines change, and where the former value is kept meanwhile.
SAVED = {
    "OCL_ICD_VENDORS": "CLPROBE_ENV_VENDORS",
    "OCL_ICD_FILENAMES": "CLPROBE_ENV_FILENAMES",
}
SHELLS = ("sh", "fish")


class EnvReport(msgspec.Struct, frozen=True, kw_only=True):
    """What hides broken drivers in one shell; `lines` are what `clprobe env` prints."""

    shell: str
    kept: tuple[KeptIcd, ...]
    hidden: tuple[HiddenIcd, ...]
    lines: tuple[str, ...]


def hiding_lines(choice: Choice, parent: str, shell: str) -> tuple[str, ...]:
    """Return the lines that hide what the choice hides; the folder is made inside `parent`."""
    comments = tuple(f"# hidden: {_comment(one.icd)}: {_comment(one.why)}" for one in choice.hidden)
    make = _FISH if shell == "fish" else _SH
    return (*comments, *make.hide(parent, choice.kept))


def undoing_lines(shell: str) -> tuple[str, ...]:
    """Return the lines that give variables back their former values and remove the folder."""
    return (_FISH if shell == "fish" else _SH).undo()


def comment_lines(text: str) -> tuple[str, ...]:
    """Return a text as shell comments."""
    return tuple(f"# {_comment(line)}" for line in text.splitlines())


def _comment(text: str) -> str:
    """Return the text without anything that ends a comment or moves the cursor."""
    return "".join(c if c.isprintable() else "?" for c in text)


class _Sh:
    """POSIX shells: dash, bash, zsh, ksh and BusyBox read these lines alike."""

    def hide(self, parent: str, kept: Sequence[KeptIcd]) -> tuple[str, ...]:
        save = "; ".join(
            f'if [ -n "${{{name}+set}}" ]; then export {kept_as}="${name}"; '
            f"else unset {kept_as}; fi"
            for name, kept_as in SAVED.items()
        )
        return (
            f'if [ -z "${{{FOLDER}+set}}" ]; then {save}; fi',
            f"export {FOLDER}={shlex.quote(parent)}/clprobe/env-$$",
            f'rm -rf -- "${FOLDER}"',
            f'mkdir -p -m 700 -- "${FOLDER}"',
            *(
                f"printf '%s\\n' {shlex.quote(icd.library)} >| "
                f'"${FOLDER}"/{shlex.quote(icd.file_name)}'
                for icd in kept
            ),
            f'export OCL_ICD_VENDORS="${FOLDER}"',
            "unset OCL_ICD_FILENAMES",
        )

    def undo(self) -> tuple[str, ...]:
        restore = (
            f'  if [ -n "${{{kept_as}+set}}" ]; then export {name}="${kept_as}"; '
            f"else unset {name}; fi"
            for name, kept_as in SAVED.items()
        )
        return (
            f'if [ -n "${{{FOLDER}+set}}" ]; then',
            f'  case "${FOLDER}" in */clprobe/env-*) rm -rf -- "${FOLDER}";; esac',
            *restore,
            f"  unset {FOLDER} {' '.join(SAVED.values())}",
            "fi",
        )


class _Fish:
    def hide(self, parent: str, kept: Sequence[KeptIcd]) -> tuple[str, ...]:
        save = "; ".join(
            f"set -e {kept_as}; set -q {name}; and set -gx {kept_as} ${name}"
            for name, kept_as in SAVED.items()
        )
        return (
            f"set -q {FOLDER}; or begin; {save}; end",
            f"set -gx {FOLDER} {_fish_quoted(parent)}/clprobe/env-$fish_pid",
            f"rm -rf -- ${FOLDER}",
            f"mkdir -p -m 700 -- ${FOLDER}",
            *(
                f"printf '%s\\n' {_fish_quoted(icd.library)} > "
                f"${FOLDER}/{_fish_quoted(icd.file_name)}"
                for icd in kept
            ),
            f"set -gx OCL_ICD_VENDORS ${FOLDER}",
            "set -e OCL_ICD_FILENAMES",
        )

    def undo(self) -> tuple[str, ...]:
        restore = (
            f"  if set -q {kept_as}; set -gx {name} ${kept_as}; else; set -e {name}; end"
            for name, kept_as in SAVED.items()
        )
        return (
            f"if set -q {FOLDER}",
            f"  string match -q -- '*/clprobe/env-*' ${FOLDER}; and rm -rf -- ${FOLDER}",
            *restore,
            f"  set -e {FOLDER} {' '.join(SAVED.values())}",
            "end",
        )


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_SH, _FISH = _Sh(), _Fish()
