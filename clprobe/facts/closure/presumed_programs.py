# SPDX-License-Identifier: MIT
"""Which loader answers, and which drivers clash, where programs disagree or crash."""

from msgspec.structs import replace

from clprobe.compat.known_gpu import vendor_of
from clprobe.facts.closure.closed import Closed
from clprobe.facts.closure.crashes import likely_file
from clprobe.facts.runtimes import ONE_MAKER, said_runtimes
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.tables import Tables
from clprobe.model.opencl import Answer, Loader, Pair
from clprobe.model.unknown import SET, Unknown, listed

_FORMS = Forms("closure")
_NEEDS_KHRONOS = "OCL_ICD_FILENAMES"
_GONE = ("removed", "config-files")


def with_clash(closed: Closed, tables: Tables) -> Closed:
    """Return it with two drivers that end a program together, if each brings an LLVM."""
    snapshot = closed.snapshot
    crashed = any(view.answer.outcome == "crash" for view in listed(snapshot.views))
    if not isinstance(snapshot.pairs, Unknown) or not crashed:
        return closed
    own = _FORMS.words["with_llvm"]
    found = [run for run in said_runtimes(snapshot, tables) if run.implementation in own]
    entries = [entry for run in found if (entry := tables.implementation(run.implementation))]
    if len(entries) < 2:
        return closed
    first, second = entries[:2]
    why = f"{first.name} and {second.name} each load an LLVM, and a program crashed"
    answer = Answer(outcome="crash", message=why)
    pair = Pair(icds=(likely_file(first), likely_file(second)), answer=answer)
    return closed.with_change(replace(snapshot, pairs=(pair,)), "pairs", why)


def with_loader(closed: Closed) -> Closed:
    """Return it with the loader whose package is there, or that makes a variable be in vain."""
    snapshot = closed.snapshot
    if not isinstance(snapshot.loaders, Unknown):
        return closed
    kinds = _FORMS.tables["loader_packages"]
    present = [one for one in listed(snapshot.packages) if one.state not in _GONE]
    found = {kinds[one.name]: one.name for one in present if one.name in kinds}
    if len(found) == 1:
        kind, package = next(iter(found.items()))
        return _with_loader(closed, kind, f"package {package} holds it")
    if _is_set(snapshot.environment.get(_NEEDS_KHRONOS)) and not found:
        return _with_loader(closed, "ocl-icd", f"{_NEEDS_KHRONOS} is set, and seems to be in vain")
    return closed


def _is_set(value: str | Unknown | None) -> bool:
    return isinstance(value, str) or value == SET


def _with_loader(closed: Closed, kind: str, why: str) -> Closed:
    loader = Loader(path="libOpenCL.so.1", kind=kind, is_default=True)
    return closed.with_list("loaders", (loader,), why)


def with_misses(closed: Closed, tables: Tables) -> Closed:
    """Return it with the driver that a report names and that shows nothing, as what is missed."""
    views = listed(closed.snapshot.views)
    answering = [run.implementation for run in said_runtimes(closed.snapshot, tables)]
    entries = [entry for key in answering if (entry := tables.implementation(key))]
    names = tuple(entry.name for entry in entries if vendor_of(entry) in ONE_MAKER)
    if not names or not views or any(not isinstance(view.misses, Unknown) for view in views):
        return closed
    missed = tuple(replace(view, misses=names) for view in views)
    why = "who names a driver wants its device"
    return closed.with_change(replace(closed.snapshot, views=missed), "opencl.misses_idle", why)
