# SPDX-License-Identifier: MIT
"""`clprobe bench`: what each device is worth beside the CPU."""

import importlib.util
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from msgspec import structs

from clprobe.bench.effort import EFFORTS
from clprobe.bench.own_net.check import check_own_nets
from clprobe.bench.protocol import (
    QUICK_WORKLOADS,
    WORKLOADS,
    Asked,
    Baseline,
    EffortName,
    LossName,
    OwnNet,
    Target,
)
from clprobe.bench.targets import TORCH_DEVICES, rivals, targets_of
from clprobe.bench.theoretical import theoretical_peak
from clprobe.cli.bench_files import checked_output, compare_files, refuse_other_options, show, write
from clprobe.cli.bench_progress import announce_tuning, say, showing, tell_remedy
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.exit import garbage
from clprobe.cli.extras import how_to_install
from clprobe.facts.derive import derive
from clprobe.facts.inventory import select_devices, take_inventory
from clprobe.knowledge.tables import Tables
from clprobe.model.codec import snapshot_document
from clprobe.model.errors import ClprobeError
from clprobe.model.measurement import BenchReport, Contestant
from clprobe.model.snapshot import Snapshot
from clprobe.probe.collect import collect
from clprobe.probe.live_host import LiveHost
from clprobe.scrub import Known, known_here, scrub, scrub_document

if TYPE_CHECKING:
    from clprobe.bench.run import Measured

    _Choice = click.Choice[Asked]
    _Shape = click.ParamType[tuple[int, ...]]
else:  # click 8.1, which distributions have, knows no parameters of types
    _Choice, _Shape = click.Choice, click.ParamType

# The last of them is in a package of its own where distributions split clprobe.
_NEEDED = ("numpy", "pyopencl", "clprobe.tensor")
# Python's start before this file, and what follows the last device.
_FIRST_SECONDS = 1.0
_LAST_SECONDS = 2.0
_SHAPE = re.compile(r"[1-9]\d*(x[1-9]\d*)*", re.ASCII)
_OWN_NET = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)", re.ASCII)


class WorkloadType(_Choice):
    """A choice, with module:Class beside it."""

    def __init__(self) -> None:
        super().__init__(WORKLOADS)

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> Asked:
        """Return the name of the workload, or the user's net."""
        own = _OWN_NET.fullmatch(value)
        return super().convert(value, param, ctx) if own is None else OwnNet(own[1], own[2])


class ShapeType(_Shape):
    """Sizes with an x between them."""

    name = "SHAPE"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the sizes."""
        if not _SHAPE.fullmatch(value):
            self.fail(f"{value!r} is no shape such as 3x224x224.", param, ctx)
        return tuple(int(size) for size in value.split("x"))


@click.command("bench")
@click.option(
    "--device",
    "selectors",
    metavar="SEL",
    multiple=True,
    help="Index from `clprobe info`, gpu, cpu, a PCI id, a driver such as pocl, or part of a name; "
    "xpu, ocl: torch's. May be repeated.",
)
@click.option(
    "--workload",
    "workloads",
    type=WorkloadType(),
    multiple=True,
    help="Only this one, or module:Class, a torch.nn.Module of yours (see below); may be repeated.",
)
@click.option(
    "--input",
    "input_shape",
    type=ShapeType(),
    help="What one sample of your net is, such as 3x224x224, or 128 for 128 words.",
)
@click.option(
    "--batch",
    "batches",
    type=click.IntRange(min=1),
    multiple=True,
    help="Train your net on so many samples at once; may be repeated.",
)
@click.option(
    "--loss",
    type=click.Choice(["cross-entropy", "mse"]),
    help="What your net is trained by; cross-entropy, unless it has one output.",
)
@click.option(
    "--quick", "effort", flag_value="quick", help="45 seconds at most (default: 5 minutes)."
)
@click.option(
    "--full",
    "effort",
    flag_value="full",
    help="Larger sizes and more samples, for as long as they take.",
)
@click.option(
    "--baseline",
    type=click.Choice(["torch", "numpy"]),
    help="What runs on the CPU; torch if it is installed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--output",
    metavar="FILE|-",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True, path_type=Path),
    callback=checked_output,
    help="Also write the report to a file: .json, .html or .md.",
)
@click.option(
    "--tune",
    is_flag=True,
    help="First measure which kernels are fastest on each device, and keep that for later: about "
    "2 minutes a device with --quick, 7 without, 17 with --full, beside the time of the rest.",
)
@click.option(
    "--compare",
    "compares",
    is_flag=True,
    help="Measure nothing, but say how the reports in these files or folders differ.",
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.pass_context
def command(  # noqa: PLR0913 - one argument per option
    ctx: click.Context,
    *,
    selectors: tuple[str, ...],
    workloads: tuple[Asked, ...],
    input_shape: tuple[int, ...] | None,
    batches: tuple[int, ...],
    loss: LossName | None,
    effort: EffortName | None,
    baseline: Baseline | None,
    as_json: bool,
    output: Path | None,
    tune: bool,
    compares: bool,
    files: tuple[Path, ...],
) -> int:
    """Train small real nets on each device, prove every result, compare with the CPU.

    A device whose results are wrong gets no figures, and the exit status is 1.

    With --compare BEFORE.json AFTER.json: what changed beyond the noise.

    A net of yours (--workload module:Class, needs torch) is any torch.nn.Module that takes one
    tensor and gives one, or a function that makes it, such as torchvision.models:resnet18.
    Class() must work without arguments. What one sample is, --input says, or `input_shape` in the
    class. Torch's own graphs of its forward and backward pass run on clprobe's kernels; operations
    that clprobe has no kernel for run on the CPU and are named. Dropout is turned off, as no two
    sides would draw alike. Steps of training on random input are proved against torch, gradient by
    gradient, and timed beside it.
    """
    begun = time.monotonic() - _FIRST_SECONDS
    garbage.collect_as_usual()
    measuring = any((selectors, workloads, effort, baseline, tune))
    refuse_other_options(compares=compares, paths=files, measuring=measuring)
    if compares:
        return compare_files(ctx, files, as_json=as_json, output=output)
    chosen_baseline = _require_packages(baseline)
    workloads = _as_asked(workloads, input_shape, batches, loss)
    check_own_nets(workloads, str(Path.cwd()), baseline)
    # NumPy may be absent until here.
    from clprobe.bench.run import Measured, Options, measure_devices  # noqa: PLC0415
    from clprobe.bench.summary import summarise  # noqa: PLC0415

    name: EffortName = effort or "default"
    total = None if tune else EFFORTS[name].total_seconds
    options = Options(
        workloads=workloads or (QUICK_WORKLOADS if effort == "quick" else WORKLOADS),
        effort=name,
        baseline=chosen_baseline,
        tune=tune,
        # Tuning takes its own time.
        deadline=None if total is None else begun + total - _LAST_SECONDS,
    )
    snapshot = Snapshot()
    measured = Measured()
    try:
        say("looking for devices")
        snapshot = collect()
        targets, absent = _targets(snapshot, selectors)
        measured.contestants |= {one.name: one for one in absent}
        unreadable = measured.watch.unreadable()
        if unreadable:
            say(f"not readable here, so not watched: {', '.join(unreadable)}")
        try:
            if tune and targets:
                announce_tuning(EFFORTS[name].tuning_candidates, len(targets))
            with showing(begun, None if tune else total) as progress:
                measure_devices(targets, options, measured, progress)
        finally:
            # From here on nothing takes long, and what was measured must reach its reader.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        measured.complete = False
        measured.interrupted = True
        say("interrupted; what was measured so far:")
    known = known_here(LiveHost())
    report = _scrubbed(summarise(measured, snapshot.system, options), known)
    if snapshot != Snapshot():
        report = structs.replace(report, snapshot=snapshot_document(scrub(snapshot, known=known)))
    show(report, ctx, as_json=as_json)
    tell_remedy(report.results, snapshot)
    write(report, output)
    return _status(measured, report)


def _scrubbed(report: BenchReport, known: Known) -> BenchReport:
    """Return the report without names and ids, which what drivers print may hold."""
    return msgspec.convert(scrub_document(msgspec.to_builtins(report), known), BenchReport)


def _targets(
    snapshot: Snapshot, selectors: tuple[str, ...]
) -> tuple[tuple[Target, ...], tuple[Contestant, ...]]:
    """Return what is to be measured, and which of it this machine lacks."""
    tables = Tables.load()
    devices = take_inventory(derive(snapshot, tables)).devices
    asked = [one for one in TORCH_DEVICES.values() if not selectors or one in selectors]
    others = [one for one in selectors if one not in TORCH_DEVICES.values()]
    selected = select_devices(devices, others) if others or not selectors else ()
    targets = targets_of(devices, selected, lambda device: theoretical_peak(device, tables))
    found, missing = rivals(asked)
    if not targets and asked != list(selectors):
        say("there is no OpenCL device; clprobe doctor says why")
    # Who did not ask for them need not read that they are not there.
    absent = missing if selectors else ()
    for one in absent:
        say(f"{one.name} is skipped: {one.detail}")
    return (*targets, *found), absent


def _as_asked(
    workloads: tuple[Asked, ...],
    input_shape: tuple[int, ...] | None,
    batches: tuple[int, ...],
    loss: LossName | None,
) -> tuple[Asked, ...]:
    """Return the workloads with what was said of the user's own nets.

    **Raises** UsageError where nothing that was said concerns any.
    """
    said = {"--input": input_shape, "--batch": batches, "--loss": loss}
    given = [name for name, value in said.items() if value]
    if given and not any(isinstance(one, OwnNet) for one in workloads):
        raise click.UsageError(
            f"{given[0]} says something of a net of your own; name it: --workload module:Class."
        )
    return tuple(
        structs.replace(one, input_shape=input_shape or (), batches=batches, loss=loss)
        if isinstance(one, OwnNet)
        else one
        for one in workloads
    )


def _require_packages(baseline: Baseline | None) -> Baseline:
    """Return the baseline to use.

    Raises: ClprobeError if a package is absent that is needed.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ClprobeError(
            reference="bench-not-installed",
            message=f"bench needs {' and '.join(missing)}, which this Python does not have.",
            hint=f"Install what it needs: {how_to_install('bench')}",
        )
    has_torch = importlib.util.find_spec("torch") is not None
    if baseline == "torch" and not has_torch:
        raise ClprobeError(
            reference="torch-not-installed",
            message="The baseline torch was asked for, and this Python does not have it.",
            hint=f"{how_to_install('torch')}; or compare with --baseline numpy.",
        )
    return baseline or ("torch" if has_torch else "numpy")


def _status(measured: "Measured", report: BenchReport) -> int:
    statuses = [outcome.results[0].status for outcome in measured.outcomes]
    if "wrong-result" in statuses:
        return exit_codes.PROBLEMS
    is_measured = any(one != "unsupported" for one in statuses)
    # A figure that is refused counts as none.
    is_complete = measured.complete and all(one.status != "error" for one in report.results)
    return exit_codes.OK if is_measured and is_complete else exit_codes.UNDECIDED
