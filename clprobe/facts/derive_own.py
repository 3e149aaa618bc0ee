# SPDX-License-Identifier: MIT
"""Judges what a program's own files and variables say."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clprobe.facts.derive_fared import both, either, fails_of, negated, nothing_ran
from clprobe.facts.derive_grief import builds_fail
from clprobe.facts.derive_surroundings import found_none_of
from clprobe.facts.facts import DeviceFacts
from clprobe.knowledge.tables import Tables
from clprobe.model.program import Program
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.watch.libraries import role_of

_COMPUTING = ("clBuildProgram", "clCompileProgram", "clLinkProgram", "clCreateKernel")
_IN_WORDS = {
    "cl_khr_fp64": "double precision (cl_khr_fp64)",
    "cl_khr_fp16": "half precision (cl_khr_fp16)",
}
_MOST_PARTS = 2
_TEMPORARY = "TMPDIR"
_NAMES_FILE = re.compile(r"\.(?:icd|so)(?:\.\d+)*$")


def judge_own(
    program: Program,
    devices: Sequence[DeviceFacts],
    environment: Mapping[str, str | Unknown | None],
    tables: Tables,
) -> dict[str, Any]:
    """Return the facts by name."""
    off, absent = program.off_settings, program.absent_paths
    closed, found_none = program.closed_caches, found_none_of(program)
    usable = [one for one in devices if one.usable is True]
    absent_features = tuple(
        _IN_WORDS.get(name, name)
        for name in program.wanted_features
        if usable and all(_lacks(one, name, tables) for one in usable)
    )
    ran_nothing = nothing_ran(program)
    fares_ill = both(ran_nothing, _fares_ill(program))
    takes_none = both(ran_nothing, negated(program.made_context))
    is_own = isinstance(program.loader, str) and role_of(program.loader) != "loader"
    return {
        "own_loader_finds_none": both(is_own and _finds_no_platform(program), found_none),
        "own_loader_reads": _reads(environment),
        "drivers": _drivers(program, tables),
        **_closed_folders(program, found_none, tables),
        "lacks_cache": both(any(one.is_needed for one in closed), fares_ill),
        "compiles_anew": both(
            bool(closed) and not any(one.is_needed for one in closed), negated(ran_nothing)
        ),
        "closed_caches_told": _told(
            f"{one.folder}, which belongs to {one.owner} ({one.driver})" for one in closed
        ),
        "closed_cache": closed[0].folder if closed else "",
        "lacks_own_files": both(bool(program.closed_files), both(ran_nothing, fails_of(program))),
        "lacking_files": _told(program.closed_files[:_MOST_PARTS]),
        "lacks_command": both(bool(program.hidden_commands), fares_ill),
        "lacking_commands": _told(program.hidden_commands),
        "lacks_parts": both(bool(program.absent_parts), found_none),
        "lacking_parts": _told(program.absent_parts[:_MOST_PARTS]),
        "is_nodev": _is_nodev(program, found_none),
        "wants_absent_feature": both(bool(absent_features), fares_ill),
        "absent_features": _told(absent_features),
        "is_switched_off": both(bool(off), takes_none),
        "switched_off_by": _told(f"{one.setting} in {one.file}, which {one.does}" for one in off),
        "switch_on": _told(f"{one.instead} in {one.file}" for one in off),
        "is_misled": both(bool(absent), both(ran_nothing, fails_of(program))),
        "misled_by": _told(f"{one.variable}={one.value}" for one in absent),
        "misleading": _told(f"{one.variable}: {one.does}" for one in absent),
        "misleading_variable": absent[0].variable if absent else "",
    }


def _closed_folders(program: Program, found_none: Fact[bool], tables: Tables) -> dict[str, Any]:
    """Return whether folders that it may not write to keep it from computing, and which.

    A driver that needs its cache shows no device where it cannot make it, and builds nothing where
    it is there and closed. Compilers of others need the folder for temporary files.
    """
    builds = builds_fail(program)
    drivers = _drivers(program, tables)
    known = tables.implementations()
    # Where nobody knows which drivers are in it, one may be among them.
    needs = isinstance(drivers, Unknown) or any(known[key].needs_cache for key in drivers)
    closed = listed(program.closed_folders)
    temporary = [one for one in closed if one.startswith(_TEMPORARY)]
    caches = [one for one in closed if one not in temporary]
    lacks_cache = both(bool(caches) and needs, either(found_none, builds))
    lacks_temporary = both(bool(temporary) and not needs, builds)
    counting = [*(caches if lacks_cache is not False else ()), *temporary]
    return {"cannot_write": either(lacks_cache, lacks_temporary), "closed": ", ".join(counting)}


def _drivers(program: Program, tables: Tables) -> Fact[tuple[str, ...]]:
    """Return the implementations whose drivers are in it, as the tables call them."""
    if isinstance(program.libraries, Unknown):
        return program.libraries
    paths = (one.path for one in program.libraries if one.role == "opencl-driver")
    return tuple(dict.fromkeys(key for key in map(tables.recognise, paths) if key is not None))


def _fares_ill(program: Program) -> Fact[bool]:
    """Return whether it fails, or a call of OpenCL did after it was shown devices."""
    calls = program.failed_calls
    if not isinstance(calls, Unknown) and any(one.call in _COMPUTING for one in calls):
        return True
    return fails_of(program)


def _lacks(device: DeviceFacts, feature: str, tables: Tables) -> bool:
    """Return whether the device surely lacks the feature."""
    if feature == "images":
        entry = tables.implementation(device.implementation)
        return entry is not None and entry.images is False
    return not isinstance(device.extensions, Unknown) and feature not in device.extensions


def _is_nodev(program: Program, found_none: Fact[bool]) -> Fact[bool]:
    nodes = program.nodev_nodes
    if not isinstance(program.sandbox, str) or isinstance(nodes, Unknown):
        return False
    return both(bool(nodes), found_none)


def _finds_no_platform(program: Program) -> bool:
    calls = program.failed_calls
    return isinstance(calls, Unknown) or any(one.call == "clGetPlatformIDs" for one in calls)


def _reads(environment: Mapping[str, str | Unknown | None]) -> str:
    """Return what a loader of Khronos's code reads with these variables."""
    vendors = environment.get("OCL_ICD_VENDORS")
    if not isinstance(vendors, str):
        return "reads the .icd files of /etc/OpenCL/vendors"
    if _NAMES_FILE.search(vendors):
        return f"takes OCL_ICD_VENDORS for a folder, and {vendors} is a file"
    return f"reads the .icd files of the folder that OCL_ICD_VENDORS names, {vendors}, alone"


def _told(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(texts))
