# SPDX-License-Identifier: MIT
"""A plan with its matrix as one page that needs nothing else, and asks for nothing."""

from collections.abc import Sequence

from clprobe.compat.matrix import MatrixRow
from clprobe.model.plan import InstallPlan, Route, VersionRow
from clprobe.model.shell_words import command_line
from clprobe.report import plan_words as words
from clprobe.report.html_page import items, page, source_list, table, text

_STYLE = """
body { max-width: 70rem }
.supported, .yes { color: var(--fine) } .workaround, .some { color: var(--warning) }
.unverified, .unknown { color: var(--note) } .no { color: var(--error) }
"""
_WORDS = {"supported", "workaround", "unverified", "yes", "some", "unknown", "no"}


def plan_as_html(
    plan: InstallPlan, rows: Sequence[MatrixRow] = (), versions: Sequence[VersionRow] = ()
) -> str:
    """Return the page; every text from outside is escaped."""
    heading = f"Plan for {words.target_line(plan.target)}"
    routes = "".join(map(_route, plan.routes)) or "<p>No route leads there.</p>\n"
    rejected = words.rejections(plan)
    return page(
        "clprobe install-plan",
        _STYLE,
        f"<h1>{text(heading)}</h1>\n<p>Goal: {text(plan.goal)}</p>\n{routes}"
        + (f"<h2>Rejected</h2>\n{_table(('route', 'because'), rejected)}" if rejected else "")
        + _versions(versions)
        + _releases(rows),
    )


def _route(route: Route) -> str:
    on = "GPU" if route.uses_gpu else "CPU"
    by_hand = f"<pre>{text(chr(10).join(route.by_hand))}</pre>\n" if route.by_hand else ""
    steps = by_hand + "".join(
        f"<p>{text(words.step_line(step))}</p>\n<pre>{text(command_line(step.argv))}</pre>\n"
        for step in route.steps
    )
    sources = source_list(route.sources)
    return (
        f"<h2>{route.rank}. {text(words.title(route))} ({on}, "
        f'<span class="{route.status}">{route.status}</span>)</h2>\n'
        f"<p>{text(route.because)}</p>\n<p>{text(route.ranking)}</p>\n"
        f"<details><summary>Steps and sources</summary>\n{steps}<ul>{items(route.caveats)}</ul>\n"
        + (f"{sources}\n" if sources else "")
        + "</details>\n"
    )


def _versions(versions: Sequence[VersionRow]) -> str:
    if not versions:
        return ""
    why = items(f"{stack}: {said}" for stack, said in words.reasons(versions))
    return (
        "<h2>Python, torch, stack, driver and release</h2>\n"
        + _table(words.HEADINGS, words.cells(versions))
        + (f"<ul>{why}</ul>\n" if why else "")
    )


def _releases(rows: Sequence[MatrixRow]) -> str:
    if not rows:
        return ""
    heading = f"Which release drives {rows[0].generation}"
    return f"<h2>{text(heading)}</h2>\n{_table(words.RELEASE_HEADINGS, words.release_cells(rows))}"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return table(headings, rows, classes=_WORDS)
