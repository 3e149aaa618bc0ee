# SPDX-License-Identifier: MIT
"""What follows for certain from stated facts: it decides, as they do."""

from clprobe.facts.closure.closed import Closed
from clprobe.facts.closure.crashes import with_crashed_driver
from clprobe.facts.closure.opened import with_opened_node
from clprobe.facts.closure.platforms import with_empty_platforms
from clprobe.facts.closure.registered import with_naming_files
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot


def conclude(snapshot: Snapshot, tables: Tables) -> Closed:
    """Return the snapshot with all that follows from it; only what nobody stated is filled in."""
    closed = with_naming_files(with_empty_platforms(with_opened_node(Closed(snapshot))), tables)
    return with_crashed_driver(closed, tables)
