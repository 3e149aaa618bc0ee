# SPDX-License-Identifier: MIT
"""Checks a plan against the tables by trying every constraint, one after the other.

It reads the YAML itself (plain_tables.py) and shares no code with clprobe/install, so a mistake
there is not made here again. `wrong_routes` returns sentences; [] is right.
"""

import re

from plain_tables import (
    family_of,
    fits,
    generations,
    gpus,
    implementations,
    releases,
    stacks,
    upstream,
)

OTHER_DRIVERS = {"nvidia": "nvidia", "amd": "amd-rocm"}
VENDORS = {"nvidia": "10de:", "amd": "1002:"}


class Target:
    """What the plan is for: `chips` are all that the GPU's name may mean."""

    def __init__(self, gpu, os, linux, python, arch):
        self.gpu, self.linux, self.arch = gpu, linux, arch
        self.release = releases().get(os)
        self.os = os
        self.python = python or (self.release or {}).get("python")
        self.no_gpu = gpu == "none"
        self.wsl2 = "microsoft" in (linux or "")
        ids = re.findall(r"\b[0-9a-f]{4}:[0-9a-f]{4}\b", gpu or "")
        self.pci_id = ids[0] if ids else None
        known = [gpus().get(pci_id) for pci_id in ids]
        self.chips = [chip for chip in known if chip and chip["generation"] != "pre-production"]

    @property
    def generation(self):
        return generations()[self.chips[0]["generation"]] if self.chips else None

    def linuxes(self, components):
        """Return the versions of Linux that the route may count on."""
        if self.linux:
            versions = [self.linux]
        else:
            versions = [(self.release or {}).get("linux", {}).get("default")]
        newer = [c.version for c in components if c.name.startswith("linux-")]
        return [version for version in newer or versions if version]


def wrong_routes(plan, target):
    """Return what is wrong with any route of the plan."""
    found = []
    if [route.rank for route in plan.routes] != list(range(1, len(plan.routes) + 1)):
        found.append("the ranks have gaps")
    for route in plan.routes:
        name = f"{route.rank} {route.stack} on {route.backend} ({route.how})"
        found += [f"{name}: {said}" for said in _wrong(route, target)]
    return found


def _wrong(route, target):
    yield from _shape(route)
    if route.uses_gpu:
        yield from _on_gpu(route, target)
    if route.how == "source" and (route.steps or not any("git" in c for c in route.caveats)):
        yield "a build from source that is no text with its repositories"
    if route.backend in implementations():
        yield from _offered(route, target)
    if route.stack is not None:
        yield from _stack(route, target)


def _shape(route):
    if not route.sources:
        yield "no source"
    if not route.ranking or not route.because:
        yield "no reason"
    for step in route.steps:
        if not all(isinstance(word, str) and word for word in step.argv):
            yield f"an empty word in {step.argv}"
        if {"sh", "bash", "|", "&&", ";"} & set(step.argv):
            yield f"a shell in {step.argv}"
        if any("trusted=yes" in word or "http://" in word for word in step.argv):
            yield f"an untrusted source in {step.argv}"
        if any("URIs:" in word and "Signed-By:" not in word for word in step.argv):
            yield f"a source without its key in {step.argv}"
        changes = {"install", "run", "create", "add", "-aG"} & set(step.argv[:6])
        if changes and "--upgrade" not in step.argv and step.verify is None:
            yield f"nothing proves {step.argv}"


def _on_gpu(route, target):
    if target.no_gpu or target.gpu is None:
        yield "a GPU that is not there"
        return
    if route.backend in ("direct3d12", "vulkan", "amdgpu"):
        if not _has_what_it_calls(route, target):
            yield f"{route.backend} below a stack that needs something else"
        return
    entry = implementations()[route.backend]
    if target.chips:
        yield from _on_chips(route, entry, target)
        return
    vendors = {"nvidia": "10de:", "amd-rocm": "1002:"}
    told = family_of(target.pci_id).get("implementations", {})
    if route.status != "unverified" and route.backend not in told:
        yield "an unknown GPU that counts as verified"
    if route.backend in vendors and not target.pci_id.startswith(vendors[route.backend]):
        yield "the driver of another vendor"


def _has_what_it_calls(route, target):
    stack = stacks()[route.stack]
    if route.backend == "direct3d12":
        return target.wsl2
    if route.backend == "vulkan":
        return stack["api"] == "vulkan" and bool(route.by_hand)
    return bool(stack.get("brings_driver"))


def _on_chips(route, entry, target):
    if not any(_drives(route, chip) for chip in target.chips):
        yield "no chip of that name is driven by this version"
    driven = sum(_drives(route, chip) for chip in target.chips)
    # A stray id does not turn the order of a whole name, if the route names it.
    if driven * 2 < len(target.chips) and route.status == "supported":
        yield "only a few chips of that name are driven, yet it counts as supported"
    if driven < len(target.chips) and not any("chips of that name" in c for c in route.caveats):
        yield "some chips of that name are left out without a word"
    if target.arch and target.arch not in entry.get("architectures", [target.arch]):
        yield f"no build for {target.arch}"
    if target.wsl2:
        if not any(under_wsl2(entry, chip) for chip in target.chips):
            yield "a driver that does not reach this GPU under WSL2"
    else:
        yield from _linux(route, entry, target)


def libc_fits(target, ranges):
    """Whether a glibc of the range is there; Alpine has none at all."""
    release = target.release or {}
    if ranges == "*" or not release:
        return True
    if release["id"] == "alpine":
        return False
    return "glibc" not in release or fits(release["glibc"], ranges)


def under_wsl2(entry, chip):
    return bool({chip["platform"], chip["generation"]} & set(entry.get("wsl2", [])))


def _drives(route, chip):
    key, version = route.backend, _version(route)
    if key == "compute-runtime-legacy1":
        return chip.get("legacy1", False)
    if key == "beignet":
        return drives_beignet(version, chip)
    if key == "compute-runtime":
        return _drives_mainline(route, chip)
    if chip.get("mesa") != "iris":
        return False
    support = generations()[chip["generation"]].get("implementations", {}).get("rusticl")
    seen = support is not None and fits(upstream(version), support["versions"], "mesa")
    return seen or (route.status == "unverified" and fits(upstream(version), ">=22.3", "mesa"))


def _drives_mainline(route, chip):
    version = _version(route)
    if chip.get("neo") is None:
        return False
    if version is None:
        return "<" not in chip["neo"]
    versions = [version, *(_newest(route) if route.status == "unverified" else [])]
    own = any(fits(upstream(one), chip["neo"]) for one in versions)
    return own or chip["generation"] in _also_drives(route)


def _newest(route):
    """Return the newest version that a row allows of which nobody read the exact one."""
    release, _, _ = _place(route)
    rows = (release or {}).get("packages", {}).get(route.components[0].name, [])
    return [row["at_most"] for row in rows if "at_most" in row]


def drives_beignet(version, chip):
    first = chip.get("beignet")
    if first is not None and "-" in version:
        return fits(version, f">={first}", "debian")
    if chip.get("beignet_upstream") == "1.3.2" and fits(version, ">=1.3.2"):
        return True
    return first is not None and fits(version, f">={upstream(first)}")


def _version(route):
    """Return the version of the package that holds the implementation: its first component."""
    return route.components[0].version


def _also_drives(route):
    release, _, _ = _place(route)
    rows = (release or {}).get("packages", {}).get(route.components[0].name, [])
    return {g for row in rows for g in row.get("also_drives", [])}


def _linux(route, entry, target):
    shipped = (target.release or {}).get("linux", {})
    if shipped.get("at_least") and not target.linux and route.status == "unverified":
        return  # its updates may bring a Linux that does, which nobody looked at
    ways = [one for one in entry.get("elsewhere", ()) if one["how"] == route.how]
    if any(target.generation["generation"] in one.get("module_for", ()) for one in ways):
        return  # it brings the kernel driver
    versions = target.linuxes(route.components)
    support = target.generation.get("implementations", {}).get(route.backend, {})
    platforms = {chip["platform"] for chip in target.chips}
    forced = any("force_probe" in caveat for caveat in route.caveats)
    for version in versions:
        for ranges in (entry.get("linux", "*"), support.get("linux", "*")):
            if not fits(version, ranges, "linux"):
                yield f"Linux {version} is not in {ranges}"
        unbound = []
        for platform in platforms:
            linux = target.generation["platforms"][platform]["linux"]
            keys = [f"{d}{'_force_probe' if forced else ''}" for d in entry["kernel_drivers"]]
            if not any(fits(version, linux.get(key), "linux") for key in keys):
                unbound.append(f"no kernel driver of Linux {version} binds to {platform}")
        # Of several chips some may be left out, if the route says so.
        said = any("does not drive" in caveat for caveat in route.caveats)
        if not said or len(unbound) == len(platforms):
            yield from unbound


def _place(route):
    """Return the release that the first component comes from, its key, and the pocket."""
    key, _, pocket = route.components[0].origin.partition(", ")
    return releases().get(key), key, pocket


def _offered(route, target):
    release, key, pocket = _place(route)
    if route.how == "container" and (release is None or "image" not in release):
        yield "a container of a release without an image"
    if route.how in ("package", "backports") and key != target.os:
        yield f"a package of {key} on {target.os}"
    if pocket:
        yield from _in_pocket(route, release, pocket)
    elif route.how in ("file", "repository", "pip", "conda"):
        yield from _elsewhere(route, target)
    if release is not None and route.how == "file":
        for component in route.components:
            rows = release["packages"].get(component.name) or []
            known = any(row["version"] == component.version for row in rows)
            if component.origin == key and not known:
                yield f"{key} has no {component.name} {component.version}"


def _in_pocket(route, release, pocket):
    first = route.components[0]
    rows = release["packages"].get(first.name, [])
    hits = [r for r in rows if (r["pocket"], r["version"]) == (pocket, first.version)]
    if not any(route.backend in r.get("implementations", []) for r in hits):
        yield f"{release['id']} has no {first.name} {first.version} in {pocket} that holds it"


def _elsewhere(route, target):
    first = route.components[0]
    entry = implementations()[route.backend]
    # Some have the package with the open kernel module in its place.
    instead = {one["open"]: one["library"] for one in entry.get("modules_of", []) if "open" in one}
    names = {first.name, instead.get(first.name)}
    ways = [w for w in entry.get("elsewhere", []) if names & set(w["packages"])]
    onto = {one for way in ways for one in way["onto"]}
    if not onto & {"*", target.os}:
        yield f"{first.name} was never seen to fit {target.os}"
    if not any(libc_fits(target, way.get("glibc", "*")) for way in ways):
        yield "the C library is too old, or another"
    if target.python and not any(
        fits(target.python, way.get("python", "*"), "pep440") for way in ways
    ):
        yield f"Python {target.python} is not among those that the wheels are for"


def _stack(route, target):
    stack = stacks()[route.stack]
    systems = {"linux", "wsl2"} if target.wsl2 else {"linux"}
    if not systems & set(stack.get("systems", ["linux"])):
        yield "it does not run on Linux"
    if route.how == "source":
        if not fits(target.python, stack["recipe"]["python"], "pep440"):
            yield "the recipe is for another Python"
    else:
        yield from _build(route, stack, target)
    if route.uses_gpu and stack.get("vendor") in OTHER_DRIVERS:
        yield from _of_vendor(route, stack, target)
    elif route.uses_gpu and target.generation is None:
        family = family_of(target.pci_id).get("family")
        support = [s for s in stack.get("supports", []) if family in s.get("families", [])]
        if not support or support[0]["outcome"] == "fails":
            yield "the tables know nothing of it on this GPU"
    elif route.uses_gpu:
        yield from _on_generation(route, stack, target)
    elif stack.get("cpu") != "works":
        yield "it does nothing without a GPU"


def _on_generation(route, stack, target):
    key = target.generation["generation"]
    support = [s for s in stack.get("supports", []) if key in s.get("generations", [])]
    if not support or support[0]["outcome"] == "fails":
        yield f"it does not run on {key}"
        return
    if route.backend not in (*support[0].get("via", [route.backend]), "direct3d12"):
        yield f"it was never seen on {route.backend}"
    doubtful = support[0]["outcome"] == "untested" or support[0].get("unverified")
    if doubtful and route.status != "unverified":
        yield "it counts as seen, and nobody has"
    names = {component.name for component in route.components}
    installed = {word for step in route.steps for word in step.argv}
    wanted = implementations()["compute-runtime"]["level_zero"].get(
        (target.release or {}).get("id")
    )
    if stack["api"] == "level-zero" and not set(wanted or ["none known"]) <= names | installed:
        yield "Level Zero is missing"


def _of_vendor(route, stack, target):
    wanted = "amdgpu" if stack.get("brings_driver") else OTHER_DRIVERS[stack["vendor"]]
    if route.backend != wanted:
        yield f"it needs the driver of {stack['vendor']}"
    if not target.pci_id.startswith(VENDORS[stack["vendor"]]):
        yield "it is for another vendor's GPUs"
    if route.status != "unverified" and not family_of(target.pci_id):
        yield "it counts as seen, and nobody has"


def _build(route, stack, target):
    named = {component.name: component.version for component in route.components}
    package = (stack.get("packages") or [route.stack])[0]
    builds = [b for b in stack.get("builds", []) if b["version"] == named.get(package)]
    if target.python is not None:
        builds = [b for b in builds if fits(target.python, b["python"], "pep440")]
        if named.get("python") != target.python:
            yield "the Python is not named"
    if not builds:
        yield f"no build {named.get(package)} for Python {target.python}"
    elif not any(libc_fits(target, b.get("glibc", "*")) for b in builds):
        yield "its wheels are for another C library"
    elif package != "torch" and builds[0].get("torch") not in (None, named.get("torch")):
        yield f"the build belongs to torch {builds[0]['torch']}"
