# SPDX-License-Identifier: MIT
"""`clprobe snapshot`: the facts of this host, for replay and bug reports."""

import json
from pathlib import Path

import click
import msgspec

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.gathering import progress_of
from clprobe.cli.output import print_document
from clprobe.cli.output_file import checked_folder, write_file
from clprobe.cli.seconds import SECONDS
from clprobe.cli.sources import read_snapshot
from clprobe.model.codec import snapshot_document, snapshot_schema
from clprobe.model.snapshot import Snapshot
from clprobe.probe.collect import collect
from clprobe.probe.live_host import LiveHost
from clprobe.report.as_json import json_text
from clprobe.report.escaping import safe_line
from clprobe.report.scrubbed_text import scrubbed_line
from clprobe.scrub import scrub, scrub_here


@click.command("snapshot")
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=checked_folder,
    help="Write to FILE instead of stdout; YAML if its name ends in .yaml or .yml.",
)
@click.option(
    "--from",
    "source",
    metavar="FILE|-",
    type=click.Path(allow_dash=True),
    help="Scrub this snapshot or pasted text (4 MiB at most), not this host.",
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of snapshots and stop.")
@click.option(
    "--timeout",
    "timeout_s",
    metavar="SECONDS",
    type=SECONDS,
    default=10.0,
    show_default=True,
    help="Wait no longer for any driver; from 0.1 to 3600.",
)
def command(output: Path | None, source: str | None, schema: bool, timeout_s: float) -> int:
    """Write the facts of this host, scrubbed, for replay and bug reports.

    `clprobe doctor --from FILE` gives the findings of this host anywhere.

    Replaced are names of people and of the host, home folders, serial numbers, UUIDs, MAC and IP
    addresses, e-mail addresses, keys and tokens; other variables and boot parameters are left out.
    Kept are versions, PCI addresses and ids, numbers of users and groups, names of services, of
    groups and of packages, and other paths. Of a pasted text, only names that stand in prompts,
    logs, home folders or the output of `id` are known: read the result before you post it.
    """
    if schema:
        print_document(json.dumps(snapshot_schema(), indent=2) + "\n")
        return exit_codes.OK
    snapshot = _taken_here(timeout_s) if source is None else scrub(read_snapshot(source))
    if output is None:
        print_document(json_text(snapshot_document(snapshot)))
    else:
        write_file(output, _text(snapshot, output))
    click.echo(f"clprobe: {safe_line(scrubbed_line(snapshot.scrubbed))}", err=True)
    return exit_codes.OK


def _taken_here(timeout_s: float) -> Snapshot:
    host = LiveHost()
    waiting = progress_of(host, timeout_s).waiting
    return scrub_here(collect(host, timeout_s=timeout_s, waiting=waiting), host)


def _text(snapshot: Snapshot, output: Path) -> str:
    if output.suffix not in {".yaml", ".yml"}:
        return json_text(snapshot_document(snapshot))
    import yaml  # noqa: PLC0415 - JSON, the usual case, does without it

    document = {"schema": snapshot.schema, **msgspec.to_builtins(snapshot)}
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)
