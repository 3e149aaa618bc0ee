# SPDX-License-Identifier: MIT
"""Which .icd file names a driver that a loader looked for in vain."""

from msgspec.structs import replace

from clprobe.facts.closure.closed import Closed
from clprobe.facts.closure.crashes import likely_file
from clprobe.knowledge.tables import Tables
from clprobe.model.opencl import Icd
from clprobe.model.unknown import listed

_NAMING = ("OCL_ICD_FILENAMES", "OCL_ICD_VENDORS")
"""With these, libraries are loaded that no file names."""
_AT_START = "error while loading shared libraries: {}:"
"""The linker's words on a program that was itself linked to the library, and asks no loader."""


def with_naming_files(closed: Closed, tables: Tables) -> Closed:
    """Return it with the usual file of each driver that was not found: something named it."""
    if any(map(closed.snapshot.environment.get, _NAMING)):
        return closed
    messages = "\n".join(listed(closed.snapshot.messages))
    why = "a loader looks for a driver only where an .icd file names it"
    return closed.with_each("icds", lambda one: _named(one, messages, tables), "icds", why)


def _named(icd: Icd, messages: str, tables: Tables) -> Icd:
    if ".icd" in icd.path or icd.library.path is not None:
        return icd
    if _AT_START.format(icd.path) in messages:
        return icd
    entry = tables.implementation(tables.recognise(icd.path.rpartition("/")[2]))
    return icd if entry is None else replace(icd, path=likely_file(entry))
