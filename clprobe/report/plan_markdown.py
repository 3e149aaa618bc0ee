# SPDX-License-Identifier: MIT
"""Install plans as Markdown, for issues and wikis."""

from collections.abc import Sequence

from clprobe.engine.matrix import MatrixRow
from clprobe.model.plan import InstallPlan, Route
from clprobe.report.plan_script import command_line, title
from clprobe.report.plan_text import target_line
from clprobe.report.terminal import safe


def plan_as_markdown(plan: InstallPlan, rows: Sequence[MatrixRow] = ()) -> str:
    """Return all routes with their steps, what was rejected, and the matrix if there is one."""
    lines = [f"# Plan for {_plain(target_line(plan.target))}", "", f"Goal: {plan.goal}", ""]
    if not plan.routes:
        lines += ["No route leads there.", ""]
    for route in plan.routes:
        lines += _route(route)
    if plan.rejected:
        lines += ["## Rejected", "", "| route | because |", "|---|---|"]
        for entry in plan.rejected:
            name = entry.backend if entry.stack is None else f"{entry.stack} on {entry.backend}"
            lines.append(f"| {_cell(name)} | {_cell(entry.because)} |")
        lines.append("")
    if rows:
        lines += ["## Matrix", "", "| release | implementation | version | drives it | why |"]
        lines.append("|---|---|---|---|---|")
        lines += [
            f"| {_cell(row.distribution)} {_cell(row.pocket)} | {_cell(row.implementation)} "
            f"| {_cell(row.version)} | {row.drives} | {_cell(row.why)} |"
            for row in rows
        ]
        lines.append("")
    return "\n".join(lines)


def _route(route: Route) -> list[str]:
    on = "GPU" if route.uses_gpu else "CPU"
    lines = [f"## {route.rank}. {title(route)} ({on}, {route.status})", "", _plain(route.because)]
    if route.steps:
        lines += ["", "```sh"]
        for step in route.steps:
            lines += [f"# {_plain(step.title)}{' (as root)' if step.needs_root else ''}"]
            lines += [command_line(step.argv)]
        lines.append("```")
    if route.caveats:
        lines += ["", *(f"* {_plain(caveat)}" for caveat in route.caveats)]
    if route.sources:
        links = ", ".join(f"<{source.url}> ({source.checked})" for source in route.sources)
        lines += ["", f"Sources: {links}"]
    return [*lines, ""]


def _plain(text: str) -> str:
    """Return text without what Markdown or HTML would take for markup."""
    line = safe(text).replace("\n", " ")
    return line.replace("<", "&lt;").replace("`", "'")


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")
