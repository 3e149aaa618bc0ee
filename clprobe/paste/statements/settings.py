# SPDX-License-Identifier: MIT
"""Blocks of settings, entry by entry: compose files, and the cache of CMake."""

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.reading import Paste
from clprobe.paste.text import FENCE

_FORMS = Forms("settings_blocks")
_MOST_LINES = 3000
_MOST = 60
_LONGEST = 220
_FEWEST_KEYS = 2
_SURE = ("image:", "devices:", "services:", "group_add:", "container_name:", "network_mode:")
_Owners = list[tuple[int, str]]
"""The keys above a line with their indentation, the innermost last."""


def settings_in(paste: Paste) -> Iterator[Statement]:
    """Yield what the entries of compose files and of CMake's cache set, a few dozen of each."""
    lines = paste.lines[:_MOST_LINES]
    yield from islice(_of_caches(lines), _MOST)
    yield from islice((one for block in _blocks(lines) for one in _of_block(block, lines)), _MOST)


def _of_caches(lines: Sequence[str]) -> Iterator[Statement]:
    for index, text in enumerate(lines):
        found = _FORMS.cache.match(text) if "=" in text and ":" in text else None
        if found is None or _FORMS.cache_of_cmake.search(found["name"]):
            continue
        what = "absent" if _FORMS.not_found.search(found["value"]) else "field"
        value = found["value"][:_LONGEST]
        yield Statement(line=index + 1, what=what, subject=found["name"], says=value)


def _blocks(lines: Sequence[str]) -> Iterator[list[int]]:
    """Yield the lines of each compose file, or of what is like one."""
    if not any(word in text for text in lines for word in _SURE):
        return
    block: list[int] = []
    for index, text in enumerate((*lines, FENCE)):
        if text != FENCE and _FORMS.line.match(text):
            block.append(index)
        elif text.strip():
            keys = sum(_FORMS.key.match(lines[one]) is not None for one in block)
            if keys >= _FEWEST_KEYS and any(_FORMS.sure.match(lines[one]) for one in block):
                yield block
            block = []


def _of_block(block: Sequence[int], lines: Sequence[str]) -> Iterator[Statement]:
    owners: _Owners = []
    for place, index in enumerate(block):
        found = _FORMS.line.match(lines[index])
        if found is None:
            continue
        # Entries may stand as far left as the key that they belong to.
        depth = 2 * len(found["indent"]) + (found["dash"] is not None)
        if not found["off"]:
            owners = [one for one in owners if one[0] < depth]
        entry = found["entry"] or ""
        if found["key"] and not found["value"] and not found["off"]:
            owners.append((depth + (found["dash"] is not None), found["key"]))
            continue
        told = (found["key"] or "", found["value"] or entry, [name for _, name in owners])
        one = _reserved(block[place:], lines) if _is_reserved(told[2], found["dash"]) else None
        one = one or _of_entry(*told, is_off=found["off"] is not None)
        if one is not None:
            yield msgspec.structs.replace(one, line=index + 1, where="container")


def _of_entry(key: str, value: str, owners: Sequence[str], *, is_off: bool) -> Statement | None:
    """Return what an entry sets; None if it tells nothing of what runs there."""
    owner = owners[-1] if owners else ""
    bare = _FORMS.comment.sub("", value).strip("\"' ")
    if owner == "environment":
        pair = _FORMS.pair.match(f"{key}={bare}" if key else bare)
        if pair is None or not pair["value"]:
            return None
        says = f"{pair['name']}={pair['value']}"[:_LONGEST]
        return Statement(line=1, what="sets", subject=pair["name"], says=says, negated=is_off)
    says = (value if _FORMS.list.match(owner) else bare)[:_LONGEST]
    if _FORMS.list.match(owner) and "reservations" not in owners:
        subject = f"{owner} {key}" if key else owner
    elif _FORMS.telling.match(key) and bare:
        subject = key
    else:
        return None
    return Statement(line=1, what="field", subject=subject, says=says, negated=is_off)


def _is_reserved(owners: Sequence[str], dash: str | None) -> bool:
    return bool(dash) and list(owners[-2:]) == ["reservations", "devices"]


def _reserved(block: Sequence[int], lines: Sequence[str]) -> Statement | None:
    """Return the device that is reserved from here on, with all that is said of it."""
    pairs: list[str] = []
    depth = len(lines[block[0]]) - len(lines[block[0]].lstrip())
    for place, index in enumerate(block):
        found = _FORMS.line.match(lines[index])
        if found is None or (place and (len(found["indent"]) <= depth)):
            break
        if found["key"] and found["value"] and not found["off"]:
            pairs.append(f"{found['key']}: {found['value']}")
        elif found["entry"]:
            pairs.append(found["entry"])
        elif found["key"]:
            pairs.append(f"{found['key']}:")
    says = ", ".join(pairs)[:_LONGEST]
    return Statement(line=1, what="field", subject="reserved device", says=says) if pairs else None
