# SPDX-License-Identifier: MIT
"""The tables' facts about GPUs, against the Intel driver of this machine playing each of them.

A disagreement fails with both values; `-rP` shows how many facts were compared.
"""

from collections.abc import Iterator

import pytest
from emulated_neo import Emulator, NotEmulatedError, installed
from neo_facts import PRODUCTS, SHAPES, Comparison, cases, compare

from clprobe.engine.tables import Tables

pytestmark = pytest.mark.reality
TABLES = Tables.load()
DRIVER = installed()
CASES = cases(TABLES, DRIVER) if DRIVER is not None else []
LEAST_COMPARED = 600
"""Facts that 22.43 was seen to answer, rounded down: a driver that stops answering shows."""
needs_driver = pytest.mark.skipif(DRIVER is None, reason="Debian's intel-opencl-icd is missing")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return Comparison()


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    assert DRIVER is not None
    asked = Emulator(DRIVER)
    yield asked
    asked.close()


@needs_driver
@pytest.mark.parametrize(("platform", "pci_id"), CASES)
def test_the_driver_says_what_the_tables_say(
    platform: str, pci_id: str, emulator: Emulator, comparison: Comparison
) -> None:
    gpu = TABLES.gpu(pci_id)
    assert gpu is not None
    generation = TABLES.generation(gpu.generation)
    assert generation is not None
    own = Comparison()
    try:
        found = emulator.ask(PRODUCTS[platform], pci_id, SHAPES.get(PRODUCTS[platform], {}))
    except NotEmulatedError as error:
        pytest.fail(f"the tables say that it drives {pci_id}, but it shows {error}")
    compare(gpu, generation, emulator.driver, found, own)
    comparison.compared += own.compared
    comparison.shapeless += own.shapeless
    assert not own.disagreements, "; ".join(
        f"{what}: the tables say {table}, the driver {driver}"
        for what, table, driver in own.disagreements
    )


@needs_driver
def test_enough_facts_were_compared(request: pytest.FixtureRequest, comparison: Comparison) -> None:
    asked = [item for item in request.session.items if "driver_says" in item.name]
    if len(asked) < len(CASES):
        pytest.skip("only some GPUs were asked")
    print(  # noqa: T201 - the count is what a reader of this test wants
        f"{DRIVER.version if DRIVER else ''}: {len(CASES)} GPUs, {comparison}"
    )
    assert comparison.compared.total() >= LEAST_COMPARED
