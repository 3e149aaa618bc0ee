# SPDX-License-Identifier: MIT
"""What statements are about: programs, drivers, GPUs, systems, variables … that a text names."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

import msgspec

from clprobe.knowledge.often import Often
from clprobe.knowledge.printed import Forms
from clprobe.paste.prose.systems import distribution_in
from clprobe.paste.spoken.vocabulary import vocabulary

_FORMS = Forms("things")
_GPUS = Forms("told_gpus")
_PACKAGES = Forms("told_packages")
_VIEWS = Forms("told_views")
_LONGEST = 600
_VERSIONED = ("program", "toolkit", "driver", "package")


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a text names from `start` to `end`; `version` and `value` are "" if not told.

    `sort` is what it is: one of the words of rules/tables/printed/things.yaml.
    """

    sort: str
    name: str
    start: int
    end: int
    version: str = ""
    value: str = ""


@lru_cache(maxsize=2048)
def things_in(text: str) -> tuple[Thing, ...]:
    """Return what a text names, in its order, each place once."""
    text = text[:_LONGEST]
    found: list[Thing] = []
    for one in _all_in(text):
        if not any(one.start < other.end and other.start < one.end for other in found):
            found.append(_with_version(one, text))
    return tuple(sorted(found, key=lambda one: one.start))


def _all_in(text: str) -> Iterator[Thing]:
    """Yield what may be named; of those in one place, the first is meant."""
    yield from _by_spelling(text)
    for sort, forms in _hardware().items():
        for form in forms:
            yield from (_thing(sort, found[0].strip(), found) for found in form.finditer(text))
    yield from _distribution(text)
    for found in _named()[0].finditer(text):
        yield _thing("package", found["name"].rstrip(".-"), found)
    for found in _named()[1].finditer(text):
        if _is_name(found[0]):
            yield _thing("program", found["viewer"].lower(), found)
    for found in _words().finditer(text):
        is_account = found[0].lower() != "root" or not _FORMS.no_account.match(text[found.end() :])
        if _is_name(found[0]) and is_account:
            sort, low = str(found.lastgroup), found[0].lower()
            yield _thing(sort, _programs().get(low, low) if sort == "program" else low, found)
    for found in _FORMS.maker_machine.finditer(text):
        yield _thing("machine", found[0], found)


def _distribution(text: str) -> Iterator[Thing]:
    """Yield the distribution that is named, and not one whose package's version stands behind."""
    named = distribution_in(text)
    if named is not None and not _FORMS.of_package.match(text[named[1] :]):
        _, start, end = named
        yield Thing(sort="distribution", name=text[start:end].strip(), start=start, end=end)


def _by_spelling(text: str) -> Iterator[Thing]:
    for sort, form in _spellings().items():
        for found in form.finditer(text):
            groups = found.groupdict()
            name = groups.get("name") or found[0].strip()
            if sort == "variable" and _FORMS.constant.search(name):
                continue
            version = groups.get("version") or groups.get("other") or groups.get("mac") or ""
            version = version or groups.get("ahead") or ""
            if version and sort in ("kernel", "windows"):
                name = name.split()[0].rstrip(":") if sort == "windows" else "Linux"
            yield _thing(sort, name, found, version=version, value=groups.get("value") or "")


def _thing(sort: str, name: str, found: re.Match[str], **more: str) -> Thing:
    return Thing(sort=sort, name=name, start=found.start(), end=found.end(), **more)


def _is_name(word: str) -> bool:
    """Tell whether a word that the language has, too, is written as a name."""
    return word.lower() not in _FORMS.words["ambiguous"] or word != word.lower()


def _with_version(thing: Thing, text: str) -> Thing:
    if thing.version or thing.sort not in _VERSIONED:
        return thing
    behind = _FORMS.version_behind.match(text[thing.end :])
    if behind is None:
        return thing
    return msgspec.structs.replace(thing, version=behind["version"])


def named_versions(text: str) -> Iterator[tuple[str, str]]:
    """Yield names of which nothing is known, with the versions that stand behind them."""
    for found in _FORMS.named_version.finditer(text[:_LONGEST]):
        is_named = not _FORMS.no_name.match(found["name"])
        if is_named and not _FORMS.of_package.match(f"{found['name']} {found['version']}"):
            yield found["name"], found["version"]
    for found in _FORMS.named_branch.finditer(text[:_LONGEST]):
        yield found["name"], found["version"]


@cache
def _spellings() -> dict[str, Often]:
    """Return the forms of what is known by how it is spelt, by its sort."""
    forms = {
        "variable": _FORMS.variable,
        "option": _FORMS.option,
        "parameter": _FORMS.parameter,
        "node": _FORMS.node,
        "file": _FORMS.file,
        "kernel": _FORMS.kernel,
        "windows": _FORMS.windows,
        "image": _FORMS.image,
        "container image": _FORMS.container_image,
        "memory": _FORMS.memory,
        "source": _FORMS.source,
        "architecture": _FORMS.architecture,
        "machine": _FORMS.machine,
    }
    return {sort: Often(form) for sort, form in forms.items()}


@cache
def _hardware() -> dict[str, tuple[Often, ...]]:
    processors = (_GPUS.cpu, _GPUS.cpu_number, _FORMS.other_cpu)
    gpus = (_GPUS.intel, _GPUS.amd, _GPUS.nvidia, _GPUS.other, _GPUS.lake)
    return {"processor": tuple(map(Often, processors)), "gpu": tuple(map(Often, gpus))}


@cache
def _named() -> tuple[Often, Often]:
    """Return the forms of packages and of programs that have a view of OpenCL."""
    return Often(_PACKAGES.name), Often(_VIEWS.viewer)


@cache
def _programs() -> dict[str, str]:
    return vocabulary().called()


@cache
def _words() -> Often:
    """Return one expression for all names that are plain words, the longest first."""
    words = {
        "toolkit": _FORMS.words["toolkit"],
        "driver": _FORMS.words["driver"],
        "part": _FORMS.words["part"],
        "place": _FORMS.words["place"],
    }
    others = set().union(*words.values())
    words["program"] = _FORMS.words["program"] | _programs().keys() - others
    parts = []
    for sort, names in words.items():
        ordered = sorted(names, key=lambda name: (-len(name), name))
        parts.append(f"(?P<{sort}>{'|'.join(map(re.escape, ordered))})")
    form = re.compile(rf"(?i)(?<![\w/@.$-])(?:{'|'.join(parts)})(?:'s)?(?![\w@/]|-[a-z]|\.\w)")
    return Often(form)
