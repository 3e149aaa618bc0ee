# SPDX-License-Identifier: MIT
"""Sorts clinfo's lines to platforms and devices; the values stay the texts that it printed.

clinfo prints each platform twice: with its properties, then again with its devices.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from clprobe.knowledge.printed import Forms
from clprobe.paste.clinfo.tokens import Token

_FORMS = Forms("clinfo")
Texts = dict[str, str]
"""What was printed for each OpenCL query."""

FLAGS = " flags"
"""Added to a query's name: the Yes and No lines below it, as 1 and 0."""

_MOST_BLOCKS = 512  # no machine has more; a text of many megabytes may
_DEVICE_STARTS = {"amd": "CL_DEVICE_TYPE"}


@dataclass
class Block:
    """A platform as printed; `announced` is the number of devices that clinfo tells."""

    texts: Texts = field(default_factory=dict)
    announced: int | None = None
    devices: list[Texts] = field(default_factory=list)
    owner: str = ""
    device: str = ""

    @property
    def name(self) -> str | None:
        """Its name, None where none was printed."""
        return self.texts.get("CL_PLATFORM_NAME")


@dataclass
class Found:
    """All that one run printed; `is_cut`: a platform with a device is missing in its list."""

    announced: int | None = None
    is_cut: bool = False
    platforms: list[Block] = field(default_factory=list)
    loader: Texts = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def blocks_of(tokens: Sequence[Token]) -> Found:
    """Return what the lines of one run say, each platform once."""
    builder = _Builder()
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        builder.add(token, following)
    found = builder.found
    is_tree = any(token.form == "tree" for token in tokens)
    found.platforms = builder.blocks if is_tree else _folded(builder.blocks, found.announced)
    if found.announced is None and not is_tree:
        # The list of platforms is cut off where another one is used all the same.
        names = {block.name for block in found.platforms}
        found.is_cut = any(one.name not in names and one.devices for one in builder.chosen)
    return found


class _Builder:
    """Takes the lines one after the other."""

    def __init__(self) -> None:
        self.found = Found()
        self.blocks: list[Block] = []
        self._in_null = False
        self.chosen: list[Block] = []
        self._flags: Texts | None = None
        self._flags_of = ""

    def add(self, token: Token, following: Token | None) -> None:
        if token.kind == "flag":
            self._flag(token)
            return
        self._flags = None
        if token.name.startswith("CL_ICDL_"):
            self._in_null = False
            self.found.loader.setdefault(token.name, token.value)
        elif token.kind == "null":
            self._in_null = True
        elif token.kind == "loader":
            self._in_null = False
        elif not self._in_null:
            self._add_answer(token, following)
        elif token.kind == "query":
            self._add_chosen(token)

    def _add_chosen(self, token: Token) -> None:
        """Keep the platforms that the loader chose by itself, each with the devices named below."""
        if token.name == "CL_PLATFORM_NAME":
            known = next((one for one in self.chosen if one.name == token.value), None)
            if known is not None:
                self.chosen.remove(known)
            self.chosen.append(known or Block({token.name: token.value}))
        elif token.name == "CL_DEVICE_NAME" and self.chosen:
            device = {token.name: token.value}
            if device not in self.chosen[-1].devices:
                self.chosen[-1].devices.append(device)

    def _add_answer(self, token: Token, following: Token | None) -> None:
        if token.kind == "platforms":
            self.found.announced = int(token.value)
        elif token.kind == "devices":
            block = self._block()
            if block.announced is not None or block.devices:
                block = self._new_block(token)
            block.announced = int(token.value)
            block.owner = token.owner[0]
        elif token.kind == "tree-platform":
            block = self._new_block(token)
            block.texts["CL_PLATFORM_NAME"], block.announced = token.value, 0
        elif token.kind == "tree-device":
            block = self._block()
            block.devices.append({"CL_DEVICE_NAME": token.value})
            block.announced = len(block.devices)
        elif token.kind == "query" and token.name.startswith("CL_PLATFORM_"):
            self._platform_text(token, following)
        elif token.kind == "query" and not token.name.startswith("CL_KERNEL_"):
            self._device_text(token)

    def _block(self) -> Block:
        return self.blocks[-1] if self.blocks else self._new_block(None)

    def _new_block(self, token: Token | None) -> Block:
        if len(self.blocks) >= _MOST_BLOCKS:
            return Block()
        self.blocks.append(Block(owner=token.owner[0] if token else ""))
        return self.blocks[-1]

    def _platform_text(self, token: Token, following: Token | None) -> None:
        block = self._block()
        is_second = following is not None and following.kind == "devices"
        starts = token.name == "CL_PLATFORM_NAME" and (token.form != "amd" or is_second)
        is_used = block.announced is not None or bool(block.devices)
        if starts or is_used or token.name in block.texts:
            is_fresh = not block.texts and not is_used
            block = block if is_fresh else self._new_block(token)
        block.owner = block.owner or token.owner[0]
        block.texts[token.name] = token.value

    def _device_text(self, token: Token) -> None:
        suffix, number = token.owner
        if number.startswith("-") or number == "*":
            return
        block = self._block()
        is_of_another = suffix != block.owner if block.owner else bool(block.texts)
        if suffix and is_of_another and (block.owner or block.announced is None):
            block = self._new_block(token)
        start = _DEVICE_STARTS.get(token.form, "CL_DEVICE_NAME")
        is_next = bool(number) and number != block.device
        known = block.devices[-1] if block.devices else None
        if known is None or is_next or token.name in known or (token.name == start and not number):
            block.devices.append({})
        block.device = number
        device = block.devices[-1]
        device[token.name] = token.value
        if token.name.endswith("_FP_CONFIG") and token.form == "human":
            self._flags, self._flags_of = device, token.name

    def _flag(self, token: Token) -> None:
        if self._flags is None:
            return
        key = self._flags_of + FLAGS
        seen = self._flags.get(key, "")
        expected = list(_FORMS.tables["flags"])[len(seen) : len(seen) + 1]
        if expected == [token.name] and token.value in ("Yes", "No"):
            self._flags[key] = seen + ("1" if token.value == "Yes" else "0")


def _folded(blocks: list[Block], announced: int | None) -> list[Block]:
    """Put the two halves together: the k-th platform with devices is the k-th platform."""
    split = _length_of_first_half(blocks, announced)
    platforms = blocks[:split]
    place = 0
    for block in blocks[split:]:
        match = _match(platforms, place, block)
        if match is None:
            platforms.append(block)
            place = len(platforms)
            continue
        first = platforms[match]
        platforms[match] = Block(
            {**block.texts, **first.texts}, block.announced, block.devices, block.owner
        )
        place = match + 1
    return platforms


def _length_of_first_half(blocks: list[Block], announced: int | None) -> int:
    if announced is not None and 0 < announced <= len(blocks):
        is_whole = not any(_has_devices(block) for block in blocks[:announced])
        if is_whole:
            return announced
    first, second = blocks[: len(blocks) // 2], blocks[len(blocks) // 2 :]
    are_same = [block.name for block in first] == [block.name for block in second]
    has_only_names = all(len(block.texts) < 2 for block in second)
    if are_same and has_only_names and not any(_has_devices(block) for block in first):
        return len(first)
    return next((at for at, block in enumerate(blocks) if _has_devices(block)), len(blocks))


def _has_devices(block: Block) -> bool:
    return block.announced is not None or bool(block.devices)


def _match(platforms: list[Block], place: int, block: Block) -> int | None:
    """Return which platform a block with devices belongs to; None: to none that was printed."""
    if block.name is None and block.owner:
        for at, platform in enumerate(platforms[place:], place):
            if block.owner in (platform.texts.get("CL_PLATFORM_ICD_SUFFIX_KHR"), f"P{at}"):
                return at
    if place < len(platforms) and block.name in (None, platforms[place].name):
        return place
    names = [platform.name for platform in platforms[place:]]
    return place + names.index(block.name) if block.name in names else None
