# SPDX-License-Identifier: MIT
"""A plan with its matrix as one page that needs nothing else, and asks for nothing."""

from collections.abc import Sequence

from clprobe.commands.pasted import pasted_step
from clprobe.compat.matrix import MatrixRow
from clprobe.model.plan import InstallPlan, Route, Target, VersionRow
from clprobe.report import plan_words as words
from clprobe.report.html_page import items, page, source_list, table, text
from clprobe.report.plan_answer import Answer

_STYLE = """
body { max-width: 70rem }
.supported, .yes { color: var(--fine) } .workaround, .some { color: var(--warning) }
.unverified, .unknown { color: var(--note) } .no { color: var(--error) }
"""
_WORDS = {"supported", "workaround", "unverified", "yes", "some", "unknown", "no"}


def plan_as_html(
    plan: InstallPlan,
    answer: Answer,
    rows: Sequence[MatrixRow] = (),
    versions: Sequence[VersionRow] = (),
) -> str:
    """Return the page, the answer first; every text from outside is escaped."""
    target = f"Plan for {words.target_line(plan.target)}."
    routes = "".join(_route(route, plan.target) for route in plan.routes)
    rejected = words.rejections(plan)
    return page(
        f"{answer.use} {answer.heading}",
        _STYLE,
        f"{_answer(answer)}<p>{text(target)}</p>\n{routes}"
        + (
            f"<h2>Rejected</h2>\n{table('Rejected', ('route', 'because'), rejected)}"
            if rejected
            else ""
        )
        + _versions(versions)
        + _releases(rows),
    )


def _answer(answer: Answer) -> str:
    why = text(" ".join(answer.why))
    commands = text("\n".join(answer.commands))
    named = words.more_names(answer.others, answer.impossible)
    return (
        f"<h1>{text(answer.use)}</h1>\n<p><strong>{text(answer.heading)}.</strong> {why}</p>\n"
        + (f"<pre>{commands}</pre>\n" if commands else "")
        + (f"<p>Check: <code>{text(answer.check)}</code></p>\n" if answer.check else "")
        + (f"<ul>{items(answer.notes)}</ul>\n" if answer.notes else "")
        + "".join(f"<p>{label}: {text(', '.join(names))}</p>\n" for label, names in named)
    )


def _route(route: Route, target: Target) -> str:
    on = "GPU" if route.uses_gpu else "CPU"
    by_hand = f"<pre>{text(chr(10).join(route.by_hand))}</pre>\n" if route.by_hand else ""
    steps = by_hand + "".join(
        f"<p>{text(step.title)}{' (done)' if step.done else ''}</p>\n"
        f"<pre>{text(pasted_step(step))}</pre>\n"
        for step in route.steps
    )
    sources = source_list(route.sources)
    return (
        f"<h2>{route.rank}. {text(words.title(route, target))} ({on}, "
        f'<span class="{route.status}">{text(words.state(route))}</span>)</h2>\n'
        f"<p>{text(route.because)}</p>\n<p>{text(route.ranking)}</p>\n"
        f"<details><summary>Steps and sources</summary>\n{steps}<ul>{items(route.caveats)}</ul>\n"
        + (f"{sources}\n" if sources else "")
        + "</details>\n"
    )


def _versions(versions: Sequence[VersionRow]) -> str:
    if not versions:
        return ""
    why = items(f"{stack}: {said}" for stack, said in words.reasons(versions))
    heading = "Python, torch, stack, driver and release"
    return (
        f"<h2>{heading}</h2>\n"
        + table(heading, words.HEADINGS, words.cells(versions), classes=_WORDS)
        + (f"<ul>{why}</ul>\n" if why else "")
    )


def _releases(rows: Sequence[MatrixRow]) -> str:
    if not rows:
        return ""
    heading = f"Which release drives {rows[0].generation}"
    shown = table(heading, words.RELEASE_HEADINGS, words.release_cells(rows), classes=_WORDS)
    return f"<h2>{text(heading)}</h2>\n{shown}"
