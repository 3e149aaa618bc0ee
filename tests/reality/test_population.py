# SPDX-License-Identifier: MIT
"""The count of known cards reads the list of linuxhw as it is written."""

from population import counted, coverage

from clprobe.knowledge.tables import Tables

README = """\
### Card reader (PCI)

| pci:10ec-522a | Realtek     | RTS522A PCI Express Card Reader | 99 |

### Graphics card (PCI)

| ID            | Vendor      | Name                         | Count |
|---------------|-------------|------------------------------|-------|
| pci:8086-5917 | Intel       | UHD Graphics 620             | 4437  |
| pci:10de-1c82 | Nvidia      | GP107 [GeForce GTX 1050 Ti]  | 700   |
| pci:1002-ffff | AMD         | VGA compatible controller    | 3     |
| pci:1a03-2000 | ASPEED T... | ASPEED Graphics Family       | 619   |

### Keyboard (PCI)
"""


def test_cards_are_counted_by_maker_and_only_graphics_cards() -> None:
    cards = counted(README)

    assert cards == {"8086:5917": 4437, "10de:1c82": 700, "1002:ffff": 3, "1a03:2000": 619}
    assert coverage(cards, Tables.load()) == {
        "Intel": (4437, 4437),
        "NVIDIA": (700, 700),
        "AMD": (0, 3),
        "others": (619, 619),
    }
