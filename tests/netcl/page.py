# SPDX-License-Identifier: MIT
"""Makes kernels/FEATURES.md of features.yaml: python tests/netcl/page.py."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).with_name("features.yaml")
PAGE = Path(__file__).parents[2] / "kernels" / "FEATURES.md"
_BY = {
    "clprobe": "clprobe",
    "torch": "PyTorch on our device",
    "both": "clprobe, and PyTorch on our device",
    "nobody": "makes no sense here",
}
_HEAD = """\
# What netcl's FAQ names, and how to do it here

Made of `tests/netcl/features.yaml` by `python tests/netcl/page.py`; `pytest tests/netcl` runs all
of it. The rows are those of netcl's FAQ ({url}, looked at on {checked}).
"""


def data() -> dict[str, Any]:
    """Return what features.yaml holds."""
    content: dict[str, Any] = yaml.safe_load(DATA.read_text("utf-8"))
    return content


def lines(content: dict[str, Any]) -> Iterator[str]:
    """Yield the page in parts."""
    yield _HEAD.format_map(content["source"])
    yield "Before each piece of Python:\n"
    yield f"```python\n{content['before']}```\n"
    yield "and before those that name `torch`:\n"
    yield f"```python\n{content['before_torch']}```\n"
    for row in content["rows"]:
        yield f"## {row['row']}. {row['what']}\n"
        yield f"{_BY[row['by']]}{'. ' + row['why'].strip() if 'why' in row else ''}\n"
        if "code" in row:
            yield f"```python\n{row['code']}```\n"
        if "command" in row:
            yield f"```sh\n{row['command']}\n```\n"


def page() -> str:
    """Return the page."""
    return "\n".join(lines(data()))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
