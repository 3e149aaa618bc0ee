# SPDX-License-Identifier: MIT
"""What is around every page of bench: nothing in it asks the network for anything."""

from pathlib import Path

from clprobe.report.bench.page.svg import element, text

_STYLE = Path(__file__).with_name("page.css")


def page(title: str, main: str) -> str:
    """Return the whole page; `main` is markup."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>\n{_STYLE.read_text('utf-8')}</style></head>\n"
        f"<body>\n<main>\n{main}</main>\n</body>\n</html>\n"
    )


def sentences(said: list[tuple[str, str]]) -> str:
    """Return a list of sentences, each behind its sign."""
    items = "".join(
        element("li", element("span", text(sign), class_="sign"), element("span", text(sentence)))
        for sign, sentence in said
    )
    return element("ul", items, class_="says") + "\n" if items else ""


def warnings(said: list[str]) -> str:
    """Return what speaks against the figures, set apart; nothing if nothing does."""
    if not said:
        return ""
    lines = "".join(element("p", text(one)) for one in said)
    return element("div", lines, class_="warnings", role="note") + "\n"
