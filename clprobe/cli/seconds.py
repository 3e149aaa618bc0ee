# SPDX-License-Identifier: MIT
"""The type of the option --timeout."""

import math

import click

_LEAST_S, _MOST_S = 0.1, 3600.0


class _Seconds(click.ParamType[float]):
    """A finite number of seconds in which a driver can answer; an hour at most."""

    name = "seconds"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds; fails as a usage error."""
        try:
            seconds = float(str(value))
        except ValueError:
            seconds = math.nan
        # Comparisons with nan are False.
        if not _LEAST_S <= seconds <= _MOST_S:
            self.fail(
                f"{value!s} is no number of seconds from {_LEAST_S:g} to {_MOST_S:g}.", param, ctx
            )
        return seconds


SECONDS = _Seconds()
"""For options that say how long to wait for a driver."""

timeout_option = click.option(
    "--timeout",
    metavar="SECONDS",
    type=SECONDS,
    default=10.0,
    show_default=True,
    help=f"Seconds to wait for a driver, from {_LEAST_S:g} to {_MOST_S:g}.",
)
"""The option --timeout of the commands that ask drivers and show what they say."""
