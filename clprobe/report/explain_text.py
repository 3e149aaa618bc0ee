# SPDX-License-Identifier: MIT
"""Pages of `clprobe explain`: a title, labelled facts, and the sources."""

from rich.console import Console
from rich.text import Text

from clprobe.explain.lexicon import Entry, Explained
from clprobe.report.terminal import Screen

_LABEL = 16
_MOST_PAGES = 5


def show_explained(console: Console, explained: Explained) -> None:
    """Print the page of everything that the name stands for; what is meant by it comes first."""
    screen = Screen(console)
    if explained.taken_for is not None:
        taken = f"{explained.name} has no entry of that name; this is {explained.taken_for}."
        screen.unbroken((taken, "warning"))
        screen.blank()
    if len(explained.entries) > 1:
        screen.line(f"{explained.name} may be:", "label")
        for entry in explained.entries:
            screen.unbroken(f"  {entry.kind}  {entry.title}")
        screen.blank()
    if len(explained.entries) > _MOST_PAGES:
        # Sixteen releases of Ubuntu are no answer: the reader picks one first.
        screen.line("Ask for one of them.", "label")
        return
    for number, entry in enumerate(explained.entries):
        if number:
            screen.blank()
        _show_entry(screen, entry)


def _show_entry(screen: Screen, entry: Entry) -> None:
    title = screen.styled(entry.title, "heading")
    screen.put(Text.assemble((f"{entry.kind}  ", "label"), title))
    for name, text in entry.facts:
        label = name
        if len(label) >= _LABEL:  # "24.35.30872.22 drives" has a line of its own
            screen.unbroken((f"  {label}", "label"))
            label = ""
        lead = Text(f"  {screen.clean(label):<{_LABEL}}", "label")
        screen.wrapped(text, _LABEL + 2, lead=lead)
    for number, source in enumerate(entry.sources):
        label = f"  {'sources' if number == 0 else '':<{_LABEL}}"
        screen.unbroken((label, "label"), f"{source.url} ({source.checked})")
