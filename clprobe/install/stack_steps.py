# SPDX-License-Identifier: MIT
"""The steps, components and caveats of a deep-learning stack, and its route through Windows."""

from collections.abc import Sequence

from clprobe.commands.commands import step
from clprobe.install import steps
from clprobe.install.machine import Machine
from clprobe.install.ranking import WheelOfOthers
from clprobe.install.wording import sentence
from clprobe.knowledge.stack_table import Stack, StackBuild, StackSupport
from clprobe.knowledge.versions import in_words
from clprobe.model.action import Check, MakeEnvironment, PipInstall
from clprobe.model.plan import Component, Route, RouteStatus, Step

_BACKENDS = {"direct3d12": "direct3d12", "level-zero": "windows-driver", "opencl": "windows-driver"}


def stack_steps(
    stack: Stack, build: StackBuild, machine: Machine, beside: Sequence[str] = ()
) -> tuple[Step, ...]:
    """Return the steps that install a build of the stack into an environment of its own.

    On Windows that lies in the current folder. `beside` are further requirements that take the
    place of the stack's own of the same name.
    """
    names = {one.partition("==")[0] for one in beside}
    own = requirements(stack, build, machine.wishes.wheels)
    wanted = [*(one for one in own if one.partition("==")[0] not in names), *beside]
    title, wheels = f"Install {stack.name}", machine.wishes.wheels
    if machine.system == "windows":
        folder = f"clprobe-{stack.stack}"
        python = f"{folder}\\Scripts\\python.exe"
        launcher = ("py",) if machine.python is None else ("py", f"-{machine.python}")
        make = MakeEnvironment(path=folder, python=launcher, windows=True)
        install = PipInstall(python=python, requirements=tuple(wanted), wheels=wheels)
        made = [step(f"Make a virtual environment in {folder}", make), step(title, install)]
    else:
        folder = steps.environment_folder(stack.framework or stack.stack, machine)
        python = f"{folder}/bin/python"
        fetched = (build.file,) if build.file is not None and wheels is None else ()
        made = steps.check_files(f"the releases of {stack.stack}", fetched)
        made += steps.venv_module(machine, python_name(machine))
        made.append(steps.make_environment(folder, python_name(machine)))
        made += steps.pip_install(folder, title, wanted, wheels)
    if stack.check is not None:
        made.append(step("See whether it works", Check(argv=(python, "-c", stack.check))))
    return tuple(made)


def requirements(stack: Stack, build: StackBuild, wheels: str | None = None) -> list[str]:
    """Return what pip is asked for, each with its version where the tables know one."""
    if build.file is not None:
        return [f"torch=={build.torch}.*", f"{wheels or '.'}/{build.file}"]
    if stack.stack == "pytorch-xpu":
        return [f"torch=={build.version}+xpu"]
    pins = {stack.packages[0]: build.version} if stack.packages else {}
    pins |= build.requires
    names = dict.fromkeys((*pins, *stack.packages))
    return [f"{name}=={pins[name]}" if name in pins else name for name in names]


def python_name(machine: Machine) -> str:
    """Return the command that runs the Python of the plan."""
    shipped = machine.distribution.python if machine.distribution is not None else None
    return "python3" if machine.python in (None, shipped) else f"python{machine.python}"


def stack_caveats(stack: Stack, build: StackBuild, machine: Machine) -> tuple[str, ...]:
    """Return what to know of the stack, and what its steps leave to the reader."""
    return (*stack.problems, *stack_needs(stack, build, machine))


def stack_needs(stack: Stack, build: StackBuild, machine: Machine) -> tuple[str, ...]:
    """Return what the steps leave to the reader."""
    said: list[str] = []
    if build.file is not None and machine.wishes.wheels is None:
        said.append("Fetch the wheel from the releases of the project by hand.")
    if stack.stack == "pytorch-xpu" and machine.wishes.wheels is None:
        said.append(
            "The +xpu builds are on PyTorch's own index: put the address that its page Getting "
            "Started on Intel GPU gives into PIP_EXTRA_INDEX_URL."
        )
    if machine.wishes.wheels is not None:
        said.append(
            f"{machine.wishes.wheels} must also hold the wheels that those need: pip download "
            "--dest gathers them where there is a network."
        )
    if machine.python is None:
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


def without_opencl(stack: Stack, machine: Machine) -> bool:
    """Whether no OpenCL route of ours is below the stack: Direct3D, or Windows' own driver."""
    return stack.api == "direct3d12" or (machine.system == "windows" and stack.api in _BACKENDS)


def through_windows(
    stack: Stack, build: StackBuild, support: StackSupport | None, machine: Machine
) -> list[Route]:
    """Return the route to the stack on the GPU's driver for Windows."""
    if support is None or support.outcome == "fails":
        return []
    doubtful = support.outcome == "untested" or support.unverified or build.unverified
    dead = stack.status.startswith(("unmaintained", "dormant"))
    status: RouteStatus = "workaround" if dead else "supported"
    return [
        Route(
            rank=0,
            backend=_BACKENDS[stack.api],
            stack=stack.stack,
            uses_gpu=True,
            status="unverified" if doubtful else status,
            because=sentence(f"{stack.name}: {support.because}"),
            components=stack_components(stack, build, machine),
            steps=stack_steps(stack, build, machine),
            caveats=(
                sentence(f"The project is {stack.status}"),
                "Install the newest driver of the GPU's vendor for Windows first.",
                *stack_caveats(stack, build, machine),
            ),
            sources=(*support.sources, *build.sources) or stack.sources,
            how="included",
            slower_than_cpu=support.slower_than_cpu,
            essential=stack_needs(stack, build, machine),
        )
    ]
