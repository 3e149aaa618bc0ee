# SPDX-License-Identifier: MIT
"""`clprobe snapshot`: the facts of this host, for replay and bug reports."""

import json
from pathlib import Path

import click
import msgspec

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.gathering import scrubbed_facts
from clprobe.cli.options import file_argument, from_option, only_source, timeout_option
from clprobe.cli.output import print_document
from clprobe.cli.output_file import checked_folder, write_file
from clprobe.cli.sources import read_snapshot
from clprobe.model.codec import snapshot_document, snapshot_schema
from clprobe.model.snapshot import Snapshot
from clprobe.probe.live_host import LiveHost
from clprobe.report.as_json import json_text
from clprobe.report.doctor_words import scrubbed_line
from clprobe.report.escaping import safe_line
from clprobe.scrub import scrub


@click.command("snapshot")
@file_argument
@click.option(
    "--output",
    metavar="FILE|-",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    callback=checked_folder,
    help="Write to FILE instead of stdout; YAML if its name ends in .yaml or .yml.",
)
@from_option("Scrub this snapshot or pasted text (4 MiB at most), not this host.")
@click.option(
    "--no-kernel", is_flag=True, help="Do not build and run a small kernel on each device."
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of snapshots and stop.")
@timeout_option("Wait no longer for any driver;")
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    file: str | None,
    output: Path | None,
    source: str | None,
    no_kernel: bool,
    schema: bool,
    timeout: float,
) -> int:
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
    source = only_source(file, source)
    if source is None:
        snapshot = scrubbed_facts(LiveHost(), timeout, run_kernels=not no_kernel)
    else:
        snapshot = scrub(read_snapshot(source))
    if output is None:
        print_document(json_text(snapshot_document(snapshot)))
    else:
        write_file(output, _text(snapshot, output))
    click.echo(f"clprobe: {safe_line(scrubbed_line(snapshot.scrubbed))}", err=True)
    return exit_codes.OK


def _text(snapshot: Snapshot, output: Path) -> str:
    if output.suffix not in {".yaml", ".yml"}:
        return json_text(snapshot_document(snapshot))
    import yaml  # noqa: PLC0415 - JSON, the usual case, does without it

    document = {"schema": snapshot.schema, **msgspec.to_builtins(snapshot)}
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)
