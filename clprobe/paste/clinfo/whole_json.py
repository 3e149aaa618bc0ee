# SPDX-License-Identifier: MIT
"""Finds clinfo's JSON in a text and sorts it to platforms and devices."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clprobe.paste.clinfo.blocks import Block, Found, Texts
from clprobe.paste.clinfo.loose_json import Container, LooseReader

_START = re.compile(r'\{\s*"?platforms"?\s*:')
_BARE_START = re.compile(r'"platforms"\s*:')
_LIKE_JSON = re.compile(r'"(?:CL_|platforms|devices|online|offline|icd_loader|raw|version|_det)')
_ONLY_BRACKETS = re.compile(r'[\s{}\[\],:"\w.-]{1,80}$')
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', re.DOTALL)
_STRAY = re.compile(r'"CL_[A-Z0-9_]{3,60}"\s*:')
_LIST_ENTRY = re.compile(r"\{(\d{1,3})[.:](\d{1,3}): ([^\n{}]*)\n")
_SENTENCE = re.compile(r"[A-Za-z]{3,}[^\"]{0,40}\s[^\"]{0,40}[A-Za-z]{2,}")
_LONGEST_NOISE = 8
_WRAPPED = 60
_LOST_AT_EDGE = 2
_NEW_LINE = "\n"


@dataclass
class JsonRun:
    """A block of JSON: its lines and what they say."""

    lines: range
    found: Found
    printed: str


def json_runs(texts: Sequence[str]) -> list[JsonRun]:
    """Return the JSON answers of clinfo among plain lines."""
    runs: list[JsonRun] = []
    index = 0
    while index < len(texts):
        start = _start_of(texts, index)
        if start is None:
            index += 1
            continue
        end = _end_of(texts, index, start)
        found = _found(_joined(texts, index, end, start), start)
        printed = "\n".join(_foreign(texts[index:end])).replace("\t", " ")
        runs.append(JsonRun(range(index, end), found, printed))
        index = end
    return runs


def _start_of(texts: Sequence[str], index: int) -> int | None:
    """Return where in the line JSON of clinfo starts; None: nowhere."""
    line = texts[index]
    if "platforms" in line:
        found = _START.search(line)
        if found:
            return found.start()
        is_below = index > 0 and texts[index - 1].strip() == "{"
        return 0 if is_below and _BARE_START.match(line.strip()) else None
    # The head was cut away.
    return 0 if line.count('"CL_') >= 2 and _STRAY.search(line) else None


def _end_of(texts: Sequence[str], index: int, start: int) -> int:
    """Return the line after the block: where all brackets are closed, or it is JSON no longer."""
    # Where the bracket before "platforms" stands on the line above, it is open still.
    is_open_above = start == 0 and _BARE_START.match(texts[index].strip()) is not None
    depth, last, is_in_string = int(is_open_above), index, False
    for place in range(index, len(texts)):
        line = texts[place][start if place == index else 0 :]
        is_another = place > index and _START.search(line)
        if place - last > _LONGEST_NOISE or is_another or line.strip() in ("```", "~~~"):
            break
        change, is_open = _brackets(f'"{line}' if is_in_string else line)
        depth += change
        # Only a line that was wrapped ends within a string.
        is_in_string = is_open and len(line) >= _WRAPPED
        is_full = place == last + 1 and len(line) >= max(len(texts[index]) - 2, _WRAPPED)
        is_json = _LIKE_JSON.search(line) or (depth and _ONLY_BRACKETS.match(line[:100]))
        is_end = depth <= 0 and ("}" in line or "]" in line)
        if is_json or is_full or is_end:
            last = place
        if is_end:
            break
    return last + 1


def _brackets(line: str) -> tuple[int, bool]:
    """Return by how much a line opens more than it closes, and whether it ends in a string."""
    parts = _STRINGS.findall(line)
    change = sum((part in ("{", "[")) - (part in ("}", "]")) for part in parts)
    last = parts[-1] if parts else ""
    return change, last.startswith('"') and (len(last) == 1 or not last.endswith('"'))


def _joined(texts: Sequence[str], index: int, end: int, start: int) -> str:
    parts = [texts[index][start:]]
    width = max(len(line) for line in texts[index:end])
    for place in range(index + 1, end):
        # Only lines that were wrapped are of one length: there one may end within a word, or
        # have lost a blank at the edge.
        lost = width - len(texts[place - 1])
        is_wrapped = width >= _WRAPPED and lost <= _LOST_AT_EDGE and end - index > _LOST_AT_EDGE
        parts.append(f"{' ' * lost if is_wrapped else _NEW_LINE}{texts[place]}")
    return "".join(parts)


def _foreign(lines: Sequence[str]) -> Iterator[str]:
    """Give what a driver printed between the JSON, as far as it is on lines' ends."""
    width = max(len(line) for line in lines)
    is_full = [width - len(line) <= _LOST_AT_EDGE for line in lines]
    full = sum(is_full)
    for place, line in enumerate(lines):
        is_wrapped = place and is_full[place - 1] and full > _LOST_AT_EDGE
        is_json = _LIKE_JSON.search(line)
        rest = line.rpartition('"')[2].lstrip(" }],:0123456789") if is_json else line
        if _SENTENCE.search(rest) and not is_wrapped:
            yield rest


def _found(text: str, start: int) -> Found:
    is_list = _LIST_ENTRY.search(text) is not None
    text = _LIST_ENTRY.sub(r'{ "CL_DEVICE_NAME" : "\3" ', text) if is_list else text
    reader = LooseReader(text)
    found = Found()
    if start:
        found.remarks.append("other text stood before the JSON")
    if is_list:
        found.remarks.append("JSON was repaired: names stood in it without quotation marks")
    found.remarks += [f"JSON was repaired: {what}" for what in reader.repairs]
    answer = reader.root
    if answer.get("platforms") is None:
        answer = next(iter(reader.root.objects()), Container(is_object=True))
    has_shape = isinstance(answer.get("platforms"), Container)
    (_shaped if has_shape else _stray)(found, answer if has_shape else reader.root)
    return found


def _shaped(found: Found, answer: Container) -> None:
    platforms, devices = answer.get("platforms"), answer.get("devices")
    for platform in platforms.items:
        is_named_only = isinstance(platform, str)
        texts = {"CL_PLATFORM_NAME": platform} if is_named_only else _texts(platform)
        found.platforms.append(Block(texts))
    found.announced = len(found.platforms)
    for place, entry in enumerate(devices.items if isinstance(devices, Container) else ()):
        online = entry.get("online") if isinstance(entry, Container) else None
        if not isinstance(online, Container):
            continue
        block = found.platforms[place] if place < len(found.platforms) else Block()
        if place >= len(found.platforms):
            found.platforms.append(block)
        block.devices = [
            {"CL_DEVICE_NAME": device} if isinstance(device, str) else _texts(device)
            for device in online.items
        ]
        block.announced = len(block.devices)
    loader = answer.get("icd_loader")
    found.loader = _texts(loader) if isinstance(loader, Container) else {}


def _stray(found: Found, root: Container) -> None:
    """Take the objects as they come where the outermost brackets are lost."""
    found.remarks.append("the JSON was cut at its start")
    waiting = [root]
    while waiting:
        part = waiting.pop()
        texts = _texts(part)
        names = " ".join(texts)
        if "CL_PLATFORM_" in names:
            found.platforms.append(Block(texts))
        elif "CL_ICDL_" in names:
            found.loader = texts
        elif "CL_DEVICE_" in names:
            if not found.platforms:
                found.platforms.append(Block())
            found.platforms[-1].devices.append(texts)
        waiting += reversed(part.objects())


def _texts(part: Any) -> Texts:
    if not isinstance(part, Container):
        return {}
    texts: Texts = {}
    for key, value in part.pairs:
        if key.startswith("CL_"):
            texts.setdefault(key, _text(value))
    return texts


def _text(value: Any) -> str:
    """Write a value as the text formats do."""
    if isinstance(value, Container):
        raw = value.get("raw")
        return str(raw) if raw is not None else " ".join(_text(item) for item in value.items)
    if isinstance(value, bool):
        return "CL_TRUE" if value else "CL_FALSE"
    return "" if value is None else str(value)
