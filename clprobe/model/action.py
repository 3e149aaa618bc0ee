# SPDX-License-Identifier: MIT
"""What may be done to a host: one type for each thing, of which commands and undo follow.

`clprobe.commands` gives their command lines. Paths may begin with HOME, and users be USER, of
`clprobe.model.placeholders`. Nothing here holds shell.
"""

from typing import Literal, TypeAlias

from clprobe.model.mending import Argv, Doing, Mending

Engine = Literal["podman", "docker", "distrobox"]
Goal = Literal["opencl", "pytorch", "inference"]
"""What a plan is to get."""


class Refresh(Doing, frozen=True, kw_only=True, tag="refresh-index"):
    """Read the package manager's index."""

    manager: str


class Install(Doing, frozen=True, kw_only=True, tag="install"):
    """Install packages; from `suite`, such as "bookworm-backports", where it is not a usual one."""

    manager: str
    packages: tuple[str, ...]
    suite: str | None = None


class InstallFiles(Doing, frozen=True, kw_only=True, tag="install-files"):
    """Install packages from files of the current folder; `packages` are their names."""

    manager: str
    files: tuple[str, ...]
    packages: tuple[str, ...]


class Remove(Doing, frozen=True, kw_only=True, tag="remove"):
    """Remove packages."""

    manager: str
    packages: tuple[str, ...]


class Reinstall(Doing, frozen=True, kw_only=True, tag="reinstall"):
    """Install a package once more, over its files; `manager` may be pip or conda, too."""

    manager: str
    package: str


class MakeFolder(Doing, frozen=True, kw_only=True, tag="make-folder"):
    """Make a folder of the system that all may read."""

    path: str


class FetchKey(Doing, frozen=True, kw_only=True, tag="fetch-key"):
    """Fetch the file with a repository's signing keys; it must hold those keys and no others.

    `fingerprint` is of the first primary key in the file, `others` are those after it, in order.
    """

    url: str
    path: str
    fingerprint: str
    others: tuple[str, ...] = ()

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Of all primary keys, in the order of the file."""
        return (self.fingerprint, *self.others)


class WriteFile(Doing, frozen=True, kw_only=True, tag="write-file"):
    """Write a small file of the system."""

    path: str
    text: str


class AddSources(Doing, frozen=True, kw_only=True, tag="add-sources"):
    """Let apt take more from the archive that it has `main` from: components, or a suite.

    `codename` is the release's; without `suite` the components of the release itself are meant.
    """

    path: str
    codename: str
    components: tuple[str, ...]
    suite: str | None = None


class EnableRepository(Doing, frozen=True, kw_only=True, tag="enable-repository"):
    """Switch a repository on with the command that its maker gives for it."""

    argv: Argv
    undo: Argv | None = None
    verify: Argv | None = None


class MakeEnvironment(Doing, frozen=True, kw_only=True, tag="make-environment"):
    """Make a virtual environment with that Python; `windows`: in the current folder there."""

    path: str
    python: Argv
    windows: bool = False


class PipInstall(Doing, frozen=True, kw_only=True, tag="pip-install"):
    """Install Python packages into the environment of that interpreter.

    With `wheels`, a folder, nothing is asked of an index; `index` is the address of one to ask
    instead of Python's own. `upgrade` takes newer ones than are there.
    """

    python: str
    requirements: tuple[str, ...]
    wheels: str | None = None
    index: str | None = None
    upgrade: bool = False


class MakeCondaEnvironment(Doing, frozen=True, kw_only=True, tag="make-conda-environment"):
    """Make a conda environment in a folder from one channel alone; `program` proves it."""

    path: str
    channel: str
    packages: tuple[str, ...]
    program: str


class MakeGroup(Doing, frozen=True, kw_only=True, tag="make-group"):
    """Make a system group where there is none of that name."""

    group: str


class JoinGroup(Doing, frozen=True, kw_only=True, tag="join-group"):
    """Put a user into a group; several at once stand with commas between them."""

    user: str
    group: str


class NameGroup(Doing, frozen=True, kw_only=True, tag="name-group"):
    """Give a group that has only a number a name, and put a user into it."""

    gid: str
    group: str
    user: str


class StartContainer(Doing, frozen=True, kw_only=True, tag="start-container"):
    """Start a container that may use the GPU, in place of an older one of its name."""

    engine: Engine
    name: str
    image: str


class RemoveContainer(Doing, frozen=True, kw_only=True, tag="remove-container"):
    """Remove a container, running or not, where there is one."""

    engine: Engine
    name: str


class SetVariable(Doing, frozen=True, kw_only=True, tag="set-variable"):
    """Set an environment variable in the person's shell."""

    name: str
    value: str


class UnsetVariable(Doing, frozen=True, kw_only=True, tag="unset-variable"):
    """Take an environment variable out of the person's shell; `value` is what it holds."""

    name: str
    value: str | None = None


class PutAside(Doing, frozen=True, kw_only=True, tag="put-aside"):
    """Give a file a name under which nobody looks for it."""

    path: str


class Permit(Doing, frozen=True, kw_only=True, tag="permit"):
    """Open a file or folder to more people; `mode` is what it has, in octal.

    Everybody may read the file, pass through the folder, or use (read and write) the device node;
    "own" lets its owner and group use it, "list" everybody list the folder. None: not known.
    """

    path: str
    what: Literal["read", "pass", "list", "use", "own"]
    mode: str | None


class CleanIcdFile(Doing, frozen=True, kw_only=True, tag="clean-icd-file"):
    """Leave only the library's name in an .icd file."""

    path: str


class PointIcdAt(Doing, frozen=True, kw_only=True, tag="point-icd-at"):
    """Let an .icd file name another library."""

    path: str
    library: str


class LinkFile(Doing, frozen=True, kw_only=True, tag="link-file"):
    """Make a symbolic link to the target."""

    target: str
    link: str


class BootParameter(Doing, frozen=True, kw_only=True, tag="boot-parameter"):
    """Add a parameter for Linux at the next boot, or remove it, with the boot loader's `tool`."""

    parameter: str
    add: bool
    tool: Literal["grubby"] | None = None


class LoadModule(Doing, frozen=True, kw_only=True, tag="load-module"):
    """Load a kernel module."""

    module: str


class Check(Doing, frozen=True, kw_only=True, tag="check"):
    """Run a command that only asks; its status tells whether it is so."""

    argv: Argv


class CheckHashes(Doing, frozen=True, kw_only=True, tag="check-hashes"):
    """See whether files of the current folder have these SHA-256."""

    files: tuple[tuple[str, str], ...]


class Look(Doing, frozen=True, kw_only=True, tag="look"):
    """See with clprobe what programs get now."""


class SeePlan(Doing, frozen=True, kw_only=True, tag="see-plan"):
    """See a plan of clprobe's; `backend` None is the best, `snapshot` a file to plan for.

    `gpu` is the PCI id, or the name, of that one of several GPUs which it is for.
    """

    goal: Goal
    gpu: str | None = None
    backend: str | None = None
    snapshot: str | None = None


class Advise(Doing, frozen=True, kw_only=True, tag="advise"):
    """What a person must do, or may like to know; the title says it."""


class Command(Doing, frozen=True, kw_only=True, tag="command"):
    """A command of an older journal, of which nothing else is known; no plan holds one."""

    argv: Argv
    needs_root: bool
    undo: Argv | None = None
    verify: Argv | None = None


class InContainer(Doing, frozen=True, kw_only=True, tag="in-container"):
    """Do it as root in a container, with these environment variables."""

    engine: Engine
    name: str
    variables: tuple[tuple[str, str], ...]
    action: Refresh | Install | Check


Action: TypeAlias = (
    Refresh | Install | InstallFiles | Remove | Reinstall
    | MakeFolder | FetchKey | WriteFile | AddSources | EnableRepository
    | MakeEnvironment | PipInstall | MakeCondaEnvironment
    | MakeGroup | JoinGroup | NameGroup | StartContainer | RemoveContainer
    | SetVariable | UnsetVariable | PutAside | Permit | CleanIcdFile | PointIcdAt | LinkFile
    | BootParameter | LoadModule | Check | CheckHashes | Look | SeePlan | Advise | Command
    | InContainer | Mending
)  # fmt: skip
