# SPDX-License-Identifier: MIT
"""Distributions by the names that people and programs write, such as "Ubuntu 22.04.3 LTS"."""

import re

from clprobe.knowledge.printed import Forms
from clprobe.model.system import Distribution
from clprobe.model.unknown import NOT_STATED

_FORMS = Forms("distribution_names")


def distribution_named(text: str) -> Distribution | None:
    """Return the distribution that the text names; None if it names none."""
    text = text[:300]
    found = _FORMS.first("distributions", text)
    if found is None:
        return None
    name, match = found
    distribution = _FORMS.tables["ids"].get(name, name)
    codename = _codename(text, distribution)
    is_rolling = name in _FORMS.words["rolling"]
    version = None if is_rolling else _version(match["version"], distribution, codename)
    if name != distribution:  # its numbers are not those of what it is made of
        version = _FORMS.tables["made_of"].get(f"{name} {(match['version'] or '').split('.')[0]}")
    return Distribution(
        id=distribution,
        version=version if version or is_rolling else NOT_STATED,
        name=match[0] if name != distribution else NOT_STATED,
        codename=codename or NOT_STATED,
        like=tuple(_FORMS.tables["like"].get(name, "").split()),
    )


def span_of_name(text: str) -> tuple[int, int] | None:
    """Return where in the text the distribution stands that it names; None if it names none."""
    found = _FORMS.first("distributions", text[:300])
    return found[1].span() if found is not None else None


def _version(stated: str | None, distribution: str, codename: str | None) -> str | None:
    if not stated:
        return _FORMS.tables["codenames"][codename].split()[1] if codename is not None else None
    if distribution == "ubuntu" and len(stated) == 4 and stated.isdigit():
        return f"{stated[:2]}.{stated[2:]}"  # 1804
    if distribution == "ubuntu" and stated.isdigit() and int(stated) % 2 == 0:
        return f"{stated}.04"  # who leaves the month out means the release with long support
    if distribution == "ubuntu":  # os-release knows 22.04, not the point release 22.04.3
        return ".".join(stated.split(".")[:2])
    return stated.split(".")[0] if distribution == "debian" else stated


def _codename(text: str, distribution: str) -> str | None:
    known = _FORMS.tables["codenames"]
    words = re.findall(r"[a-z]{4,12}", text.lower())
    return next(
        (word for word in words if known.get(word, "").startswith(f"{distribution} ")), None
    )
