# SPDX-License-Identifier: MIT
"""Which Linux of a release binds a generation's GPUs, and whether its C library fits files."""

from typing import Literal

import msgspec

from clprobe.compat.linux_support import is_in_range
from clprobe.knowledge.table_types import (
    Distribution,
    Elsewhere,
    Generation,
    Implementation,
    Platform,
)
from clprobe.knowledge.versions import Scheme, conditions, in_words

Fit = Literal["yes", "some", "forced", "no", "unknown"]
_SETTLED = "5.0"
"""A fixed release without a row for its Linux is taken to have at least this one."""
_ROLLING = ("rolling", "tumbleweed")
"""These carry the newest Linux, of which the tables know what it binds."""


class LinuxAnswer(msgspec.Struct, frozen=True):
    """What the release's Linux does with the GPUs; `linux` is the version that does it."""

    fit: Fit
    linux: str | None = None
    pocket: str = "default"
    said: str = ""


def linux_of(
    release: Distribution, generation: Generation, implementation: Implementation
) -> LinuxAnswer:
    """Return the first of the default, the newer (HWE) and the backported Linux that binds all."""
    shipped = release.linux
    if shipped is None:
        return _unlisted(release, generation, implementation)
    offers = (("default", shipped.default), ("hwe", shipped.hwe), ("backports", shipped.backports))
    known = [(pocket, version) for pocket, version in offers if version is not None]
    for fit in ("yes", "some") if shipped.at_least else ("yes", "some", "forced"):
        for pocket, version in known:
            if _fit(version, generation, implementation) == fit:
                said = _said(fit, pocket, version, generation)
                if shipped.at_least:
                    said = said.replace("is too old", "without its updates is too old")
                return LinuxAnswer(fit, version, pocket, said)
    newest = known[-1][1]
    if shipped.at_least:
        said = f"how far its updates go beyond the GPU drivers of Linux {newest} was not looked at"
        return LinuxAnswer("unknown", newest, said=f"{said}: {_asks(generation, implementation)}")
    return LinuxAnswer("no", newest, known[-1][0], _too_old(newest, generation, implementation))


def _fit(linux: str, generation: Generation, implementation: Implementation) -> Fit:
    if not all(
        is_in_range(linux, text, "linux") is True for text in _asked(generation, implementation)
    ):
        return "no"
    platforms = generation.platforms.values()
    bound = [_binds(linux, one, implementation, "") for one in platforms]
    if all(bound):
        return "yes"
    if any(bound):
        return "some"
    forced = [_binds(linux, one, implementation, "_force_probe") for one in platforms]
    return "forced" if any(forced) else "no"


def _binds(linux: str, platform: Platform, implementation: Implementation, how: str) -> bool:
    ranges = [getattr(platform.linux, f"{d}{how}", None) for d in implementation.kernel_drivers]
    return any(text is not None and is_in_range(linux, text, "linux") is True for text in ranges)


def _asked(generation: Generation, implementation: Implementation) -> list[str]:
    support = generation.implementations.get(implementation.implementation)
    return [implementation.linux, *([support.linux] if support is not None else [])]


def _said(fit: Fit, pocket: str, linux: str, generation: Generation) -> str:
    if fit == "forced":
        return f"Linux {linux} binds it only when forced (force_probe)"
    source = {"hwe": " of the hardware-enablement kernel", "backports": " of its backports"}
    if fit == "some":
        late = [
            one.names.partition(":")[0]
            for one in generation.platforms.values()
            if not any(
                text is not None and is_in_range(linux, text, "linux") is True
                for text in (one.linux.i915, one.linux.xe)
            )
        ]
        return f"Linux {linux} is too old for {', '.join(late)}" if late else ""
    return f"it takes Linux {linux}{source[pocket]}" if pocket in source else ""


def _too_old(linux: str, generation: Generation, implementation: Implementation) -> str:
    needed = needed_linux(generation, implementation)
    return f"no Linux of the release binds it: the newest is {linux}, and it takes {needed}"


def needed_linux(generation: Generation, implementation: Implementation) -> str:
    """Return the Linux that the generation and the implementation ask for, in words."""
    words: list[str] = []
    for platform in generation.platforms.values():
        for driver in implementation.kernel_drivers:
            text = getattr(platform.linux, driver, None)
            if text not in (None, "*"):
                words.append(f"{in_words(text)} ({driver}, {platform.names.partition(':')[0]})")
    own = [in_words(text) for text in _asked(generation, implementation) if text != "*"]
    return "Linux " + (", ".join(dict.fromkeys(words or own)) or "of any version")


def _unlisted(
    release: Distribution, generation: Generation, implementation: Implementation
) -> LinuxAnswer:
    """Say nothing of chips that any Linux 5 binds; of newer ones the version decides."""
    if release.id == "conda-forge" and not _any_linux(generation, implementation):
        # It brings no Linux: that is the host's, and a condition, not a doubt.
        said = f"the host's Linux counts: {_asks(generation, implementation)}"
        return LinuxAnswer("yes", said=said)
    if release.release in _ROLLING:
        return LinuxAnswer("yes")
    if _any_linux(generation, implementation):
        return LinuxAnswer("yes")
    said = f"which Linux it has was not looked at, and {_asks(generation, implementation)}"
    return LinuxAnswer("unknown", said=said)


def _asks(generation: Generation, implementation: Implementation) -> str:
    return f"{generation.generation} takes {needed_linux(generation, implementation)}"


def _any_linux(generation: Generation, implementation: Implementation) -> bool:
    """Whether some chip of the generation is bound by every Linux since _SETTLED."""
    ranges = [
        text
        for platform in generation.platforms.values()
        for text in (getattr(platform.linux, d, None) for d in implementation.kernel_drivers)
        if text is not None
    ]
    return any(all(_before(bound, o) for o, bound in conditions(text)) for text in ranges)


def _before(bound: str, operator: str) -> bool:
    return operator not in (">", ">=") or is_in_range(bound, f"<={_SETTLED}", "linux") is True


def below_fits(release: Distribution, way: Elsewhere) -> bool | str:
    """Return whether the release has the C library and Python that the files were built for.

    False: that is not known. Text: what they need instead of what it has.
    """
    parts: tuple[tuple[str, str | None, str, Scheme], ...] = (
        ("glibc", release.glibc, way.glibc, "dotted"),
        ("Python", release.python, way.python, "pep440"),
    )
    for name, has, needed, scheme in parts:
        if has is not None and is_in_range(has, needed, scheme) is False:
            return f"{name} {in_words(needed)}; it has {has}"
    return all(needed == "*" or has is not None for _, has, needed, _ in parts)
