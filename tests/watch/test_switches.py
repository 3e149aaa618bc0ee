# SPDX-License-Identifier: MIT
"""Options and variables that choose devices, by the table or by their names alone."""

import pytest

from clprobe.knowledge.tables import Tables
from clprobe.watch.switches import hints_of, lost_of, mesa_driver_in, switches_of

HASHCAT = Tables.load().program("hashcat")
GEGL = Tables.load().program("gegl")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--no-opencl"], ("--no-opencl",)),
        (["--backend=cpu"], ("--backend=cpu",)),
        (["--platform", "1"], ("--platform 1",)),
        (["nogpu"], ("nogpu",)),
        (["--device=of-mine"], ("--device",)),  # a value of one's own stays private
        (["--gpu-token", "s3cret"], ("--gpu-token",)),
        (["--list-devices", "--show-gpu"], ()),  # they only show
        (["--output", "gpu"], ()),  # a value, not a word by itself
        (["--clean", "--close", "shipment=1"], ()),
    ],
)
def test_words_that_speak_of_devices(words: list[str], expected: tuple[str, ...]) -> None:
    assert hints_of(None, ["program", *words], {}) == expected


def test_variables_that_seem_to_switch_it_off() -> None:
    environment = {"APP_USE_GPU": "0", "APP_DISABLE_OPENCL": "1", "APP_GPU": "1", "GPU_TOKEN": "x"}
    assert hints_of(None, ["program"], environment) == ("APP_USE_GPU=0", "APP_DISABLE_OPENCL=1")


def test_what_the_table_knows_is_no_hint() -> None:
    assert hints_of(HASHCAT, ["hashcat", "--backend-ignore-opencl"], {}) == ()
    assert switches_of(HASHCAT, ["hashcat", "--backend-ignore-opencl"], {}) == (
        "--backend-ignore-opencl",
    )


def test_variables_that_were_lost_on_the_way() -> None:
    before = {"RUSTICL_ENABLE": "iris", "PATH": "/bin", "LD_LIBRARY_PATH": "/opt/lib"}
    assert lost_of(None, before, {"LD_LIBRARY_PATH": "/opt/lib:/usr/lib"}) == ("RUSTICL_ENABLE",)


def test_one_of_its_own_is_lost_where_it_gets_another_value() -> None:
    assert lost_of(GEGL, {"GEGL_USE_OPENCL": "yes"}, {"GEGL_USE_OPENCL": "no"}) == (
        "GEGL_USE_OPENCL",
    )
    assert lost_of(None, {"GEGL_USE_OPENCL": "yes"}, {"GEGL_USE_OPENCL": "no"}) == ()


def test_drivers_of_mesa_are_known_by_name() -> None:
    assert mesa_driver_in(["--device=llvmpipe"]) == "llvmpipe"
    assert mesa_driver_in(["--device", "--platform 1"]) is None
