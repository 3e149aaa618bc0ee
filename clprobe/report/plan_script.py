# SPDX-License-Identifier: MIT
"""One route as a POSIX shell script that stops at the first failure and may be run again."""

import shlex

from clprobe.model.action import JoinGroup, Look
from clprobe.model.placeholders import HOME, USER
from clprobe.model.plan import InstallPlan, Route, Step
from clprobe.report.escaping import safe
from clprobe.report.plan_words import title


def script(plan: InstallPlan, route: Route) -> str:
    """Return the route's steps as a script for `sh`."""
    where = plan.target.os or "this system"
    lines = [
        "#!/bin/sh",
        _comment(f"clprobe install-plan: {title(route, plan.target)} on {where}"),
        _comment(route.because),
        *(_comment(f"First, by hand: {line}") for line in route.by_hand),
        *(_comment(f"Note: {caveat}") for caveat in route.caveats),
        "set -eu",
        "",
        "step=start",
        """trap 'test $? -eq 0 || echo "Stopped at step $step." >&2' EXIT""",
        "",
    ]
    if not route.steps:
        lines += ['echo "There are no commands for this route: see the notes." >&2', "exit 1", ""]
    if any(step.needs_root for step in route.steps):
        lines += [
            'if [ "$(id -u)" -ne 0 ]; then',
            '    echo "This script installs packages: run it as root, such as with sudo sh." >&2',
            "    exit 1",
            "fi",
            "",
        ]
    if any(isinstance(step.action, JoinGroup) for step in route.steps):
        lines += ['user="${SUDO_USER:-$(id -un)}"', ""]
    for number, step in enumerate(route.steps, 1):
        lines += _step(number, step)
    return "\n".join(lines)


def _step(number: int, step: Step) -> list[str]:
    lines = [f"step={shlex.quote(safe(f'{number}. {step.title}'))}", 'echo "$step"']
    if isinstance(step.action, Look):
        # root's PATH may lack it, and what it finds is for the reader to judge.
        shown = _words(step.argv)
        lines += ["if command -v clprobe >/dev/null 2>&1; then", f"    {shown} || :", "fi"]
    else:
        lines.append(_words(step.argv))
        if step.verify is not None:
            lines.append(f"{_words(step.verify)} >/dev/null")
    return [*lines, ""]


def _words(argv: tuple[str, ...]) -> str:
    return " ".join(_in_script(word) for word in argv)


def _in_script(word: str) -> str:
    if word == USER:
        return '"$user"'
    if word.startswith(f"{HOME}/"):
        return f'"$HOME"/{shlex.quote(word[2:])}'
    return shlex.quote(word)


def _comment(text: str) -> str:
    return "# " + safe(text).replace("\n", " ")
