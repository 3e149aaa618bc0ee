# SPDX-License-Identifier: MIT
"""Lines that people paste: in their words, few, and with the same effect as the steps."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from clprobe.commands.commands import step
from clprobe.commands.files import check_key
from clprobe.commands.pasted import Typist, pasted, pasted_step
from clprobe.knowledge.package_managers import package_managers
from clprobe.model.action import (
    Action,
    Check,
    FetchKey,
    Install,
    InstallFiles,
    JoinGroup,
    Look,
    MakeEnvironment,
    MakeGroup,
    PipInstall,
    Refresh,
    WriteFile,
)
from clprobe.model.placeholders import USER

MARK = "a'b $(c); d"


def lines(*todo: Action, typist: Typist | None = None) -> tuple[str, ...]:
    steps = [step("Do it", action) for action in todo]
    return pasted(steps, typist) if typist is not None else pasted(steps)


def run(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PATH": os.environ["PATH"], **environment},
    )


def apt(*packages: str) -> Install:
    return Install(manager="apt", packages=packages)


REFRESH = Refresh(manager="apt")
SOURCE = WriteFile(path="/etc/apt/sources.list.d/x.sources", text="Types: deb\n")


def test_packages_are_gathered_until_something_may_change_what_there_is() -> None:
    files = InstallFiles(manager="apt", files=("b.deb",), packages=("b",))
    assert lines(REFRESH, apt("a"), files, MakeGroup(group="render"), apt("c")) == (
        "sudo apt update && sudo apt install a ./b.deb c",
        "sudo groupadd --system --force render",
    )
    assert lines(REFRESH, apt("a"), SOURCE, REFRESH, apt("b")) == (
        "sudo apt update && sudo apt install a",
        "printf '%s\\n' 'Types: deb' | sudo tee /etc/apt/sources.list.d/x.sources",
        "sudo apt update && sudo apt install b",
    )


def test_an_index_is_not_read_in_vain() -> None:
    assert lines(REFRESH, apt("a"), REFRESH, apt("b")) == (
        "sudo apt update && sudo apt install a b",
    )
    assert lines(REFRESH, MakeGroup(group="render"), apt("a")) == (
        "sudo groupadd --system --force render",
        "sudo apt update && sudo apt install a",
    )
    assert lines(REFRESH, MakeGroup(group="render"), Look()) == (
        "sudo groupadd --system --force render",
    )


@pytest.mark.parametrize("manager", package_managers(), ids=lambda one: one.manager)
def test_the_words_are_those_of_the_managers_record(manager) -> None:
    shown = lines(Install(manager=manager.manager, packages=("pocl",)))
    assert shown == (" ".join(("sudo", *manager.by_hand.install, "pocl")),)


def test_a_suite_is_asked_for_by_people_too() -> None:
    shown = lines(Install(manager="apt", packages=("mesa",), suite="bookworm-backports"))
    assert shown == ("sudo apt install -t bookworm-backports mesa",)


def test_what_comes_from_a_suite_shares_no_line_with_the_rest() -> None:
    shown = lines(
        Install(manager="apt", packages=("linux-image-amd64",), suite="bookworm-backports"),
        Install(manager="apt", packages=("pocl", "loader")),
        Install(manager="apt", packages=("python3-venv",)),
    )
    assert shown == (
        "sudo apt install -t bookworm-backports linux-image-amd64",
        "sudo apt install pocl loader python3-venv",
    )


def test_the_log_in_name_is_filled_in_where_it_is_known() -> None:
    join = JoinGroup(user=USER, group="render")
    assert lines(join) == ('sudo usermod -aG render "$USER"',)
    assert lines(join, typist=Typist(user="alice")) == ("sudo usermod -aG render alice",)
    assert lines(join, typist=Typist(user="bob", is_root=True)) == ("usermod -aG render bob",)


def test_what_belongs_to_the_person_needs_no_sudo() -> None:
    python = "~/it's/bin/python"
    make = MakeEnvironment(path="~/it's", python=("python3",))
    wheels = (
        PipInstall(python=python, requirements=("pip",), upgrade=True),
        PipInstall(python=python, requirements=("torch",)),
    )
    first, second = lines(make, *wheels)
    assert first == '''python3 -m venv ~/"it's"'''
    assert second.count("-m pip install") == 2
    assert " && " in second


def test_commands_for_windows_have_its_quotes() -> None:
    python = "x\\Scripts\\python.exe"
    shown = pasted_step(step("See", Check(argv=(python, "-c", "import torch; print(1)"))))
    assert shown == 'x\\Scripts\\python.exe -c "import torch; print(1)"'


def test_a_pasted_file_is_the_file_of_the_step(tmp_path: Path) -> None:
    path = tmp_path / MARK / "x.conf"
    text = f"[Service]\nA={MARK}\n%s \\n\n"
    [line] = lines(WriteFile(path=str(path), text=text), typist=Typist(is_root=True))
    assert run(line).returncode == 0
    assert path.read_text() == text


@pytest.mark.skipif(shutil.which("gpg") is None, reason="needs gpg, which the line calls")
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl, which the line calls")
def test_a_pasted_key_stays_only_if_it_is_the_one(tmp_path: Path) -> None:
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)
    made = run(
        "gpg --batch --passphrase '' --quick-gen-key a@example.org ed25519 sign never && "
        "gpg --batch --passphrase '' --quick-gen-key b@example.org ed25519 sign never && "
        f"gpg --armor --export a@example.org > {tmp_path}/one.asc && "
        f"gpg --armor --export > {tmp_path}/both.asc && "
        "gpg --with-colons --list-keys | awk -F: '/^fpr/ {print $10}'",
        GNUPGHOME=str(home),
    )
    assert made.returncode == 0, made.stderr
    one, other = made.stdout.split()
    kept = {}
    for name, *wanted in (
        ("one", one), ("both", one), ("one", "0" * 40), ("both", one, other), ("both", other, one),
        ("one", one, other),
    ):  # fmt: skip
        path = tmp_path / f"{name} {' '.join(wanted)[:50]}.asc"
        fetch = FetchKey(
            url=f"file://{tmp_path}/{name}.asc",
            path=str(path),
            fingerprint=wanted[0],
            others=tuple(wanted[1:]),
        )
        [line] = lines(fetch, typist=Typist(is_root=True))
        run(line, GNUPGHOME=str(home))
        kept[(name, *wanted)] = path.exists()
        if path.exists():
            assert (
                run(shlex.join(check_key(str(path), *wanted)), GNUPGHOME=str(home)).returncode == 0
            )
    run("gpgconf --kill all", GNUPGHOME=str(home))
    assert kept == {
        ("one", one): True,
        ("both", one): False,
        ("one", "0" * 40): False,
        ("both", one, other): True,
        ("both", other, one): False,
        ("one", one, other): False,
    }
