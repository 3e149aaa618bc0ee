# SPDX-License-Identifier: MIT
"""The package managers that are known: found by distribution, by name, or by their program."""

import functools
from collections.abc import Iterable

from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.tables import Tables


@functools.cache
def package_managers() -> tuple[PackageManager, ...]:
    """Return those of clprobe's own tables.

    Raises: ClprobeError if a file does not fit the format.
    """
    return tuple(Tables.load().package_managers().values())


def manager_of_distribution(ids: Iterable[str]) -> PackageManager | None:
    """Return the manager of a distribution, given its id and then those of what it is like."""
    for name in ids:
        for wanted in (name, name.split("-")[0]):
            for manager in package_managers():
                if wanted in manager.distributions:
                    return manager
    return None


def manager_named(name: str) -> PackageManager:
    """Return the manager of that name.

    Raises: ValueError if no table has it.
    """
    found = next((one for one in package_managers() if one.manager == name), None)
    if found is None:
        raise ValueError(f"no table knows the package manager {name!r}")
    return found


def manager_of_program(program: str) -> PackageManager | None:
    """Return the manager whose commands begin with this word."""
    return next((one for one in package_managers() if one.program == program), None)
