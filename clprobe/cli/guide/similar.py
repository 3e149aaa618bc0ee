# SPDX-License-Identifier: MIT
"""What somebody may have meant who mistyped a name."""

from collections.abc import Iterable


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question that offers the names that are like it; "" if none is."""
    spelt = {one.casefold(): one for one in names}
    wanted = name.casefold()
    begun = [
        one for one in spelt if any(word.startswith(wanted) for word in (one, *one.split("-")))
    ]
    import difflib  # noqa: PLC0415 - only for who has mistyped something

    close = difflib.get_close_matches(wanted, list(spelt))
    likely = dict.fromkeys([*(begun if len(wanted) > 1 else ()), *close])
    return f"Did you mean {' or '.join(spelt[one] for one in likely)}?" if likely else ""
