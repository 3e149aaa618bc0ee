# SPDX-License-Identifier: MIT
"""Two lists of PCI ids, one from the tables and one from a driver: what only one of them says."""

from collections.abc import Mapping


def disagreements(tables: Mapping[str, str], driver: Mapping[str, str], version: str) -> list[str]:
    """Return a line, with both values, for each id on which the two disagree.

    Both are ids such as "1912" with what they are: a chip, a generation. An id that only one of
    them has is a disagreement too.
    """
    return [
        f"8086:{device}: {tables.get(device, 'unknown')} in the tables, "
        f"{driver.get(device, 'unknown')} to {version}"
        for device in sorted(tables.keys() | driver.keys())
        if tables.get(device) != driver.get(device)
    ]
