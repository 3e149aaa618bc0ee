# SPDX-License-Identifier: MIT
"""The steps, components and caveats of a deep-learning stack, and its route through Windows."""

from collections.abc import Sequence

from clprobe.commands.commands import step
from clprobe.install import steps
from clprobe.install.machine import Machine
from clprobe.install.ranking import WheelOfOthers
from clprobe.install.route_steps import OF_SESSIONS, access, firmware, open_node
from clprobe.install.stack_builds import support_for
from clprobe.install.wording import sentence
from clprobe.knowledge.stack_table import Stack, StackBuild, StackSupport
from clprobe.knowledge.versions import in_words
from clprobe.model.action import Check, MakeEnvironment, PipInstall
from clprobe.model.plan import Component, Route, RouteStatus, Step

_ON_WINDOWS = ("level-zero", "opencl", "cuda", "hip")
"""What the GPU's own driver for Windows offers."""
_BELOW = {
    "hip": ("amdgpu", "The driver is part of Linux; the wheels bring all libraries above it."),
    "vulkan": ("vulkan", "Mesa's Vulkan driver is what it needs; most desktops have it already."),
    "cuda": ("nvidia", "The driver and CUDA come with the system, as JetPack brings them."),
}
"""What is below a stack on Linux that needs no OpenCL."""


def stack_steps(
    stack: Stack,
    build: StackBuild,
    machine: Machine,
    beside: Sequence[str] = (),
) -> tuple[Step, ...]:
    """Return the steps that install a build of the stack into an environment of its own.

    On Windows that lies in the current folder. `beside` are further requirements that take the
    place of the stack's own of the same name.
    """
    if build.lines:
        return ()
    names = {one.partition("==")[0] for one in beside}
    own = requirements(stack, build, machine)
    wanted = [*(one for one in own if one.partition("==")[0] not in names), *beside]
    title, wheels = f"Install {stack.name}", machine.wishes.wheels
    if machine.system == "windows":
        folder = f"clprobe-{stack.stack}"
        python = f"{folder}\\Scripts\\python.exe"
        launcher = ("py",) if machine.python is None else ("py", f"-{machine.python}")
        make = MakeEnvironment(path=folder, python=launcher, windows=True)
        install = PipInstall(
            python=python,
            requirements=tuple(wanted),
            wheels=wheels,
            index=build.index if wheels is None else None,
        )
        made = [step(f"Make a virtual environment in {folder}", make), step(title, install)]
    else:
        folder = steps.environment_folder(stack.framework or stack.stack)
        python = f"{folder}/bin/python"
        fetched = (build.file,) if build.file is not None and wheels is None else ()
        made = steps.check_files(f"the releases of {stack.stack}", fetched)
        made += steps.venv_module(machine, steps.python_name(machine))
        made.append(steps.make_environment(folder, steps.python_name(machine)))
        made += steps.pip_install(folder, title, wanted, wheels, build.index)
    check = build.check or stack.check
    if check is not None:
        made.append(step("See whether it works", Check(argv=(python, "-c", check))))
    return tuple(made)


def requirements(stack: Stack, build: StackBuild, machine: Machine) -> list[str]:
    """Return what pip is asked for, each with its version where the tables know one."""
    if build.file is not None:
        return [f"torch=={build.torch}.*", f"{machine.wishes.wheels or '.'}/{build.file}"]
    version = build.version if build.local is None else f"{build.version}+{build.local}"
    support = support_for(stack, machine)
    chip = support.chip if support is not None else None
    extra = f"[{build.extra.format(chip=chip or 'all')}]" if build.extra is not None else ""
    pins = {f"{stack.packages[0]}{extra}": version} if stack.packages else {}
    pins |= build.requires
    names = dict.fromkeys((*pins, *stack.packages[1:]))
    return [f"{name}=={pins[name]}" if name in pins else name for name in names]


def stack_caveats(stack: Stack, build: StackBuild, machine: Machine) -> tuple[str, ...]:
    """Return what to know of the stack, and what its steps leave to the reader."""
    return (*stack.problems, *stack_needs(build, machine))


def stack_needs(build: StackBuild, machine: Machine) -> tuple[str, ...]:
    """Return what the steps leave to the reader."""
    said: list[str] = []
    if build.file is not None and machine.wishes.wheels is None:
        said.append("Fetch the wheel from the releases of the project by hand.")
    if machine.wishes.wheels is not None:
        said.append(
            f"{machine.wishes.wheels} must also hold the wheels that those need: pip download "
            "--dest gathers them where there is a network."
        )
    if machine.python is None and build.python != "*":
        said.append(f"It needs Python {in_words(build.python)}.")
    if not machine.wishes.root and machine.system != "windows":
        said.append("Without root, Python's venv module and pip must be there already.")
    return tuple(said)


def stack_components(stack: Stack, build: StackBuild, machine: Machine) -> tuple[Component, ...]:
    """Return the stack, the torch that belongs to it, and the Python that it runs on."""
    name = stack.packages[0] if stack.packages else stack.stack
    made = [Component(name=name, version=build.version, origin="pip")]
    if build.file is not None:
        made = [WheelOfOthers(name=name, version=build.version, origin=build.file)]
    if build.torch is not None and name != "torch":
        made.append(Component(name="torch", version=build.torch, origin="pip"))
    made += [Component(name=n, version=v, origin="pip") for n, v in build.requires.items()]
    release = machine.distribution
    if machine.python is not None:
        own = release is not None and machine.python == release.python
        where = release.key if release is not None and own else "not of the release"
        made.append(Component(name="python", version=machine.python, origin=where))
    return tuple(made)


def without_opencl(stack: Stack, build: StackBuild, machine: Machine) -> bool:
    """Whether no OpenCL route of ours is below that build of the stack.

    That is Direct3D, Vulkan, what Windows' own driver offers, also CUDA under WSL2, what brings all
    but the kernel's driver along, and what a person fetches for a system that has the rest.
    """
    if build.lines or stack.api in ("direct3d12", "vulkan"):
        return True
    if machine.system == "windows":
        return stack.api in _ON_WINDOWS
    through_windows = machine.system == "wsl2" and stack.api == "cuda"
    return through_windows or stack.brings_driver


def on_own_libraries(
    stack: Stack, build: StackBuild, support: StackSupport | None, machine: Machine
) -> list[Route]:
    """Return the route to the stack on the GPU's driver for Windows, or the kernel's alone."""
    if support is None or support.outcome == "fails":
        return []
    backend = "windows-driver" if stack.api != "direct3d12" else "direct3d12"
    first: tuple[Step, ...] = ()
    must = ["Install the newest driver of the GPU's vendor for Windows first."]
    said: list[str] = []
    if machine.system == "linux":
        backend, text = _BELOW[stack.api]
        said, must = [text], [*access(machine), *firmware(machine)]
        below = _vulkan_driver(machine) if stack.api == "vulkan" else []
        first = (*below, *open_node(machine))
        if first or not build.lines:
            first = (*steps.refreshed(machine), *first)
    doubtful = support.outcome == "untested" or support.unverified or build.unverified
    status: RouteStatus = "workaround" if stack.is_dormant else "supported"
    return [
        Route(
            rank=0,
            backend=backend,
            stack=stack.stack,
            uses_gpu=True,
            status="unverified" if doubtful else status,
            because=sentence(f"{stack.name}: {support.because}"),
            components=stack_components(stack, build, machine),
            steps=tuple(dict.fromkeys((*first, *stack_steps(stack, build, machine)))),
            caveats=(
                *([sentence(f"The project is {stack.status}")] if stack.is_dormant else []),
                *said,
                *must,
                *stack_caveats(stack, build, machine),
            ),
            sources=(*support.sources, *build.sources) or stack.sources,
            how="by-hand" if build.lines else "included",
            by_hand=build.lines,
            slower_than_cpu=support.slower_than_cpu,
            essential=(
                *(text for text in must if text not in OF_SESSIONS),
                *stack_needs(build, machine),
            ),
        )
    ]


def _vulkan_driver(machine: Machine) -> list[Step]:
    """Return the step that installs the release's Vulkan driver, where the tables name it."""
    distribution = machine.distribution
    rows = distribution.packages.items() if distribution is not None else ()
    names = [name for name, row in rows if any(one.role == "vulkan" for one in row)]
    if distribution is None or not names or not steps.can_install(distribution):
        return []
    return [steps.install(distribution, "Install Mesa's Vulkan driver", names)]
