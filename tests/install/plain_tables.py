# SPDX-License-Identifier: MIT
"""The tables as plain YAML, and versions compared, without a line of clprobe's planner.

Only for route_checker.py: what it says must not rest on the code that it checks.
"""

import functools
import re
from pathlib import Path

import yaml
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2] / "rules" / "tables"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@functools.cache
def folder(name):
    """Return every file of a folder of the tables, by its stem."""
    return {
        path.stem: yaml.load(path.read_text(), Loader=_LOADER)  # noqa: S506 - a safe loader
        for path in sorted((ROOT / name).glob("*.yaml"))
    }


@functools.cache
def gpus():
    """Return every GPU by its PCI id, with its generation."""
    return {
        pci_id: {**entry, "generation": content["generation"]}
        for content in folder("gpus").values()
        for pci_id, entry in content["gpus"].items()
    }


def family_of(pci_id):
    """Return the family of a PCI id of AMD's or NVIDIA's, {} if no table has it."""
    vendor = {"1002": "amd", "10de": "nvidia"}.get(pci_id[:4])
    for one in folder("families").values():
        spans = " ".join(one.get("chips", {}).values()).split()
        ends = [(int(span[:4], 16), int(span[-4:], 16)) for span in spans]
        if one["vendor"] == vendor and any(a <= int(pci_id[5:], 16) <= b for a, b in ends):
            return one
    return {}


@functools.cache
def generations():
    return {content["generation"]: content for content in folder("generations").values()}


def implementations():
    return folder("implementations")


def stacks():
    return folder("stacks")


def releases():
    """Return every release by the name that --os takes."""
    return {f"{one['id']}-{one['release']}": one for one in folder("distributions").values()}


def fits(version, ranges, scheme="dotted"):
    """Whether the version meets each condition of a range such as ">=4.2, <7"."""
    if ranges is None:
        return False
    if ranges.strip() == "*":
        return True
    for part in ranges.split(","):
        sign, bound = re.fullmatch(r"\s*(>=|<=|==|<|>)\s*(\S+)\s*", part).groups()
        order = _order(version, bound, scheme)
        met = {">=": order >= 0, "<=": order <= 0, "==": order == 0, "<": order < 0, ">": order > 0}
        if not met[sign]:
            return False
    return True


def upstream(version):
    """Return the part of a package's version that upstream gave: 24.35.1 of 1:24.35.1+ds-2."""
    bare = version.split(":", 1)[-1]
    bare = bare.rsplit("-", 1)[0] if "-" in bare else bare
    return re.split(r"[+~]", bare)[0]


def _order(one, other, scheme):
    key = {"pep440": Version, "linux": _linux, "mesa": _mesa, "debian": None}.get(scheme, _dotted)
    if key is None:
        return debian_order(one, other)
    left, right = key(one), key(other)
    return (left > right) - (left < right)


def _dotted(version):
    numbers = [int(n) for n in re.match(r"v?(\d+(?:\.\d+)*)", version)[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return numbers


def _linux(version):
    candidate = re.search(r"-rc(\d+)", version)
    return _dotted(version), int(candidate is None), int(candidate[1]) if candidate else 0


def _mesa(version):
    return _dotted(version), int(not re.search(r"rc|devel", version))


def debian_order(one, other):
    """Compare as deb-version(7) says: epoch, upstream version, revision."""
    for left, right in zip(_parts(one), _parts(other), strict=True):
        order = _alternating(left, right)
        if order:
            return order
    return 0


def _parts(version):
    epoch, _, rest = version.rpartition(":")
    body, _, revision = rest.rpartition("-") if "-" in rest else (rest, "", "0")
    return epoch or "0", body, revision


def _alternating(left, right):
    while left or right:
        texts = [re.match(r"\D*", text)[0] for text in (left, right)]
        weights = [[_weight(c) for c in text] + [0] for text in texts]
        if weights[0] != weights[1]:
            return -1 if weights[0] < weights[1] else 1
        left, right = left[len(texts[0]) :], right[len(texts[1]) :]
        digits = [re.match(r"\d*", text)[0] for text in (left, right)]
        numbers = [int(text or 0) for text in digits]
        if numbers[0] != numbers[1]:
            return -1 if numbers[0] < numbers[1] else 1
        left, right = left[len(digits[0]) :], right[len(digits[1]) :]
    return 0


def _weight(character):
    """A tilde comes before the end, letters before other characters."""
    if character == "~":
        return -1
    return ord(character) if character.isalpha() else ord(character) + 256
