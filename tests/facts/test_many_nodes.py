# SPDX-License-Identifier: MIT
"""A machine with many device nodes is judged in proportion to them: none is paired with each."""

import msgspec

from clprobe.facts.derive import derive
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.ruleset.judge import ask
from clprobe.ruleset.rules import load_rules


def _outcomes(nodes: int) -> int:
    """Return how many answers the rules give about so many nodes that the user may not open."""
    gid = [{"gid": 1000, "name": "a"}]
    facts = {
        "source": "live",
        "user": {"name": "a", "uid": 1000, "groups": gid, "database_groups": gid},
        "device_nodes": [
            {"path": f"/dev/dri/renderD{128 + index}", "kind": "render", "mode": "0660",
             "uid": 0, "gid": 105, "group": "render", "open_error": "EACCES"}
            for index in range(nodes)
        ],
    }  # fmt: skip
    snapshot = msgspec.convert(facts, Snapshot)
    return sum(1 for _ in ask(load_rules(), derive(snapshot, Tables.load())))


def test_ten_times_the_nodes_are_no_more_than_ten_times_the_answers() -> None:
    assert _outcomes(100) <= 10 * _outcomes(10)
