# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - rich and the probe cost 0.1 s, so they are imported where they are used
"""`clprobe info`: lists drivers, loaders, platforms, devices and GPUs."""

import click
import msgspec

from clprobe.cli.completion_words import device_words
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.gathering import progress_of
from clprobe.cli.output import print_document
from clprobe.cli.seconds import timeout_option
from clprobe.cli.sources import read_snapshot
from clprobe.facts.derive import derive
from clprobe.facts.inventory import select_devices, take_inventory
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.report.as_json import document

SCHEMA = "clprobe.info/1"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--from",
    "source",
    metavar="FILE|-",
    type=click.Path(allow_dash=True),
    help="Read this snapshot or pasted text (4 MiB at most), not this host.",
)
@click.option(
    "--device",
    "selectors",
    multiple=True,
    metavar="SEL",
    shell_complete=device_words,
    help="Show these devices.",
)
@timeout_option
@click.pass_obj
def command(
    obj: dict[str, str],
    as_json: bool,
    source: str | None,
    selectors: tuple[str, ...],
    timeout: float,
) -> int:
    """List drivers, loaders, platforms, devices and GPUs with their limits."""
    snapshot = read_snapshot(source) if source is not None else _collect(timeout)
    inventory = take_inventory(derive(snapshot, Tables.load()))
    devices = select_devices(inventory.devices, selectors)
    inventory = msgspec.structs.replace(inventory, devices=devices)
    if as_json:
        print_document(document(SCHEMA, inventory))
    else:
        from clprobe.report.info_text import show_inventory
        from clprobe.report.terminal import make_console

        show_inventory(make_console(obj["color"]), inventory)
    return exit_codes.OK


def _collect(timeout: float) -> Snapshot:
    from clprobe.probe.collect import collect
    from clprobe.probe.live_host import LiveHost
    from clprobe.scrub import scrub_here

    host = LiveHost()
    waiting = progress_of(host, timeout).waiting
    return scrub_here(collect(host, timeout_s=timeout, waiting=waiting), host)
