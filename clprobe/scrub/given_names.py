# SPDX-License-Identifier: MIT
"""Names that people gave to networks, repositories and images, and ids in columns of tables.

Unlike the forms of `identifiers`, most of these are told by the words and columns beside them.
"""

import re

from clprobe.knowledge.printed import Forms
from clprobe.scrub.identifiers import FEWEST_KINDS, Replace, replaced, value_of
from clprobe.scrub.replacing import Removed, is_stand_in

_FORMS = Forms("private_names")


def without_given_names(text: str, removed: Removed) -> str:
    """Return the text without names that people gave to their things."""
    return replaced(text, _FORMS.patterns["given"], _JUDGES, removed)


def _network(match: re.Match[str], removed: Removed) -> str:
    is_kept = is_stand_in(match["value"]) or match["value"] in {"off/any", "--", "auto"}
    return match[0] if is_kept else value_of("network-name")(match, removed)


def _repository(match: re.Match[str], removed: Removed) -> str:
    is_public = match["value"].partition("/")[0].lower() in _FORMS.words["publishers"]
    return match[0] if is_public else value_of("repository")(match, removed)


def _image(match: re.Match[str], removed: Removed) -> str:
    parts = match["value"].lower().split("/")
    # The registry may stand before the owner.
    owners = parts[:2] if len(parts) > 2 else parts[:1]
    is_public = not _FORMS.words["publishers"].isdisjoint(owners)
    is_public = is_public or (len(parts) == 1 and parts[0] in _FORMS.words["common"])
    return match[0] if is_public or parts == ["<none>"] else value_of("image")(match, removed)


def _bare_id(match: re.Match[str], removed: Removed) -> str:
    digits = match["value"].lower().removeprefix("0x")
    is_machine, characters = len(digits) == 32, len(set(digits))
    # With more characters it looks random, and goes as a token does.
    if characters < 3 or (is_machine and characters >= FEWEST_KINDS):
        return match[0]
    return value_of("machine-id" if is_machine else "serial")(match, removed)


def _disk(match: re.Match[str], removed: Removed) -> str:
    return _FORMS.serial_word.sub(lambda word: removed.stand_in("serial", word[0]), match[0])


_JUDGES: dict[str, Replace] = {
    "network-name": _network,
    "repository": _repository,
    "image": _image,
    "serial in a list of disks": _disk,
    "serial alone on its line": _bare_id,
}
