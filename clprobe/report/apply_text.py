# SPDX-License-Identifier: MIT
"""How --apply, --fix or --undo ended, for people."""

import shlex

from rich.console import Console

from clprobe.apply.result import ApplyReport, Outcome, Seen, SeenDevice
from clprobe.report.terminal import Screen

_HEADINGS: dict[Outcome, tuple[str, str]] = {
    "applied": ("fine", "All steps are done and proved."),
    "failed": ("error", "A step failed, and nothing after it was run."),
    "interrupted": ("warning", "Stopped before the end."),
    "declined": ("note", "Nothing was changed."),
    "needs-root": ("error", "Some steps need root. Nothing was changed."),
    "not-started": ("error", "Nothing was changed."),
    "undone": ("fine", "All that was done is taken back."),
    "partly-undone": ("error", "Not all of it could be taken back."),
    "nothing-to-undo": ("note", "There is nothing to take back."),
    "nothing-to-do": ("note", "There is nothing here that clprobe can fix by itself."),
}


class ApplyText:
    """Prints reports to one console."""

    def __init__(self, console: Console) -> None:
        self._screen = Screen(console)

    def show(self, report: ApplyReport) -> None:
        """Print the whole report."""
        kind, heading = _HEADINGS[report.outcome]
        self._screen.marked(kind, heading)
        self._problem(report)
        self._packages(report)
        if report.action == "undo":
            self._undone(report)
        elif report.after is not None:
            self._devices(report.before or report.after, report.after)
        for text in report.by_hand:
            self._screen.labelled("by hand", text)
        if report.journal is not None:
            self._screen.labelled("journal", report.journal)

    def _problem(self, report: ApplyReport) -> None:
        failed = [step.title for step in report.steps if step.problem is not None]
        self._screen.labelled("step", ", ".join(failed))
        if report.problem is not None:
            self._screen.labelled("Why", report.problem.message)
            self._screen.labelled("Fix", report.problem.hint)
        if report.command is not None:
            self._screen.unbroken(("  Fix      ", "label"), (shlex.join(report.command), "command"))

    def _packages(self, report: ApplyReport) -> None:
        if report.outcome in ("undone", "nothing-to-undo"):
            return
        packages = report.packages
        self._screen.labelled("added", ", ".join(packages.added))
        upgraded = [f"{u.name} {u.before} to {u.after}" for u in packages.upgraded]
        self._screen.labelled("upgraded", ", ".join(upgraded))
        self._screen.labelled("removed", ", ".join(packages.removed))
        self._screen.labelled("files", ", ".join(report.files))

    def _undone(self, report: ApplyReport) -> None:
        for left in report.left:
            self._screen.labelled("left", left)
        for difference in report.differences:
            self._screen.labelled("differs", difference)
        if report.outcome == "undone" and not report.differences:
            self._screen.labelled("packages", "The package list is what it was before.")

    def _devices(self, before: Seen, after: Seen) -> None:
        self._screen.heading("Devices")
        came = [device for device in after.devices if device not in before.devices]
        for device in after.devices:
            self._device("+" if device in came else " ", device)
        for device in before.devices:
            if device not in after.devices:
                self._device("-", device)
        if not after.devices:
            self._screen.line("    none")
        if not came and after.devices == before.devices:
            self._screen.line("    No device came or went.")
        self._errors(before, after)

    def _device(self, sign: str, device: SeenDevice) -> None:
        where = f" ({device.icd})" if device.icd else ""
        self._screen.unbroken(f"  {sign} {device.platform}: {device.name}{where}")

    def _errors(self, before: Seen, after: Seen) -> None:
        was, still = (*before.errors, *before.warnings), (*after.errors, *after.warnings)
        gone = [one for one in was if one not in still]
        for found in still:
            new = "" if found in was else " (new)"
            kind = "error" if found in after.errors else "warning"
            self._screen.marked(kind, f"{found}{new}", indent=2)
        for error in gone:
            self._screen.marked("fine", f"{error} is gone", indent=2)
        if after.errors:
            self._screen.labelled("Docs", "clprobe doctor")
