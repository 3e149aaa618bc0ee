# SPDX-License-Identifier: MIT
"""The steps of routes. Each is an argv that needs no shell."""

import json
import re
from collections.abc import Sequence

from clprobe.install.machine import Machine
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.package_managers import manager_of_distribution
from clprobe.knowledge.table_types import Distribution
from clprobe.model.placeholders import USER
from clprobe.model.plan import Step

_HAS_GROUP = (
    "import grp, os, pwd, sys; user, group = sys.argv[1:]; sys.exit(grp.getgrnam(group).gr_gid "
    "not in os.getgrouplist(user, pwd.getpwnam(user).pw_gid))"
)
LOADER = "ocl-icd-libopencl1"
"""The ICD loader, as Debian and what derives from it call it."""


def manager_of(distribution: Distribution) -> PackageManager | None:
    """Return the distribution's package manager, where we know it."""
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
    """Return the package of the ICD loader, where the distribution has it under that name."""
    return (LOADER,) if LOADER in distribution.packages else ()


def refresh(distribution: Distribution) -> list[Step]:
    """Return the step that reads the package index, where the manager does not by itself."""
    manager = manager_of(distribution)
    if manager is None or manager.unattended.refresh is None:
        return []
    argv = manager.unattended.refresh
    return [Step(title="Read the package index", argv=argv, needs_root=True)]


def refreshed(machine: Machine) -> list[Step]:
    """Return the same for a machine; nothing where root is barred, for nothing follows it there."""
    if machine.distribution is None or not machine.wishes.root:
        return []
    return refresh(machine.distribution)


def install(
    distribution: Distribution, title: str, packages: Sequence[str], *, pocket: str | None = None
) -> Step:
    """Return the step that installs packages, from `pocket` where that is not a usual one."""
    manager = _manager(distribution)
    asked = packages
    if pocket == "backports":
        asked = [f"{name}/{distribution.codename}-backports" for name in packages]
    return Step(
        title=title,
        argv=(*manager.unattended_command("install"), *asked),
        needs_root=True,
        undo=(*manager.unattended_command("remove"), *packages),
        verify=(*manager.query, *packages),
    )


def check_files(origin: str, files: Sequence[str]) -> list[Step]:
    """Return the steps that make sure that files fetched by hand lie in the current folder."""
    return [
        Step(
            title=f"Check that {file} of {origin} is in this folder",
            argv=("test", "-f", f"./{file}"),
            needs_root=False,
        )
        for file in files
    ]


def install_files(
    distribution: Distribution, origin: str, files: Sequence[str], names: Sequence[str]
) -> Step:
    """Return the step that installs packages' files of the current folder, called `names` then."""
    manager = _manager(distribution)
    return Step(
        title=f"Install the packages of {origin}",
        argv=(*manager.unattended_command("install"), *(f"./{file}" for file in files)),
        needs_root=True,
        undo=(*manager.unattended_command("remove"), *names),
        verify=(*manager.query, *names),
    )


def venv_module(machine: Machine, python: str) -> list[Step]:
    """Return the step that brings Python's venv module, or checks for it."""
    if machine.wishes.root and machine.distribution is not None and uses_apt(machine.distribution):
        title = "Install Python's venv module"
        return [install(machine.distribution, title, ("python3-venv",))]
    if machine.wishes.root:
        return []
    return [
        Step(
            title="Check that Python can make environments with pip",
            argv=(python, "-c", "import venv, ensurepip"),
            needs_root=False,
        )
    ]


def make_environment(path: str, python: str = "python3") -> Step:
    """Return the step that makes a virtual environment."""
    return Step(
        title=f"Make a virtual environment in {path}",
        argv=(python, "-m", "venv", path),
        needs_root=_is_system(path),
        undo=("rm", "-r", path),
        verify=("test", "-x", f"{path}/bin/python"),
    )


def pip_install(
    path: str, title: str, requirements: Sequence[str], wheels: str | None = None
) -> list[Step]:
    """Return the steps that install Python packages into a virtual environment.

    With `wheels`, a folder, nothing is asked of an index.
    """
    pip = (f"{path}/bin/python", "-m", "pip")
    if wheels is not None:
        return [
            _check_wheels(wheels, requirements),
            Step(
                title=f"{title} from the wheels in {wheels}",
                argv=(*pip, "install", "--no-index", "--find-links", wheels, *requirements),
                needs_root=_is_system(path),
                verify=(*pip, "check"),
            ),
        ]
    return [
        Step(
            # pip before 20.3 does not know today's wheel tags.
            title="Update pip",
            argv=(*pip, "install", "--upgrade", "pip"),
            needs_root=_is_system(path),
        ),
        Step(
            title=title,
            argv=(*pip, "install", *requirements),
            needs_root=_is_system(path),
            verify=(*pip, "check"),
        ),
    ]


def _check_wheels(folder: str, requirements: Sequence[str]) -> Step:
    """Return the step that looks for the wheels of what is asked for; pip finds what those need."""
    patterns = [wheel_pattern(requirement) for requirement in requirements]
    code = (
        "import pathlib, sys; folder, *names = sys.argv[1:]; "
        "lacking = [n for n in names if not any(pathlib.Path(folder).glob(n))]; "
        "sys.exit(f'{folder} lacks ' + ', '.join(lacking) if lacking else 0)"
    )
    return Step(
        title=f"Check that {folder} holds {', '.join(patterns)}",
        argv=("python3", "-c", code, folder, *patterns),
        needs_root=False,
    )


def wheel_pattern(requirement: str) -> str:
    """Return what the wheel of a requirement such as "torch==2.15.0" is called."""
    if requirement.endswith(".whl"):
        return requirement.rpartition("/")[2]
    name, _, version = requirement.partition("==")
    stem = re.sub(r"[-_.]+", "_", name.partition("[")[0])
    return f"{stem}-{version}-*.whl" if version else f"{stem}-*.whl"


def write_file(title: str, path: str, text: str) -> Step:
    """Return the step that writes a small file; Python does it, so no shell is needed."""
    # JSON's strings are Python's too, and their double quotes stay readable inside a shell's.
    code = (
        f"import pathlib; path = pathlib.Path({json.dumps(path)}); "
        f"path.parent.mkdir(parents=True, exist_ok=True); path.write_text({json.dumps(text)})"
    )
    return Step(
        title=title,
        argv=("python3", "-c", code),
        needs_root=True,
        undo=("rm", "-f", path),
        verify=("test", "-s", path),
    )


def join_group(group: str) -> list[Step]:
    """Return the steps that let the user open the GPU's node."""
    return [
        Step(
            # udev makes it; a container without udev has none, and usermod would stop there.
            title=f"Make sure that the group {group} exists",
            argv=("groupadd", "--system", "--force", group),
            needs_root=True,
            verify=("getent", "group", group),
        ),
        Step(
            title=f"Let the user open the GPU's node (group {group})",
            argv=("usermod", "-aG", group, USER),
            needs_root=True,
            undo=("gpasswd", "--delete", USER, group),
            verify=("python3", "-c", _HAS_GROUP, USER, group),
        ),
    ]


def check_node() -> Step:
    """Return the step that checks whether the GPU's node may be opened."""
    return Step(
        title="Check that you may open the GPU's node",
        argv=("test", "-w", "/dev/dri/renderD128"),
        needs_root=False,
    )


def look() -> Step:
    """Return the closing step."""
    return Step(title="See what programs get now", argv=("clprobe", "info"), needs_root=False)


def _is_system(path: str) -> bool:
    return path.startswith(("/opt", "/usr"))
