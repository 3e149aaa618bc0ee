# SPDX-License-Identifier: MIT
"""`clprobe cache`: lists what clprobe left on this machine, and removes its caches."""

import click

from clprobe.apply.clear import clear
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.options import json_option
from clprobe.cli.output import print_document
from clprobe.cli.output_option import output_option
from clprobe.model.leftovers import CacheReport
from clprobe.probe.leftovers import find
from clprobe.report.as_json import document
from clprobe.report.cache_text import show_caches
from clprobe.report.terminal import make_console


@click.command()
@click.option("--clear", "clears", is_flag=True, help="Remove clprobe's own caches.")
@json_option
@output_option
@click.pass_obj
def command(obj: dict[str, str], clears: bool, as_json: bool) -> int:
    """List what clprobe left on this machine for you, and remove its caches.

    Without options nothing is changed. --clear never removes the journals of install-plan
    --apply, which --undo needs, nor the caches of libraries, which other programs use too.
    """
    found = find()
    entries = clear(found) if clears else found
    freed = sum(one.bytes for one in entries if one.removed)
    report = CacheReport(action="clear" if clears else "list", entries=entries, freed_bytes=freed)
    if as_json:
        print_document(document("clprobe.cache/1", report))
    else:
        show_caches(make_console(obj["color"]), report)
    failed = clears and any(one.is_cleared and not one.removed for one in entries)
    return exit_codes.UNDECIDED if failed else exit_codes.OK
