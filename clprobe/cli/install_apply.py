# SPDX-License-Identifier: MIT
"""`clprobe install-plan --apply` and `--undo`: asks, and shows what came of it."""

import click

from clprobe.apply.result import Seen
from clprobe.apply.run import Here, Runs, job_of
from clprobe.cli.acting import Asked, Terminal, seen_in, shown
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.gathering import gather
from clprobe.diagnosis.diagnose import diagnose
from clprobe.model.plan import InstallPlan, Route

_DRIVER_LIMIT_S = 10.0


def asked_to_act(form: str, color: str, *, applies: bool, undoes: bool, yes: bool) -> Asked:
    """Return how the person wants it.

    Raises: click.UsageError for options that do not go together.
    """
    if applies and undoes:
        raise click.UsageError("--apply and --undo do not go together.")
    if yes and not (applies or undoes):
        raise click.UsageError("--yes belongs to --apply or --undo.")
    if (applies or undoes) and form not in ("table", "json"):
        raise click.UsageError(f"--format {form} only prints; leave it out.")
    given = click.get_current_context().params
    if applies and "-" in (given.get("source"), given.get("file")) and not yes:
        raise click.UsageError("With - to read nobody can be asked: state a file, or --yes.")
    return Asked(yes, form == "json", color)


def apply_route(made: InstallPlan, route: Route, here: Here, asked: Asked) -> int:
    """Carry out the steps of a route on this host, and show how that ended.

    Returns the exit status: 0 applied and proved, 1 applied while doctor finds errors, 3 not
    finished.

    Raises: ClprobeError if the plan is not for this host, or has no commands.
    """
    report = Runs(_Terminal("install-plan", asked), asked.limits).apply(job_of(made, route, here))
    status = shown(report, asked)
    # What failed and was taken back is not what was asked for.
    return exit_codes.UNDECIDED if report.action == "undo" else status


class _Terminal(Terminal):
    def seen(self, environment: str | None) -> Seen:
        """Return what doctor finds now."""
        snapshot, knowledge = gather(
            None, None, _DRIVER_LIMIT_S, for_text=False, verbose=False, prefix=environment
        )
        return seen_in(diagnose(snapshot, knowledge))
