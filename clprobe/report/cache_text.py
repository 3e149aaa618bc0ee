# SPDX-License-Identifier: MIT
"""What clprobe left on this machine, for people."""

from rich.console import Console

from clprobe.model.leftovers import CacheReport, LeftOver
from clprobe.report.terminal import Screen

_SIZE = 10


def show_caches(console: Console, report: CacheReport) -> None:
    """Print what is there with its size and use, or what was removed of it."""
    screen = Screen(console)
    own = [one for one in report.entries if one.is_cleared]
    kept = [one for one in report.entries if not one.is_cleared and one.kind != "library-cache"]
    others = [one for one in report.entries if one.kind == "library-cache"]
    if not report.entries:
        screen.line("clprobe has left nothing on this machine for this user.")
        return
    clears = report.action == "clear"
    _group(screen, "Removed" if clears else "clprobe cache --clear removes", own)
    _group(screen, "Stays" if clears else "clprobe cache --clear leaves", kept)
    _group(screen, "Of libraries that clprobe uses, and other programs too", others)
    if clears:
        screen.blank()
        screen.line(f"{_size(report.freed_bytes)} removed.")


def _group(screen: Screen, title: str, entries: list[LeftOver]) -> None:
    if not entries:
        return
    screen.heading(title)
    for one in entries:
        screen.unbroken(f"  {_size(one.bytes):<{_SIZE}}{one.path}")
        screen.wrapped(f"{one.purpose}{'' if one.safe_to_remove else '; keep it'}", _SIZE + 2)
        if one.problem is not None:
            screen.wrapped(one.problem, _SIZE + 2)
        if one.remove_with is not None and not one.is_cleared:
            screen.unbroken(" " * (_SIZE + 2) + f"remove it with: {one.remove_with}")


def _size(count: int) -> str:
    amount = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"
