# SPDX-License-Identifier: MIT
"""What stands below a label, a heading or a question of a form, and what is labelled in a table."""

from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.reading import Paste
from clprobe.paste.statements.page import labelled
from clprobe.paste.statements.predicates import tidy

_FORMS = Forms("outputs")
_LINES = Forms("said_lines")
_MOST_BELOW = 12
_FEW_OPTIONS = 3
_NEAR_HEADING = 8
_NEAR = 2


def below_headings(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield the indented lines below a heading over devices, each as one of them."""
    heading = _FORMS.devices_below.match(text) if text.rstrip()[-1:] == ":" else None
    if heading is None:
        return
    depth = len(text) - len(text.lstrip())
    for at in range(index + 1, min(index + 1 + _MOST_BELOW, len(paste.lines))):
        below = paste.lines[at]
        if not below.strip() or len(below) - len(below.lstrip()) <= depth:
            return
        yield labelled(paste, at, "field", heading["title"], tidy(below))


def of_labels(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield the value that stands below its label, the board of a device, and long commands."""
    board = _FORMS.board.match(text) if "oard " in text else None
    if board is not None:
        yield labelled(paste, index, "field", "Board name", board["value"])
    if text.count(" -") > _FEW_OPTIONS and _FORMS.long_command.match(text):
        yield labelled(paste, index, "did", "", " ".join(text.split()))
    label = _FORMS.label.match(text) if index in paste.fenced and text[-1:] == ":" else None
    if label is None or not _LINES.value_title.search(label["key"]):
        return
    value = _FORMS.bare_value.match(paste.lines[index + 1]) if _is_last(paste, index + 1) else None
    if value is not None and not _LINES.no_value.match(value["value"]):
        yield labelled(paste, index + 1, "field", label["key"], value["value"])


def _is_last(paste: Paste, index: int) -> bool:
    """Tell whether a line ends the list below a label: a blank, a fence or a label follows it."""
    after = paste.lines[index + 1] if index + 1 < len(paste.lines) else ""
    return index in paste.fenced and (not after.strip() or after.rstrip()[-1:] in ":`")


def of_forms(paste: Paste, index: int, text: str) -> Iterator[Statement]:
    """Yield a question of a form with its answer on the next line; so is one for other values."""
    if "ther" in text[:16] and _FORMS.if_other.match(text):
        yield from _of_other(paste, index)
        return
    asked = _FORMS.question.match(text) if "?" in text[-4:] else None
    if asked is None or not _FORMS.asks_you.search(asked["question"]) or index == 0:
        return
    at = _next(paste, index)
    given = _FORMS.answer.match(paste.lines[at]) if at is not None else None
    if at is not None and given is not None and not given["answer"].endswith(("?", ":")):
        yield labelled(paste, at, "field", asked["question"], tidy(given["answer"]))


def _of_other(paste: Paste, index: int) -> Iterator[Statement]:
    """Yield the answer of "If other", with the question above that it is of."""
    above = (
        _FORMS.heading.match(one)
        for one in reversed(paste.lines[max(0, index - _NEAR_HEADING) : index])
    )
    title = next((one["title"] for one in above if one is not None), "")
    at = _next(paste, index)
    value = _FORMS.bare_value.match(paste.lines[at].strip()) if at is not None else None
    if value is not None and _LINES.no_value.match(value["value"]):
        return
    is_asked = value is not None and _LINES.value_title.search(title) is not None
    if at is not None and value is not None and is_asked:
        yield labelled(paste, at, "field", title, value["value"])


def _next(paste: Paste, index: int) -> int | None:
    """Return the next line that is not empty, if it is near."""
    near = range(index + 1, min(index + 1 + _NEAR, len(paste.lines)))
    return next((one for one in near if paste.lines[one].strip()), None)
