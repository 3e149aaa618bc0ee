# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - rich and the probe cost 0.1 s, so they are imported where they are used
"""`clprobe info`: lists drivers, loaders, platforms, devices, GPUs and their interfaces."""

import click
import msgspec

from clprobe.cli.completion import device_words
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.gathering import scrubbed_facts
from clprobe.cli.options import file_argument, from_option, json_option, only_source, timeout_option
from clprobe.cli.output import print_document
from clprobe.cli.output_option import output_option
from clprobe.cli.sources import read_snapshot
from clprobe.facts.derive import derive
from clprobe.facts.device_interfaces import take_interfaces
from clprobe.facts.inventory import select_devices, take_inventory
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.report.as_json import document


@click.command()
@file_argument
@json_option
@output_option
@from_option("Read this snapshot or pasted text (4 MiB at most), not this host.")
@click.option(
    "--device",
    "selectors",
    multiple=True,
    metavar="SEL",
    shell_complete=device_words,
    help="Show these devices.",
)
@timeout_option()
@click.pass_obj
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    obj: dict[str, str],
    file: str | None,
    as_json: bool,
    source: str | None,
    selectors: tuple[str, ...],
    timeout: float,
) -> int:
    """List drivers, loaders, platforms, devices and GPUs with their limits, and what reaches them.

    Beside OpenCL these are Vulkan, Level Zero, CUDA, VA-API and, for AMD, ROCm: whether a driver of
    theirs is installed for each device, and what stands in its way. Only OpenCL is tried.
    """
    source = only_source(file, source)
    snapshot = read_snapshot(source) if source is not None else _facts(timeout)
    tables = Tables.load()
    facts = derive(snapshot, tables)
    inventory = take_inventory(facts)
    devices = select_devices(inventory.devices, selectors)
    inventory = msgspec.structs.replace(
        inventory, devices=devices, interfaces=take_interfaces(facts, tables)
    )
    if as_json:
        print_document(document("clprobe.info/1", inventory))
    else:
        from clprobe.report.info_text import show_inventory
        from clprobe.report.terminal import make_console

        show_inventory(make_console(obj["color"]), inventory)
    return exit_codes.OK


def _facts(timeout: float) -> Snapshot:
    from clprobe.probe.live_host import LiveHost

    return scrubbed_facts(LiveHost(), timeout)
