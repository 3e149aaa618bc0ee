# SPDX-License-Identifier: MIT
"""Which versions of clinfo print such lines; clinfo itself never says its version there."""

from collections.abc import Sequence

from clprobe.paste.clinfo.split import Run

_FIRST, _LAST = "2.0", "3.0.25"
_AT_LEAST = {
    "Global Memory cache line size": "2.2.17",
    "Preferred work group size multiple (device)": "3.0.20",
    "Preferred work group size multiple (kernel)": "3.0.20",
    "Latest comfornace test passed": "3.0.20",
    "Latest conformance test passed": "3.0.23",
    "Command buffer capabilities": "3.0.23",
}
_AT_MOST = {
    "Global Memory cache line": "2.1.17",
    "Preferred work group size multiple": "2.2.18",
    "Latest comfornace test passed": "3.0.21",
}


def versions_that_fit(run: Run, texts: Sequence[str]) -> list[str]:
    """Return a remark on the versions; nothing where no line tells."""
    if run.form != "human":
        return []
    labels = {texts[token.line].strip().partition("  ")[0] for token in run.tokens}
    least = [_number(version) for label, version in _AT_LEAST.items() if label in labels]
    most = [_number(version) for label, version in _AT_MOST.items() if label in labels]
    if run.tokens[0].kind == "platforms" and run.tokens[0].value == "0" and run.in_loader:
        least.append(_number("3.0.23"))
    if not least and not most:
        return []
    lowest, highest = max(least, default=_number(_FIRST)), min(most, default=_number(_LAST))
    if lowest > highest:
        return ["no version of clinfo prints all of these lines"]
    low, high = (".".join(str(part) for part in version) for version in (lowest, highest))
    return [f"printed by clinfo {low}" if low == high else f"printed by clinfo {low} to {high}"]


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
