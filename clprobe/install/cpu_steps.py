# SPDX-License-Identifier: MIT
"""The steps of routes that run OpenCL on the CPU: packages, wheels, or a conda environment."""

from clprobe.commands.commands import step
from clprobe.compat.offers import Offer
from clprobe.compat.packages import tool_chain
from clprobe.install import steps
from clprobe.install.enabling import enable_origin
from clprobe.install.machine import Machine
from clprobe.knowledge.versions import in_words
from clprobe.model.action import Check, MakeCondaEnvironment
from clprobe.model.plan import Step

_INTEL_CPU = "/opt/intel-opencl-cpu"


def for_cpu(offer: Offer, machine: Machine) -> tuple[Step, ...]:
    """Return the steps that install a CPU's implementation; () by hand only."""
    if offer.how == "conda":
        return _conda(offer)
    if offer.how == "pip":
        made = _pyopencl if "pyopencl" in offer.packages else _intel_cpu
        return made(offer, machine)
    distribution = machine.distribution
    if distribution is None or not steps.can_install(distribution):
        return ()
    packages = (*offer.packages, *steps.loader(distribution))
    install = steps.install(distribution, f"Install {offer.packages[0]}", packages)
    first = enable_origin(offer, distribution, machine.vendor)
    return (*steps.refresh(distribution), *first, install, steps.look())


def cpu_caveats(offer: Offer, machine: Machine) -> list[str]:
    """Return what the steps of a CPU's route leave to the reader."""
    if offer.how == "conda":
        return [
            "conda must be there; mamba and micromamba take the same words. Programs find this "
            "OpenCL only inside that environment, and there no driver of the system."
        ]
    if offer.how != "pip":
        return []
    distribution = machine.distribution
    said = []
    if distribution is None or distribution.glibc is None:
        said.append(f"The wheels need glibc {in_words(offer.glibc)}.")
    if "pyopencl" in offer.packages and not brings_linker(machine):
        said.append(
            "PoCL links its kernels with the system's C compiler. Where the check of it fails, "
            "root must install one with the C library's files (Debian, Ubuntu: gcc libc6-dev)."
        )
    if distribution is None or not steps.can_install(distribution):
        said.append("Install an ICD loader and Python's venv module with your package manager.")
    return said


def pins(offer: Offer) -> list[str]:
    """Return the way's Python packages, each with its version."""
    return [f"{name}=={offer.versions.get(name, offer.version)}" for name in offer.packages]


def _pyopencl(offer: Offer, machine: Machine) -> tuple[Step, ...]:
    """Return the steps for wheels that only PyOpenCL of the same environment finds."""
    path = steps.environment_folder("opencl-on-cpu")
    code = "import pyopencl; print([p.name for p in pyopencl.get_platforms()])"
    look = Check(argv=(f"{path}/bin/python", "-c", code))
    return (
        *steps.refreshed(machine),
        *steps.venv_module(machine, steps.python_name(machine)),
        linker(machine),
        steps.make_environment(path, steps.python_name(machine)),
        *steps.pip_install(path, "Install PoCL and PyOpenCL", pins(offer), machine.wishes.wheels),
        step("See which platforms PyOpenCL gets there", look),
    )


def _conda(offer: Offer) -> tuple[Step, ...]:
    name = offer.packages[0]
    path = f"{steps.OWN_FOLDER}/conda-{name}"
    look = Check(argv=(f"{path}/bin/clinfo", "--list"))
    made = MakeCondaEnvironment(
        path=path,
        channel="conda-forge",
        packages=(f"{name}={offer.version}", "ocl-icd", "clinfo"),
        program="clinfo",
    )
    return (
        step("Check that conda is there", Check(argv=("conda", "--version"))),
        step(f"Make an environment with {name} of conda-forge", made),
        step("See what programs in that environment get", look),
    )


def _intel_cpu(offer: Offer, machine: Machine) -> tuple[Step, ...]:
    distribution = machine.distribution
    made: list[Step] = []
    if distribution is not None and steps.uses_apt(distribution):
        made += steps.refresh(distribution)
        title = "Install the ICD loader and Python's venv module"
        made.append(steps.install(distribution, title, (steps.LOADER, "python3-venv")))
    made.append(steps.make_environment(_INTEL_CPU))
    title = "Install Intel's runtime for CPUs"
    made += steps.pip_install(_INTEL_CPU, title, pins(offer), machine.wishes.wheels)
    made.append(
        steps.write_file(
            "Register the ICD under its real path",
            "/etc/OpenCL/vendors/intel-cpu.icd",
            f"{_INTEL_CPU}/lib/libintelocl.so\n",
        )
    )
    return (*made, steps.look())


_LINKS = (
    "import shutil, subprocess, sys, tempfile; "
    'shutil.which("cc") or sys.exit("no C compiler"); folder = tempfile.TemporaryDirectory(); '
    'out = folder.name + "/a.so"; '
    'sys.exit(subprocess.call(["cc", "-shared", "-x", "c", "-o", out, "/dev/null"]))'
)


def brings_linker(machine: Machine) -> bool:
    """Whether a plan may and can install a C tool chain there."""
    known = machine.distribution is not None and bool(tool_chain(machine.distribution.id))
    return known and machine.wishes.root


def linker(machine: Machine) -> Step:
    """Return the step that brings what PoCL's wheel links kernels with, or checks for it."""
    if machine.distribution is not None and brings_linker(machine):
        title = "Install the linker that PoCL calls"
        return steps.install(machine.distribution, title, tool_chain(machine.distribution.id))
    return step("Check that a C compiler can link", Check(argv=("python3", "-c", _LINKS)))
