# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - for one machine nothing of this is loaded
"""What `clprobe doctor` does where its source holds snapshots of several machines."""

from collections.abc import Collection

import click

_OF_ONE = {
    "selectors": "--device",
    "log_of": "--log",
    "baseline": "--baseline",
    "rule_id": "--why",
    "reports": "--report",
}
"""Options that ask about one machine, by their parameters."""


def fleet_status(
    source: str | None, *, ignored: Collection[str], strict: bool, form: str
) -> int | None:
    """Print the sums of many machines, and return the exit status; None: it is one report.

    Raises: click.UsageError if an option asks about one machine; ClprobeError if the files cannot
    be listed.
    """
    if source is None:
        return None
    from clprobe.cli.fleet.files import fleet_in

    files = fleet_in(source)
    if files is None:
        return None
    context = click.get_current_context()
    given = context.params
    for parameter, option in _OF_ONE.items():
        if given[parameter]:
            raise click.UsageError(
                f"{option} is about one machine, and {source} holds snapshots of several; "
                "name one of its files."
            )
    from clprobe.cli.fleet.show import Wanted, show_fleet

    wanted = Wanted(
        asked=given["asked"],
        ignored=ignored,
        strict=strict,
        form=form,
        verbosity=given["verbose"] - given["quiet"],
        silent=given["check"],
        color=context.obj["color"],
    )
    return show_fleet(files, wanted)
