# SPDX-License-Identifier: MIT
"""Checks that the reason of every rejection really holds, from the tables' plain YAML alone."""

import re

from plain_tables import family_of, fits, folder, implementations, stacks
from route_checker import OTHER_DRIVERS, drives_beignet, libc_fits, under_wsl2


def wrong_rejections(plan, target):
    """Return the rejections whose reason does not hold, or is of no known kind."""
    return [
        f"{entry.stack} on {entry.backend}: {entry.because}"
        for entry in plan.rejected
        if not entry.sources or not _holds(entry, target)
    ]


def _holds(entry, target):
    for pattern, check in (STACK_REASONS if entry.stack else REASONS).items():
        match = re.search(pattern, entry.because, re.IGNORECASE)
        if match:
            return check(entry, target, match)
    return _quoted(entry, target) if entry.stack else False


def _lacks(entry, target, _match):
    """No row of the release holds it."""
    rows = [row for rows in target.release["packages"].values() for row in rows]
    return not any(entry.backend in row.get("implementations", []) for row in rows)


def _too_old(entry, target, match):
    key = entry.backend
    version = match["version"]
    if key == "beignet":
        return not any(drives_beignet(version, chip) for chip in target.chips)
    if key == "rusticl":
        # A chip may ask for a later Mesa than its generation.
        own = target.generation["implementations"][key]["versions"]
        asked = [f">={one}" for chip in target.chips if (one := chip.get("mesa_since"))]
        return not all(fits(version, one, "mesa") for one in (own, *asked))
    return not any(fits(version, chip.get("neo")) for chip in target.chips)


def _never(entry, target, _match):
    generation = target.generation
    reason = generation.get("not_driven_by", {}).get(entry.backend)
    return reason is not None and reason.rstrip(".") in entry.because


def _unlisted(entry, target, _match):
    field = {"compute-runtime": "neo", "compute-runtime-legacy1": "legacy1", "rusticl": "mesa"}
    return all(
        chip.get(field.get(entry.backend, "beignet")) in (None, False, "crocus")
        for chip in target.chips
    )


def _other_vendor(entry, target, _match):
    drivers = implementations()[entry.backend]["kernel_drivers"]
    own = {_VENDORS[driver] for driver in drivers if driver in _VENDORS}
    pci_id = target.pci_id or target.chips[0]["pci_id"] if target.chips else target.pci_id
    return pci_id[:4] not in own


def _linux_too_old(entry, target, match):
    driver = implementations()[entry.backend]
    support = (target.generation or {}).get("implementations", {}).get(entry.backend, {})
    ranges = [driver.get("linux", "*"), support.get("linux", "*")]
    platforms = [target.generation["platforms"][c["platform"]]["linux"] for c in target.chips]
    version = match["linux"]
    if any(not fits(version, text, "linux") for text in ranges):
        return True
    return any(
        not any(fits(version, linux.get(d), "linux") for d in driver["kernel_drivers"])
        for linux in platforms
    )


def _never_bound(entry, target, _match):
    drivers = implementations()[entry.backend]["kernel_drivers"]
    platforms = [target.generation["platforms"][c["platform"]]["linux"] for c in target.chips]
    return not any(linux.get(driver) for linux in platforms for driver in drivers)


def _no_build(entry, target, _match):
    builds = [b for b in stacks()[entry.stack].get("builds", []) if "python" in b]
    named = [b for b in builds if b.get("file") or stacks()[entry.stack].get("packages")]
    return not any(fits(target.python, build["python"], "pep440") for build in named)


def _no_libc(entry, target, _match):
    builds = [
        b
        for b in stacks()[entry.stack]["builds"]
        if b.get("file") or stacks()[entry.stack].get("packages")
        if target.python is None or fits(target.python, b["python"], "pep440")
        if not b.get("systems") or "linux" in b["systems"]
    ]
    return not any(libc_fits(target, build.get("glibc", "*")) for build in builds)


def _no_system(entry, target, _match):
    system = "wsl2" if target.wsl2 else "linux"
    builds = stacks()[entry.stack]["builds"]
    return all("systems" in build and system not in build["systems"] for build in builds)


def _no_support(entry, target, _match):
    if not target.chips:
        return True
    key = target.generation["generation"]
    return not any(
        key in s.get("generations", []) for s in stacks()[entry.stack].get("supports", [])
    )


def _not_via(entry, target, _match):
    vendor = stacks()[entry.stack].get("vendor")
    if vendor in OTHER_DRIVERS:
        return entry.backend != OTHER_DRIVERS[vendor]
    key = target.generation["generation"]
    support = [s for s in stacks()[entry.stack]["supports"] if key in s.get("generations", [])]
    return entry.backend not in support[0]["via"]


def _quoted(entry, target):
    """The reason is the table's own: hardware on which it fails, or a system that it lacks."""
    stack = stacks()[entry.stack]
    if "linux" not in stack.get("systems", ["linux"]) and not target.wsl2:
        return True
    key = target.generation["generation"] if target.chips else family_of(target.pci_id)["family"]
    failing = [
        s["because"] for s in stack.get("supports", []) if s["outcome"] == "fails"
        and key in (*s.get("generations", []), *s.get("families", []))
    ]  # fmt: skip
    return bool(failing) and failing[0].rstrip(".").lower() == entry.because.rstrip(".").lower()


_VENDORS = {"i915": "8086", "xe": "8086", "amdgpu": "1002", "nvidia": "10de"}


def _not_planned(entry, _target, _match):
    reason = implementations()[entry.backend].get("not_planned")
    return reason is not None and reason[1:] in entry.because


def _no_fingerprint(entry, _target, _match):
    ways = implementations()[entry.backend]["elsewhere"]
    origins = [folder("origins")[w["origin"]] for w in ways if w["how"] == "repository"]
    unpinned = [one["name"].lower() for one in origins if not one.get("fingerprint")]
    return any(entry.because.lower().startswith(name) for name in unpinned)


def _no_libc_way(entry, target, _match):
    """conda-forge's builds and those of wheels ask for a glibc; each way's own range counts."""
    ways = implementations()[entry.backend].get("elsewhere", [])
    ranges = [way["glibc"] for way in ways if "glibc" in way] + [">=2.17"]
    return not all(libc_fits(target, one) for one in ranges)


REASONS = {
    r"it simulates a device": _not_planned,
    r"no GPU on its PCI bus": lambda _e, target, _m: target.no_gpu,
    r"is not stated; lspci": lambda _e, target, _m: target.gpu is None,
    r"but no table vouches for the fingerprint": _no_fingerprint,
    r"exists for .*, not (?P<arch>\w+)": lambda entry, _t, match: (
        match["arch"] not in implementations()[entry.backend]["architectures"]
    ),
    r" for x86_64, not (?P<other>\w+)": lambda _e, _t, match: match["other"] != "x86_64",
    r"in no table, so it is not known": lambda _e, target, _m: target.release is None,
    r"does not package|is known on|does not contain": _lacks,
    r"was never supported by it": _never,
    r"reached through /dev/dxg": lambda entry, target, _m: (
        target.wsl2
        and not any(under_wsl2(implementations()[entry.backend], chip) for chip in target.chips)
    ),
    r"nothing drives": lambda _e, target, _m: "no_opencl_because" in target.generation,
    r"no release of \S+ lists": _unlisted,
    r"it does not drive": _other_vendor,
    r"Linux (?P<linux>\S+) is too old": _linux_too_old,
    r"no kernel driver in Linux": _never_bound,
    r"hold .* for glibc|packages .* for glibc": _no_libc_way,
    r"for Python .*has (?P<python>\S+)\.$": lambda entry, _t, match: (
        not any(
            fits(match["python"], way.get("python", "*"), "pep440")
            for way in implementations()[entry.backend]["elsewhere"]
            if way["how"] == "pip"
        )
    ),
    r"in its current release; .* needs": lambda _e, target, _m: (
        not any(chip.get("neo") and "<" not in chip["neo"] for chip in target.chips)
    ),
    r" (?P<version>\d\S+); .* needs": _too_old,
    r" \S+, but its kernel module does not build": lambda entry, _t, _m: any(
        release.get("breaks") and release["note"] in entry.because
        for release in implementations()[entry.backend]["releases"]
    ),
}
STACK_REASONS = {
    r"it simulates a device": _not_planned,
    r"its builds are for Python": _no_build,
    r"its (wheels|builds) are for glibc": _no_libc,
    r"none of its builds is for": _no_system,
    r"no build of it that can be named": lambda entry, _t, _m: (
        not any(
            b.get("file") or stacks()[entry.stack].get("packages")
            for b in stacks()[entry.stack].get("builds", [])
        )
    ),
    r"this machine has no GPU": lambda _e, target, _m: target.no_gpu,
    r"no table says whether it runs": _no_support,
    r"whether it runs on .* is not known": lambda _e, target, _m: not target.chips,
    r"it was seen running on .* only": _not_via,
    r"no OpenCL route reaches": lambda entry, _t, _m: stacks()[entry.stack].get("cpu") != "works",
    r"(does not|no) package (of )?Intel's Level Zero driver": lambda _e, target, _m: (
        target.release is None or "libze-intel-gpu1" not in target.release["packages"]
    ),
}
