# SPDX-License-Identifier: MIT
"""Install plans as Markdown, for issues and wikis."""

from collections.abc import Sequence

from clprobe.compat.matrix import MatrixRow
from clprobe.model.plan import InstallPlan, Route, VersionRow
from clprobe.model.shell_words import command_line
from clprobe.report import plan_words as words
from clprobe.report.markdown_text import links, one_line, plain, row, table


def plan_as_markdown(
    plan: InstallPlan, rows: Sequence[MatrixRow] = (), versions: Sequence[VersionRow] = ()
) -> str:
    """Return all routes with their steps, what was rejected, and the matrix if there is one."""
    lines = [f"# Plan for {plain(words.target_line(plan.target))}", "", f"Goal: {plan.goal}", ""]
    if not plan.routes:
        lines += ["No route leads there.", ""]
    for route in plan.routes:
        lines += _route(route)
    if plan.rejected:
        lines += ["## Rejected", "", *table("| route | because |", words.rejections(plan)), ""]
    if versions:
        lines += ["## Versions", "", *table(row(words.HEADINGS), words.cells(versions))]
        lines += ["", *(f"* {stack}: {plain(why)}" for stack, why in words.reasons(versions)), ""]
    if rows:
        head = row(words.RELEASE_HEADINGS)
        lines += ["## Matrix", "", *table(head, words.release_cells(rows)), ""]
    return "\n".join(lines)


def _route(route: Route) -> list[str]:
    on = "GPU" if route.uses_gpu else "CPU"
    title = words.title(route)
    lines = [f"## {route.rank}. {title} ({on}, {route.status})", "", plain(route.because)]
    lines += ["", f"Why here: {plain(route.ranking)}"] if route.ranking else []
    if route.by_hand:
        lines += ["", "```text", *map(one_line, route.by_hand), "```"]
    if route.steps:
        lines += ["", "```sh"]
        for step in route.steps:
            lines += [f"# {one_line(words.step_line(step))}", command_line(step.argv)]
        lines.append("```")
    if route.caveats:
        lines += ["", *(f"* {plain(caveat)}" for caveat in route.caveats)]
    if route.sources:
        lines += ["", f"Sources: {links(route.sources)}"]
    return [*lines, ""]
