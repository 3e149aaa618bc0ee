# SPDX-License-Identifier: MIT
"""What is likely where nobody says it: it never decides, it only ranks what is suspected."""

from typing import Literal

from clprobe.facts.closure.closed import Closed
from clprobe.facts.closure.presumed_drivers import with_driver_of_program, with_versions
from clprobe.facts.closure.presumed_gpus import with_gpus
from clprobe.facts.closure.presumed_linux import with_linux
from clprobe.facts.closure.presumed_nodes import with_nodes
from clprobe.facts.closure.presumed_programs import with_clash, with_loader, with_misses
from clprobe.knowledge.tables import Tables

Level = Literal["likely", "possible"]
LEVELS: tuple[Level, ...] = ("likely", "possible")
"""How much is presumed: what is possible comes on top of what is likely."""


def presume(closed: Closed, beyond: Level, tables: Tables) -> Closed:
    """Return a report's facts with what is likely. A probe left nothing out to be presumed."""
    closed = with_gpus(with_linux(closed), tables)
    if beyond == "possible":
        closed = with_driver_of_program(closed, tables)
    for step in (with_versions, with_nodes, with_clash, with_misses):
        closed = step(closed, tables)
    return with_loader(closed)
