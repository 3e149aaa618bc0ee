# SPDX-License-Identifier: MIT
"""Turns the names in a text into links to their pages."""

import re
from collections.abc import Mapping

from markupsafe import Markup, escape

from clprobe.report.escaping import safe

REPOSITORY = "https://github.com/clprobe/clprobe"
_URL = re.compile(r"https://[^\s<>()\"']*[^\s<>()\"'.,;:]")


class Linker:
    """Knows the page of each name: a rule, a driver, a release, a generation, a PCI id."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._pages = pages
        names = "|".join(re.escape(name) for name in sorted(pages, key=len, reverse=True))
        # "Gen9" is no part of "Gen9.5", nor "pocl" of "libpocl2".
        self._names = re.compile(rf"(?<![\w./:-])(?:{names})(?![\w-]|\.\w)")

    def linked(self, text: str, *, here: str) -> Markup:
        """Return the text as HTML with links; `here` is the page it stands on, without a link."""
        made, position = Markup(""), 0
        for match in self._marks(text):
            target = self._pages.get(match[0], match[0])
            if target == here:
                continue
            made += escape(safe(text[position : match.start()]))
            made += Markup('<a href="{}">{}</a>').format(relative(target, here), match[0])
            position = match.end()
        return made + escape(safe(text[position:]))

    def page(self, name: str) -> str:
        """Return the page of a name."""
        return self._pages[name]

    def _marks(self, text: str) -> list[re.Match[str]]:
        urls = list(_URL.finditer(text))
        inside = [(url.start(), url.end()) for url in urls]
        names = [
            name
            for name in self._names.finditer(text)
            if not any(start <= name.start() < end for start, end in inside)
        ]
        return sorted([*urls, *names], key=lambda match: match.start())


def relative(target: str, here: str) -> str:
    """Return the address of page `target` as page `here` must write it."""
    if target.startswith("https://"):
        return target
    return "../" * here.count("/") + target
