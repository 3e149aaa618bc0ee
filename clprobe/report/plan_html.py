# SPDX-License-Identifier: MIT
"""A plan with its matrix as one page that needs nothing else, and asks for nothing."""

from collections.abc import Iterable, Sequence
from html import escape

from clprobe.compat.matrix import MatrixRow
from clprobe.model.finding import Source
from clprobe.model.plan import InstallPlan, Route, VersionRow
from clprobe.model.shell_words import command_line
from clprobe.report.plan_script import rejections, title
from clprobe.report.plan_text import target_line
from clprobe.report.terminal import safe
from clprobe.report.version_rows import HEADINGS, cells, reasons

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --error: #b3261e; --warning: #8a5a00;
  --note: #1f6f8b; --fine: #2a7f3b }
@media (prefers-color-scheme: dark) { :root { --error: #ff8a80; --warning: #ffc266;
  --note: #7cc7e0; --fine: #7bd88f } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere }
pre { white-space: pre-wrap; border: 1px solid var(--line); padding: .4rem .6rem }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top }
.supported, .yes { color: var(--fine) } .workaround, .some { color: var(--warning) }
.unverified, .unknown { color: var(--note) } .no { color: var(--error) }
@media print { details { display: block } body { margin: 0; max-width: none } }
"""
_WORDS = {"supported", "workaround", "unverified", "yes", "some", "unknown", "no"}


def plan_as_html(
    plan: InstallPlan, rows: Sequence[MatrixRow] = (), versions: Sequence[VersionRow] = ()
) -> str:
    """Return the page; every text from outside is escaped."""
    heading = f"Plan for {target_line(plan.target)}"
    routes = "".join(map(_route, plan.routes)) or "<p>No route leads there.</p>\n"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>clprobe install-plan</title>\n<style>{_STYLE}</style></head>\n<body>\n"
        f"<h1>{_text(heading)}</h1>\n<p>Goal: {_text(plan.goal)}</p>\n{routes}"
        + _rejected(plan)
        + _versions(versions)
        + _releases(rows)
        + "</body>\n</html>\n"
    )


def _route(route: Route) -> str:
    on = "GPU" if route.uses_gpu else "CPU"
    steps = "".join(
        f"<p>{_text(step.title)}{' (as root)' if step.needs_root else ''}</p>\n"
        f"<pre>{_text(command_line(step.argv))}</pre>\n"
        for step in route.steps
    )
    caveats = "".join(f"<li>{_text(caveat)}</li>" for caveat in route.caveats)
    return (
        f"<h2>{route.rank}. {_text(title(route))} ({on}, "
        f'<span class="{route.status}">{route.status}</span>)</h2>\n'
        f"<p>{_text(route.because)}</p>\n<p>{_text(route.ranking)}</p>\n"
        f"<details><summary>Steps and sources</summary>\n{steps}<ul>{caveats}</ul>\n"
        f"{_sources(route.sources)}</details>\n"
    )


def _sources(sources: Sequence[Source]) -> str:
    items = "".join(
        f'<li><a href="{escape(one.url)}" rel="noreferrer">{_text(one.url)}</a> '
        f"({_text(one.checked)})</li>"
        if one.url.startswith("https://")
        else f"<li>{_text(one.url)} ({_text(one.checked)})</li>"
        for one in sources
    )
    return f"<ul>{items}</ul>\n" if items else ""


def _rejected(plan: InstallPlan) -> str:
    rows = rejections(plan)
    return f"<h2>Rejected</h2>\n{_table(('route', 'because'), rows)}" if rows else ""


def _versions(versions: Sequence[VersionRow]) -> str:
    if not versions:
        return ""
    why = "".join(f"<li>{_text(stack)}: {_text(said)}</li>" for stack, said in reasons(versions))
    return (
        "<h2>Python, torch, stack, driver and release</h2>\n"
        + _table(HEADINGS, cells(versions))
        + (f"<ul>{why}</ul>\n" if why else "")
    )


def _releases(rows: Sequence[MatrixRow]) -> str:
    if not rows:
        return ""
    listed = [
        (f"{r.distribution} {r.pocket}", r.implementation, r.version, r.drives, r.why) for r in rows
    ]
    headings = ("release", "implementation", "version", "drives it", "why")
    return f"<h2>Which release drives {_text(rows[0].generation)}</h2>\n" + _table(headings, listed)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>\n" for row in rows)
    return f'<div class="wide"><table>\n<tr>{head}</tr>\n{body}</table></div>\n'


def _cell(text: str) -> str:
    kind = f' class="{text}"' if text in _WORDS else ""
    return f"<td{kind}>{_text(text)}</td>"


def _text(text: str) -> str:
    return escape(safe(text))
