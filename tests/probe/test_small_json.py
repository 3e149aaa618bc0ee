# SPDX-License-Identifier: MIT
"""What the child writes is JSON for every text and number."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clprobe.probe.opencl.small_json import as_json

_PARTS = st.none() | st.booleans() | st.integers() | st.text()
_RECORDS = st.dictionaries(st.text(), _PARTS | st.lists(_PARTS))


@given(_RECORDS)
def test_json_reads_it_back(record: dict[str, object]) -> None:
    line = as_json(record)
    assert json.loads(line) == record
    assert line.isascii()
    assert "\n" not in line


def test_a_lone_surrogate_of_a_file_name_is_replaced_because_no_document_can_hold_it() -> None:
    assert json.loads(as_json("lib\udcff.so")) == "lib\ufffd.so"


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError, match="float"):
        as_json(1.5)
