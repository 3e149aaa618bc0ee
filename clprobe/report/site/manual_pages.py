# SPDX-License-Identifier: MIT
"""The manual as pages: what `clprobe help --man` writes, and the topics of `clprobe help`."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup, escape

from clprobe.manual.commands import WHOLE
from clprobe.manual.topics import topic, topic_names
from clprobe.report.man_page import Page
from clprobe.report.site.links import relative

_CODE = re.compile(r"`([^`]+)`|(?<![\w/-])(--?[A-Za-z][\w-]*)")


def command_pages(manual: Sequence[Page]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, title and content of each command's page."""
    paths = {page.name: _path(page.name) for page in manual}
    for page in manual:
        here = paths[page.name]

        def link(name: str, here: str = here) -> Markup | str:
            path = paths.get(name.removesuffix("(1)"))
            shown = name.removesuffix("(1)").replace(f"{WHOLE}-", f"{WHOLE} ")
            if path is None:
                return shown
            return Markup('<a href="{}">{}</a>').format(relative(path, here), shown)

        yield here, page.name.replace("-", " ", 1), {"page": page, "link": link}


def topic_pages() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, title and content of each topic's page."""
    for name in topic_names():
        one = topic(name)
        yield f"help/{name}.html", one.title, {"parts": one.blocks, "name": name}


def marked(text: str) -> Markup:
    """Return prose as HTML: what stands between backticks, and names of options, as code."""
    made, position = Markup(""), 0
    for match in _CODE.finditer(text):
        made += escape(text[position : match.start()])
        made += Markup("<code>{}</code>").format(match[1] or match[2])
        position = match.end()
    return made + escape(text[position:])


def _path(name: str) -> str:
    return f"commands/{'index' if name == WHOLE else name.removeprefix(f'{WHOLE}-')}.html"
