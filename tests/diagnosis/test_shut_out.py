# SPDX-License-Identifier: MIT
"""Who is in no group of the GPUs' nodes is suspected of that first, where nobody lists them."""

from typing import Any

import msgspec
import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.snapshot import Snapshot

KNOWLEDGE = Knowledge.load()
NOTHING_SHOWN = {
    "outcome": "no-devices",
    "platforms": [{"name": "AMD Accelerated Parallel Processing", "devices": []}],
}


def _suspected_first(user: dict[str, Any]) -> str:
    facts = {
        "user": user,
        "gpus": [{"name": "AMD Radeon RX 6600"}],
        "views": [{"viewer": "clinfo", "answer": NOTHING_SHOWN}],
    }
    diagnosis = diagnose(msgspec.convert(facts, Snapshot), KNOWLEDGE)
    assert diagnosis.status == "undetermined"
    return diagnosis.findings[0].id


def test_a_user_in_no_such_group_lacks_access_before_anything_else() -> None:
    user = {"groups": [{"name": "alice"}, {"name": "wheel"}]}
    assert _suspected_first(user) == "render-node-not-accessible"


@pytest.mark.parametrize(
    "user",
    [
        {},
        {"uid": 0, "groups": [{"name": "root"}]},
        {"groups": [{"name": "render"}, {"name": "video"}]},
        {"groups": [{"gid": 1000}]},
    ],
    ids=["groups not told", "root", "in both", "told by number alone"],
)
def test_whoever_else_sees_nothing_is_not_suspected_of_that(user: dict[str, Any]) -> None:
    assert _suspected_first(user) != "render-node-not-accessible"
