# SPDX-License-Identifier: MIT
"""How well the tables are founded, for people."""

from rich.console import Console

from clprobe.compat.evidence import Counts, RuleStats
from clprobe.report.terminal import INDENT, Screen

_KINDS = {
    "machine": "compared with a real package list or a real driver",
    "source": "read in a source",
    "bounded": "follows from what is known of other releases",
    "unverified": "not known",
}
_OLDEST = 5


def show_stats(console: Console, stats: RuleStats) -> None:
    """Print the shares of all cells, those of each implementation, and the oldest rows."""
    screen = Screen(console)
    screen.heading(f"{stats.total.cells} cells of the support matrix", first=True)
    for kind, what in _KINDS.items():
        count = getattr(stats.total, kind)
        screen.line(f"  {kind:<11}{count:>6}  {_share(stats.total, kind):>6}  {what}")
    width = max(len(one.implementation) for one in stats.implementations) + INDENT
    screen.heading(" " * width + "".join(f"{kind:>13}" for kind in _KINDS))
    for one in stats.implementations:
        shares = "".join(f"{_share(one, kind):>13}" for kind in _KINDS)
        screen.line(f"  {one.implementation}".ljust(width) + shares)
    screen.heading(f"{stats.rows} rows of {len(stats.releases)} releases")
    months = ", ".join(f"{count} in {month}" for month, count in stats.read.items())
    screen.wrapped(f"Read: {months}", INDENT, hang=INDENT)
    oldest = ", ".join(f"{one.distribution} ({one.oldest})" for one in stats.releases[:_OLDEST])
    screen.wrapped(f"Longest ago: {oldest}", INDENT, hang=INDENT)


def _share(counts: Counts, kind: str) -> str:
    return f"{100 * getattr(counts, kind) / max(counts.cells, 1):.1f} %"
