# SPDX-License-Identifier: MIT
"""The steps, components and caveats of a deep-learning stack, and its route through Windows."""

from collections.abc import Sequence

from clprobe.commands.commands import step
from clprobe.install import steps
from clprobe.install.machine import Machine
from clprobe.install.narrow import WheelOfOthers
from clprobe.install.wording import sentence
from clprobe.knowledge.stack_table import Stack, StackBuild, StackSupport
from clprobe.knowledge.versions import in_words
from clprobe.model.action import Check, MakeEnvironment, PipInstall
from clprobe.model.placeholders import HOME
from clprobe.model.plan import Component, Route, RouteStatus, Step

_SYSTEM_FOLDER = "/opt"
_OWN_FOLDER = f"{HOME}/.local/share/clprobe"
_BACKENDS = {"direct3d12": "direct3d12", "level-zero": "windows-driver", "opencl": "windows-driver"}


def environment_of(stack: Stack, machine: Machine) -> str:
    """Return the folder of the stack's virtual environment."""
    folder = _SYSTEM_FOLDER if machine.wishes.root else _OWN_FOLDER
    return f"{folder}/{stack.framework or stack.stack}"


def stack_steps(
    stack: Stack, build: StackBuild, machine: Machine, beside: Sequence[str] = ()
) -> tuple[Step, ...]:
    """Return the steps that install a build of the stack into an environment of its own.

    `beside` are further requirements that take the place of the stack's own of the same name.
    """
    environment = environment_of(stack, machine)
    if machine.system == "windows":
        return on_windows(stack, requirements(stack, build, machine.wishes.wheels), machine)
    made = [*_fetched(stack, build, machine), *steps.venv_module(machine, python_name(machine))]
    made.append(steps.make_environment(environment, python_name(machine)))
    names = {one.partition("==")[0] for one in beside}
    own = requirements(stack, build, machine.wishes.wheels)
    wanted = [*(one for one in own if one.partition("==")[0] not in names), *beside]
    made += steps.pip_install(environment, f"Install {stack.name}", wanted, machine.wishes.wheels)
    if stack.check is not None:
        look = Check(argv=(f"{environment}/bin/python", "-c", stack.check))
        made.append(step("See whether it works", look))
    return tuple(made)


def on_windows(stack: Stack, wanted: Sequence[str], machine: Machine) -> tuple[Step, ...]:
    """Return the steps for an environment in the current folder of a Windows."""
    folder = f"clprobe-{stack.stack}"
    python = f"{folder}\\Scripts\\python.exe"
    version = (f"-{machine.python}",) if machine.python is not None else ()
    wheels = machine.wishes.wheels
    made = [
        step(
            f"Make a virtual environment in {folder}",
            MakeEnvironment(path=folder, python=("py", *version), windows=True),
        ),
        step(
            f"Install {stack.name}",
            PipInstall(python=python, requirements=tuple(wanted), wheels=wheels),
        ),
    ]
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
    return [f"{name}=={pins[name]}" if name in pins else name for name in {**pins, **_all(stack)}]


def python_name(machine: Machine) -> str:
    """Return the command that runs the Python of the plan."""
    shipped = machine.distribution.python if machine.distribution is not None else None
    return "python3" if machine.python in (None, shipped) else f"python{machine.python}"


def stack_caveats(stack: Stack, build: StackBuild, machine: Machine) -> tuple[str, ...]:
    """Return what to know of the stack, and what its steps leave to the reader."""
    said = list(stack.problems)
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
    shipped = machine.distribution.python if machine.distribution is not None else None
    if machine.python is not None:
        own = machine.distribution is not None and machine.python == shipped
        where = machine.distribution.key if own and machine.distribution else "not of the release"
        made.append(Component(name="python", version=machine.python, origin=where))
    return tuple(made)


def _all(stack: Stack) -> dict[str, None]:
    return dict.fromkeys(stack.packages)


def _fetched(stack: Stack, build: StackBuild, machine: Machine) -> list[Step]:
    if build.file is None:
        return []
    if machine.wishes.wheels is not None:
        return []
    return steps.check_files(f"the releases of {stack.stack}", (build.file,))


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
        )
    ]
