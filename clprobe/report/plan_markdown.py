# SPDX-License-Identifier: MIT
"""Install plans as Markdown, for issues and wikis."""

from collections.abc import Sequence

from clprobe.commands.pasted import pasted_step
from clprobe.compat.matrix import MatrixRow
from clprobe.model.plan import InstallPlan, Route, Target, VersionRow
from clprobe.report import plan_words as words
from clprobe.report.markdown_text import code, links, one_line, plain, row, table
from clprobe.report.plan_answer import Answer


def plan_as_markdown(
    plan: InstallPlan,
    answer: Answer,
    rows: Sequence[MatrixRow] = (),
    versions: Sequence[VersionRow] = (),
) -> str:
    """Return the answer, then all routes with their steps, what was rejected, and the matrix."""
    lines = [*_answer(answer), f"Plan for {plain(words.target_line(plan.target))}.", ""]
    for route in plan.routes:
        lines += _route(route, plan.target)
    if plan.rejected:
        lines += ["## Rejected", "", *table("| route | because |", words.rejections(plan)), ""]
    if versions:
        lines += ["## Versions", "", *table(row(words.HEADINGS), words.cells(versions))]
        lines += ["", *(f"* {stack}: {plain(why)}" for stack, why in words.reasons(versions)), ""]
    if rows:
        head = row(words.RELEASE_HEADINGS)
        lines += ["## Matrix", "", *table(head, words.release_cells(rows)), ""]
    return "\n".join(lines)


def _answer(answer: Answer) -> list[str]:
    lines = [f"# {plain(answer.heading)}", ""]
    lines += [f"**{plain(answer.use)}** {plain(' '.join(answer.why))}".rstrip(), ""]
    if answer.commands:
        lines += ["```sh", *map(one_line, answer.commands), "```", ""]
    lines += [f"Check: {code(answer.check)}", ""] if answer.check is not None else []
    lines += [*(f"* {plain(note)}" for note in answer.notes), ""] if answer.notes else []
    for label, names in words.more_names(answer.others, answer.impossible):
        lines += [f"{label}: {plain(', '.join(names))}", ""]
    return lines


def _route(route: Route, target: Target) -> list[str]:
    on = "GPU" if route.uses_gpu else "CPU"
    title = words.title(route, target)
    lines = [f"## {route.rank}. {title} ({on}, {words.state(route)})", "", plain(route.because)]
    lines += ["", f"Why here: {plain(route.ranking)}"] if route.ranking else []
    if route.by_hand:
        lines += ["", "```text", *map(one_line, route.by_hand), "```"]
    if route.steps:
        lines += ["", "```sh"]
        for step in route.steps:
            done = " (done)" if step.done else ""
            lines += [f"# {one_line(step.title)}{done}", one_line(pasted_step(step))]
        lines.append("```")
    if route.caveats:
        lines += ["", *(f"* {plain(caveat)}" for caveat in route.caveats)]
    if route.sources:
        lines += ["", f"Sources: {links(route.sources)}"]
    return [*lines, ""]
