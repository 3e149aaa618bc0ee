# SPDX-License-Identifier: MIT
"""Each type of action has its commands; those that need others' names take them as one word."""

import subprocess
from pathlib import Path
from typing import get_args

import pytest

from clprobe.apply.kinds import KINDS
from clprobe.commands import mending
from clprobe.commands.commands import remedy, step
from clprobe.commands.lines import commands_of, typed
from clprobe.knowledge.package_managers import package_managers
from clprobe.model.action import (
    Action,
    AddSources,
    Advise,
    BootParameter,
    Check,
    CheckHashes,
    CleanIcdFile,
    Command,
    EnableRepository,
    FetchKey,
    InContainer,
    Install,
    InstallFiles,
    JoinGroup,
    LinkFile,
    LoadModule,
    Look,
    MakeCondaEnvironment,
    MakeEnvironment,
    MakeFolder,
    MakeGroup,
    NameGroup,
    Permit,
    PipInstall,
    PointIcdAt,
    PutAside,
    Refresh,
    Reinstall,
    Remove,
    RemoveContainer,
    SeePlan,
    SetVariable,
    StartContainer,
    UnsetVariable,
    WriteFile,
)
from clprobe.model.mending import (
    AllowSelinux,
    BuildModules,
    Complete,
    CondaInstall,
    ConfigureService,
    ContainerOptions,
    DropAccessList,
    EnableServices,
    EndSession,
    EnterGroup,
    FindOwner,
    GiveToGroup,
    HideDrivers,
    LiftLimit,
    Mending,
    PipBuild,
    ReloadModule,
    RenewNode,
    RepairPackages,
    RestartWsl,
    SetVariables,
    Show,
    StartService,
    SwitchMigOff,
    UpdateWsl,
    WriteKernelValue,
    WriteSetting,
)

MARK = "a'b $(c); d"
ONE_OF_EACH = (
    Refresh(manager="apt"),
    Install(manager="apt", packages=("pocl", "clinfo"), suite="bookworm-backports"),
    InstallFiles(manager="apt", files=("a.deb",), packages=("a",)),
    Remove(manager="dnf", packages=("pocl",)),
    Reinstall(manager="zypper", package="pocl"),
    MakeFolder(path=f"/etc/{MARK}"),
    FetchKey(url=f"https://example.org/{MARK}", path=f"/etc/{MARK}", fingerprint="AB"),
    WriteFile(path="/etc/x", text="y\n"),
    CheckHashes(files=(("./a.deb", "0" * 64),)),
    AddSources(path=f"/etc/{MARK}", codename="bookworm", components=("non-free",)),
    AddSources(path="/etc/x", codename="trixie", components=("main",), suite="trixie-backports"),
    EnableRepository(argv=("crb", "enable"), undo=("crb", "disable")),
    MakeEnvironment(path=f"/opt/{MARK}", python=("python3",)),
    PipInstall(python="/opt/x/bin/python", requirements=("torch==2.8.0", "numpy")),
    MakeCondaEnvironment(path=f"/x/{MARK}", channel="c", packages=("pocl=5",), program="clinfo"),
    MakeGroup(group=MARK),
    JoinGroup(user=MARK, group="render"),
    NameGroup(gid="107", group="render", user=MARK),
    StartContainer(engine="podman", name=MARK, image="debian:11"),
    RemoveContainer(engine="docker", name=MARK),
    InContainer(engine="docker", name="x", variables=(("A", MARK),), action=Check(argv=("y",))),
    SetVariable(name="A", value="b"),
    UnsetVariable(name="A", value="b c"),
    PutAside(path=f"/etc/{MARK}"),
    Permit(path=f"/etc/{MARK}", what="read", mode="0600"),
    CleanIcdFile(path=f"/etc/{MARK}"),
    PointIcdAt(path=f"/etc/{MARK}", library=MARK),
    LinkFile(target=MARK, link=f"/usr/lib/{MARK}"),
    BootParameter(parameter="i915.force_probe=*", add=True, tool="grubby"),
    LoadModule(module="i915"),
    Check(argv=("test", "-e", MARK)),
    Look(),
    SeePlan(goal="pytorch", backend="pocl", snapshot=MARK),
    Advise(),
    Command(argv=("true",), needs_root=False),
    Show(argv=("ls", "-l", MARK)),
    Complete(argv=("snap", "connect", "NAME:opengl"), holes=(("NAME", "the snap"),)),
    ContainerOptions(options=("--device", MARK)),
    SetVariables(variables=(("A", "b"), ("C", "d"))),
    HideDrivers(without=MARK),
    LiftLimit(limit="address-space"),
    EnterGroup(group=MARK),
    EndSession(keeper="tmux"),
    WriteSetting(path="/etc/udev/rules.d/x.rules", line=MARK),
    WriteKernelValue(paths=("/sys/x*",), value="0"),
    ConfigureService(unit="x.service", settings=("PrivateDevices=no",)),
    StartService(unit=MARK),
    EnableServices(units=("x.service", MARK)),
    GiveToGroup(path=f"/etc/{MARK}", group="render", former="root", mode="0600"),
    DropAccessList(path=f"/etc/{MARK}"),
    RenewNode(path=f"/etc/{MARK}"),
    ReloadModule(module=MARK),
    BuildModules(),
    AllowSelinux(boolean="container_use_devices"),
    SwitchMigOff(gpu="0"),
    UpdateWsl(),
    RestartWsl(),
    RepairPackages(manager="apt"),
    FindOwner(manager="dnf", path=f"/etc/{MARK}"),
    CondaInstall(channel="conda-forge", package="x"),
    PipBuild(package="x"),
)


def test_every_type_of_action_has_its_commands() -> None:
    assert {type(one) for one in ONE_OF_EACH} == set(get_args(Action))
    for action in ONE_OF_EACH:
        commands_of(action)
        typed(action)


@pytest.mark.parametrize("action", ONE_OF_EACH, ids=lambda one: type(one).__name__)
def test_a_name_is_always_a_word_or_the_end_of_a_word(action: Action) -> None:
    commands = commands_of(action)
    for argv in (commands.argv, commands.undo, commands.verify):
        for word in argv or ():
            if MARK in word:
                begin, _, rest = word.partition(MARK)
                assert begin in ("", "/etc/", "/opt/", "/x/", "/usr/lib/", "A=") or "://" in begin
                assert rest in ("", ".before", ".disabled", "/bin/python", "/bin/clinfo")
                assert argv is not None
                before = argv[argv.index(word) - 1]
                assert before != "-e" or argv[0] == "test"
                # Behind -c stands a program, and no name of others.
                assert before != "-c"


@pytest.mark.parametrize("manager", package_managers(), ids=lambda one: one.manager)
def test_people_type_what_asks_them_and_plans_run_what_does_not(manager) -> None:
    action = Install(manager=manager.manager, packages=("pocl",))
    by_hand, unattended = typed(action), commands_of(action)
    assert by_hand.argv == (*manager.by_hand.install, "pocl")
    assert by_hand.undo == (*manager.by_hand.remove, "pocl")
    assert unattended.argv == (*manager.unattended_command("install"), "pocl")
    assert unattended.verify == (*manager.query, "pocl")
    assert by_hand.needs_root
    assert unattended.needs_root
    # What it removes is what the other installs, and the other way round.
    back = typed(Remove(manager=manager.manager, packages=("pocl",)))
    assert (back.argv, back.undo) == (by_hand.undo, by_hand.argv)


def test_a_package_manager_that_no_table_knows_is_named() -> None:
    with pytest.raises(ValueError, match="package manager 'brew'"):
        commands_of(Install(manager="brew", packages=("pocl",)))


def test_no_step_can_be_what_a_person_must_do() -> None:
    assert remedy("Plug it in", Advise()).argv is None
    with pytest.raises(ValueError, match="no command does"):
        step("Plug it in", Advise())


def test_system_paths_need_root_and_ones_own_do_not() -> None:
    assert commands_of(PutAside(path="/etc/OpenCL/vendors/x.icd")).needs_root
    assert not commands_of(PutAside(path="/home/me/x.icd")).needs_root
    assert commands_of(MakeEnvironment(path="/opt/pytorch", python=("python3",))).needs_root
    assert not commands_of(MakeEnvironment(path="~/pytorch", python=("python3",))).needs_root


def test_what_takes_a_variable_back_is_one_line_of_a_shell() -> None:
    assert commands_of(SetVariable(name="A", value="b")).undo_in_words == "unset A"
    unset = commands_of(UnsetVariable(name="A", value="b c"))
    assert unset.undo_in_words == "export A='b c'"
    assert commands_of(UnsetVariable(name="A", value="b\nc")).undo_in_words is None


def test_carrying_out_knows_whatever_a_step_can_be() -> None:
    remedies_alone = {
        *(Remove, Reinstall, NameGroup, SetVariable, UnsetVariable, PutAside, Permit),
        *(CleanIcdFile, PointIcdAt, LinkFile, BootParameter, LoadModule, SeePlan, Advise),
    }
    assert KINDS.keys() | remedies_alone | set(get_args(Mending)) == set(get_args(Action))


def carried_out(argv: tuple[str, ...] | None) -> None:
    assert argv is not None
    assert subprocess.run(argv, check=False).returncode == 0


def test_a_setting_is_written_with_its_folder_taken_back_and_never_over_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(mending.APPLIES, f"{tmp_path}/made.d/", "true")
    path = tmp_path / "made.d" / "x.rules"
    commands = commands_of(WriteSetting(path=str(path), line=MARK))
    carried_out(commands.argv)
    assert path.read_text() == f"{MARK}\n"
    assert commands.argv is not None
    assert subprocess.run(commands.argv, capture_output=True, check=False).returncode != 0
    assert commands.undo is not None
    carried_out(commands.undo)
    assert not path.exists()


def test_a_kernel_value_reaches_each_file_that_there_is(tmp_path: Path) -> None:
    for name in ("card0", "card1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "limit").write_text("640\n")
    paths = (f"{tmp_path}/card*/limit", f"{tmp_path}/card*/nothing")
    carried_out(commands_of(WriteKernelValue(paths=paths, value="0")).argv)
    assert [(tmp_path / name / "limit").read_text() for name in ("card0", "card1")] == ["0\n"] * 2
    assert not list(tmp_path.glob("*/nothing"))


def test_settings_of_a_service_are_lines_of_a_file_of_their_own(tmp_path: Path) -> None:
    action = ConfigureService(unit="x.service", settings=("A=b", f"C={MARK}"))
    commands = commands_of(action)
    assert commands.argv is not None
    assert commands.undo is not None
    folder = tmp_path / "x.service.d"
    stub = tmp_path / "systemctl"
    stub.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/log\n')
    stub.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    for argv in (commands.argv, commands.undo):
        own = [word.replace("/etc/systemd/system", str(tmp_path)) for word in argv]
        assert subprocess.run(own, env=environment, check=False).returncode == 0
        if argv is commands.argv:
            written = (folder / "opencl-A.conf").read_text()
    assert written == f"[Service]\nA=b\nC={MARK}\n"
    assert not list(folder.iterdir())
    assert (tmp_path / "log").read_text() == "daemon-reload\nrestart x.service\n" * 2
