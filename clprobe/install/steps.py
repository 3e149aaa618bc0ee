# SPDX-License-Identifier: MIT
"""The steps of routes: what is done, in the words of the plan."""

import re
from collections.abc import Sequence

from clprobe.commands.commands import step
from clprobe.install.machine import Machine
from clprobe.knowledge.origin_table import Origin
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.package_managers import manager_named, manager_of_distribution
from clprobe.knowledge.table_types import Distribution
from clprobe.model import action as actions
from clprobe.model.placeholders import HOME, USER
from clprobe.model.plan import Step

OWN_FOLDER = f"{HOME}/.local/share/clprobe"
_KEYS = "/etc/apt/keyrings"
_SOURCES = "/etc/apt/sources.list.d"
_PREFERENCES = "/etc/apt/preferences.d"
_BEFORE_OWN = 600
"""Above 500, which apt gives the packages of the distribution."""
_TOOLS = ("ca-certificates", "curl", "gnupg")
LOADER = "ocl-icd-libopencl1"
"""The ICD loader, as Debian and what derives from it call it."""


def manager_of(distribution: Distribution) -> PackageManager | None:
    """Return the distribution's package manager, where we know it."""
    if distribution.manager is not None:
        return manager_named(distribution.manager)
    return manager_of_distribution((distribution.id,))


def _manager(distribution: Distribution) -> PackageManager:
    manager = manager_of(distribution)
    if manager is None:
        raise ValueError(f"no table knows the package manager of {distribution.key}")
    return manager


def can_install(distribution: Distribution) -> bool:
    """Whether we know the distribution's package manager."""
    return manager_of(distribution) is not None


def uses_apt(distribution: Distribution | None) -> bool:
    """Whether packages are installed by apt."""
    manager = manager_of(distribution) if distribution is not None else None
    return manager is not None and manager.manager == "apt"


def loader(distribution: Distribution) -> tuple[str, ...]:
    """Return the package of the ICD loader that a driver may lack, where one is known."""
    name = distribution.loader or LOADER
    return (name,) if name in distribution.packages else ()


def refresh(distribution: Distribution) -> list[Step]:
    """Return the step that reads the package index, where the manager does not by itself."""
    manager = manager_of(distribution)
    if manager is None or manager.unattended.refresh is None:
        return []
    return [step("Read the package index", actions.Refresh(manager=manager.manager))]


def refreshed(machine: Machine) -> list[Step]:
    """Return the same for a machine; nothing where root is barred, for nothing follows it there."""
    if machine.distribution is None or not machine.wishes.root:
        return []
    return refresh(machine.distribution)


def install(
    distribution: Distribution, title: str, packages: Sequence[str], *, pocket: str | None = None
) -> Step:
    """Return the step that installs packages, from `pocket` where that is not a usual one."""
    suite = f"{distribution.codename}-backports" if pocket == "backports" else None
    manager = _manager(distribution).manager
    return step(title, actions.Install(manager=manager, packages=tuple(packages), suite=suite))


def check_files(origin: str, files: Sequence[str]) -> list[Step]:
    """Return the steps that make sure that files fetched by hand lie in the current folder."""
    return [
        step(
            f"Check that {file} of {origin} is in this folder",
            actions.Check(argv=("test", "-f", f"./{file}")),
        )
        for file in files
    ]


def install_files(
    distribution: Distribution, origin: str, files: Sequence[str], names: Sequence[str]
) -> Step:
    """Return the step that installs packages' files of the current folder, called `names` then."""
    manager = _manager(distribution).manager
    action = actions.InstallFiles(manager=manager, files=tuple(files), packages=tuple(names))
    return step(f"Install the packages of {origin}", action)


def python_name(machine: Machine) -> str:
    """Return the command that runs the Python of the plan."""
    shipped = machine.distribution.python if machine.distribution is not None else None
    return "python3" if machine.python in (None, shipped) else f"python{machine.python}"


def venv_module(machine: Machine, python: str) -> list[Step]:
    """Return the step that brings Python's venv module, or checks for it."""
    if machine.wishes.root and machine.distribution is not None and uses_apt(machine.distribution):
        title = "Install Python's venv module"
        return [install(machine.distribution, title, ("python3-venv",))]
    if machine.wishes.root:
        return []
    title = "Check that Python can make environments with pip"
    return [step(title, actions.Check(argv=(python, "-c", "import venv, ensurepip")))]


def environment_folder(name: str) -> str:
    """Return where a virtual environment of that name goes: no root is needed there."""
    return f"{HOME}/{name}-venv"


def make_environment(path: str, python: str = "python3") -> Step:
    """Return the step that makes a virtual environment."""
    action = actions.MakeEnvironment(path=path, python=(python,))
    return step(f"Make a virtual environment in {path}", action)


def pip_install(
    path: str,
    title: str,
    requirements: Sequence[str],
    wheels: str | None = None,
    index: str | None = None,
) -> list[Step]:
    """Return the steps that install Python packages into a virtual environment.

    With `wheels`, a folder, nothing is asked of an index; else `index` is asked, or Python's own.
    """
    python = f"{path}/bin/python"
    wanted = actions.PipInstall(
        python=python,
        requirements=tuple(requirements),
        wheels=wheels,
        index=index if wheels is None else None,
    )
    if wheels is not None:
        first = _check_wheels(wheels, requirements)
        return [first, step(f"{title} from the wheels in {wheels}", wanted)]
    # pip before 20.3 does not know today's wheel tags.
    newest = actions.PipInstall(python=python, requirements=("pip",), upgrade=True)
    return [step("Update pip", newest), step(title, wanted)]


def _check_wheels(folder: str, requirements: Sequence[str]) -> Step:
    """Return the step that looks for the wheels of what is asked for; pip finds what those need."""
    patterns = [wheel_pattern(requirement) for requirement in requirements]
    code = (
        "import pathlib, sys; folder, *names = sys.argv[1:]; "
        "lacking = [n for n in names if not any(pathlib.Path(folder).glob(n))]; "
        "sys.exit(f'{folder} lacks ' + ', '.join(lacking) if lacking else 0)"
    )
    return step(
        f"Check that {folder} holds {', '.join(patterns)}",
        actions.Check(argv=("python3", "-c", code, folder, *patterns)),
    )


def wheel_pattern(requirement: str) -> str:
    """Return what the wheel of a requirement such as "torch==2.15.0" is called."""
    if requirement.endswith(".whl"):
        return requirement.rpartition("/")[2]
    name, _, version = requirement.partition("==")
    stem = re.sub(r"[-_.]+", "_", name.partition("[")[0])
    return f"{stem}-{version}-*.whl" if version else f"{stem}-*.whl"


def write_file(title: str, path: str, text: str) -> Step:
    """Return the step that writes a small file."""
    return step(title, actions.WriteFile(path=path, text=text))


def join_group(group: str) -> list[Step]:
    """Return the steps that let the user open the GPU's node."""
    return [
        step(f"Make sure that the group {group} exists", actions.MakeGroup(group=group)),
        step(
            f"Let the user open the GPU's node (group {group})",
            actions.JoinGroup(user=USER, group=group),
        ),
    ]


def look() -> Step:
    """Return the closing step."""
    return step("Check the result", actions.Look())


def add_repository(origin: Origin, distribution: Distribution) -> list[Step]:
    """Return the steps that fetch the key, check its fingerprint, and add the source."""
    repository = origin.repositories[distribution.key]
    key = f"{_KEYS}/clprobe-{origin.origin}.asc"
    source = f"{_SOURCES}/clprobe-{origin.origin}.sources"
    lines = {
        "Types": "deb",
        "URIs": repository.uri,
        "Suites": repository.suite,
        "Components": " ".join(repository.components),
        "Architectures": "amd64",
        "Signed-By": key,
    }
    text = "".join(f"{name}: {value}\n" for name, value in lines.items() if value)
    pin = f"Package: *\nPin: {repository.pin}\nPin-Priority: {_BEFORE_OWN}\n"
    preferences = f"{_PREFERENCES}/clprobe-{origin.origin}"
    return [
        install(distribution, "Install what fetches and checks a key", _TOOLS),
        step(f"Make sure that {_KEYS} exists", actions.MakeFolder(path=_KEYS)),
        fetch_key(origin, key),
        write_file(f"Add {origin.name}, signed by that key alone", source, text),
        *(
            [write_file(f"Let {origin.name} come before the system's own", preferences, pin)]
            if repository.pin is not None
            else []
        ),
        step("Read the package index", actions.Refresh(manager="apt")),
    ]


def fetch_key(origin: Origin, path: str) -> Step:
    """Return the step that fetches the signing key; it fails where the key is another one."""
    return step(
        f"Fetch the key of {origin.name}, fingerprint {origin.fingerprint}",
        actions.FetchKey(
            url=origin.key_url,
            path=path,
            fingerprint=origin.fingerprint or "",
            others=origin.other_fingerprints,
        ),
    )
