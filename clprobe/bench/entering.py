# SPDX-License-Identifier: MIT
"""Opens the contestants of one job, inside the child process that may crash with them."""

from dataclasses import dataclass
from pathlib import Path

import pyopencl as cl
from msgspec import structs

from clprobe.bench.bounds import believed, with_bound
from clprobe.bench.bus import bound_of_copies
from clprobe.bench.engines import Reference, Subject
from clprobe.bench.engines.opencl import OpenClSubject
from clprobe.bench.peaks import measured_peaks, multiply_and_add, nvidia_peak
from clprobe.bench.protocol import Baseline, Job, Joined, Target
from clprobe.bench.targets import TORCH_DEVICES, installed_version, printed
from clprobe.bench.theoretical import bound_of_cpu, by_data_sheet
from clprobe.bench.trust.trial import NOT_TRIED, Trial, tried
from clprobe.bench.where import disguise
from clprobe.model.measurement import Contestant
from clprobe.tensor import Device, DeviceError
from clprobe.tensor.limits import said


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """Who takes part, the device first; `disguise` says why it must not, `trial` why not timed."""

    device: Subject
    references: tuple[Reference, ...]
    joined: Joined
    disguise: str | None = None
    trial: Trial = NOT_TRIED


def enter(job: Job) -> Entered:
    """Open the device and the references beside it.

    **Raises** DeviceError, pyopencl.Error, ImportError.
    """
    target = job.target
    references = [_reference(job.baseline)]
    if job.baseline != "numpy":
        references.append(_reference("numpy"))
    beside = [known for _, known in references]
    engines = tuple(engine for engine, _ in references)
    bounds = (
        *(bound for engine in engines for bound in bound_of_cpu(engine.name)),
        *(bound_of_copies(engine.name) for engine in engines),
    )
    if target.kind in TORCH_DEVICES:
        from clprobe.bench.engines.torch_cpu import TorchSubject  # noqa: PLC0415

        own = structs.replace(target.contestant, version=installed_version("torch"))
        joined = Joined(contestants=(own, *beside), peaks=bounds)
        torch = TorchSubject(TORCH_DEVICES[target.kind])
        return Entered(device=torch, references=engines, joined=joined)
    kernels = None if job.kernels is None else Path(job.kernels)
    device = Device.open(_find(target), kernels=kernels)
    subject = OpenClSubject(device)
    trial = tried(device)
    # By a clock of no worth nothing is as long as it should be.
    chain = None if trial.refuses else multiply_and_add(device)
    unmasked = disguise(device.name, None if chain is None else chain[1], is_cpu=subject.is_cpu)
    peaks = () if unmasked or trial.refuses else measured_peaks(target.label, chain, subject)
    if device.cl_device.host_unified_memory or subject.is_cpu:
        peaks = with_bound(peaks, bound_of_copies(target.label))
    subject.keeps_time = not trial.clock
    could_do = target.theoretical or nvidia_peak(device.cl_device)
    sheet = None if trial.frequency else could_do
    known = believed((*by_data_sheet(peaks, sheet), *bounds))
    caveat = " ".join(filter(None, (target.caveat, trial.remark)))
    own = structs.replace(target.contestant, detail=caveat)
    joined = Joined(contestants=(own, *beside), peaks=known, refused=trial.remark)
    return Entered(
        device=subject, references=engines, joined=joined, disguise=unmasked, trial=trial
    )


def _reference(baseline: Baseline) -> tuple[Reference, Contestant]:
    # Importing torch takes seconds and half a gigabyte, and it may be absent.
    if baseline == "torch":
        from clprobe.bench.engines.torch_cpu import TorchEngine  # noqa: PLC0415

        torch = TorchEngine()
        return torch, Contestant(
            name=torch.name,
            kind="torch-cpu",
            version=installed_version("torch"),
            threads=torch.threads,
        )
    from clprobe.bench.engines.numpy_cpu import NumpyEngine  # noqa: PLC0415

    numpy = NumpyEngine()
    return numpy, Contestant(name=numpy.name, kind="numpy", version=installed_version("numpy"))


def _find(target: Target) -> cl.Device:
    """Return the device that the parent saw; its driver comes first among those loaded here.

    The loader inside pyopencl's wheel adds its own PoCL after what OCL_ICD_VENDORS names.
    """
    matching = [
        device
        for platform in cl.get_platforms()
        if target.platform in (None, printed(said(platform, "name")))
        for device in platform.get_devices()
        if target.name in (None, printed(said(device, "name")))
        and target.driver_version in (None, printed(said(device, "driver_version")))
    ]
    if target.position >= len(matching):
        raise DeviceError(
            f"{target.library} no longer shows the device {target.name or 'without a name'}."
        )
    return matching[target.position]
