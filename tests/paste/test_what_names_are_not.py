# SPDX-License-Identifier: MIT
"""Names that look like facts of the machine, and are of an error, a runtime or another program."""

import msgspec
import pytest

from clprobe.model.unknown import NOT_STATED, listed
from clprobe.paste.assemble import read_paste


@pytest.mark.parametrize("name", ["CL_INVALID_HOST_PTR", "ZE_RESULT_ERROR_UNKNOWN"])
def test_an_error_is_no_variable(name: str) -> None:
    read = read_paste(f"hashcat fails on Ubuntu 22.04 with {name} each time.", name="a post")
    assert name not in msgspec.to_builtins(read).get("environment", {})


@pytest.mark.parametrize("name", ["CL_CONFIG_USE_VECTORIZER", "RUSTICL_ENABLE"])
def test_a_variable_is_one(name: str) -> None:
    read = read_paste(f"On Ubuntu 22.04 I have set {name}=1 for hashcat.", name="a post")
    assert name in msgspec.to_builtins(read)["environment"]


def test_who_made_a_runtime_did_not_make_the_processor() -> None:
    read = read_paste("It finds nothing with the Intel OpenCL CPU runtime.", name="a post")
    assert read.system.cpu.vendor == NOT_STATED


def test_what_another_program_lacks_clinfo_does_not() -> None:
    read = read_paste("7950x device in clinfo but no devices found in gpu viewer 3.22", name="x")
    assert [view.viewer for view in listed(read.views)] == ["application"]
