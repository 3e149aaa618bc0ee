# SPDX-License-Identifier: MIT
"""The start page: README.md, whose links lead to the project's own files."""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from clprobe.report.site.links import REPOSITORY


def as_html(markdown: str) -> Markup:
    """Return a page of the project as HTML: headings have the anchors that GitHub gives them."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(markdown)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following is not None:
            token.attrSet("id", _anchor(following.content))
        for inner in token.children or ():
            _lead_to_repository(inner)
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - html is off


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _lead_to_repository(token: Token) -> None:
    target = str(token.attrs.get("href", "#"))
    if not target.startswith(("#", "https://")):
        token.attrs["href"] = f"{REPOSITORY}/blob/main/{target}"
