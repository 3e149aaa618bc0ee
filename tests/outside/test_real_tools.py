# SPDX-License-Identifier: MIT
"""Real containers of podman and a real flatpak, looked at from outside."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from made_up import host_facts

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.outside.containers import look_inside
from clprobe.outside.find import find_container
from clprobe.probe.live_host import LiveHost

pytestmark = [
    pytest.mark.slow,
    pytest.mark.root,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
]
_TEMPORARY = Path(tempfile.gettempdir())
_PROGRAMS = ("sh", "ls", "readlink", "head", "sleep", "setpriv", "ldconfig")
_PODMAN = ("podman", "--cgroup-manager", "cgroupfs")
# What a container gets of the host must not exceed what the host itself has.
_PLAIN = ("--network", "none", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000")
_NODE = "/dev/dri/renderD128"
Start = Callable[..., str]
# A /dev of its own with one node, and what else podman wants there.
_MOUNT = """
set -eu
mount --make-rprivate / 2>/dev/null || true
mount -t tmpfs tmpfs /mnt
for device in null zero full random urandom tty; do cp -a /dev/$device /mnt/; done
mkdir /mnt/dri /mnt/shm
ln -s /proc/self/fd /mnt/fd
mknod /mnt/dri/renderD128 c 226 128
chown 0:109 /mnt/dri/renderD128
chmod 660 /mnt/dri/renderD128
mount --move /mnt /dev
exec "$@"
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with a shell and the few programs that the look asks for, and nothing else."""
    folder = tmp_path_factory.mktemp("root")
    # Others than root are to work in it, and reach it through folders of this run alone.
    above = [path for path in folder.parents if path.is_relative_to(_TEMPORARY)]
    for path in (folder, *(path for path in above if path != _TEMPORARY)):
        path.chmod(path.stat().st_mode | 0o055)
    for name in _PROGRAMS:
        found = shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin")
        if found is None:
            pytest.skip(f"needs {name}")
        _copied(folder, Path(found).resolve(), f"bin/{name}")
    for place in ("proc", "sys", "dev", "etc"):
        (folder / place).mkdir(exist_ok=True)
    (folder / "etc/os-release").write_text('ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian 12"\n')
    (folder / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\nworker:x:1234:1234::/:/bin/sh\n")
    (folder / "etc/group").write_text("root:x:0:\nworker:x:1234:\n")
    return folder


@pytest.fixture
def start(root: Path) -> Iterator[Start]:
    """Start a container with these options; where podman cannot run any here, skip."""
    if shutil.which("podman") is None:
        pytest.skip("needs podman")
    names: list[str] = []

    def started(*options: str, how: str = "run", root: Path = root) -> str:
        name = f"clprobe-test-{os.getpid()}-{len(names)}"
        names.append(name)
        begin = ("run", "-d") if how == "run" else ("create",)
        words = (*begin, "--name", name, *_PLAIN, *options, "--rootfs", str(root))
        for runtime in ((), ("--runtime", "runc")):
            argv = [*_PODMAN, *runtime, *words, "/bin/sleep", "600"]
            done = _run(_with_node(argv))
            if done.returncode == 0:
                return name
            _run(["podman", "rm", "--force", name])
        pytest.skip(f"podman runs no container here: {done.stderr.strip()[-200:]}")

    yield started
    for name in names:
        _run(["podman", "rm", "--force", "--time", "0", name])


def test_a_node_that_is_not_given_is_not_there(start: Start) -> None:
    facts, diagnosis = looked_at(start())

    assert facts["device_nodes"] == []
    assert facts["system"]["distribution"]["id"] == "debian"
    assert facts["system"]["virtualization"]["container"] == "podman"
    assert diagnosis["root_cause"] == "no-loader"


def test_a_gpu_of_the_host_that_is_not_given_is_the_cause(start: Start) -> None:
    host, name = LiveHost(), start()
    facts, _ = look_inside(host, find_container(host, name, 30), host_facts(), 30)

    assert diagnose(facts, Knowledge.load()).root_cause == "container-without-gpu-node"


def test_a_driver_that_works_inside_is_shown(start: Start, tmp_path: Path) -> None:
    pocl = Path("/etc/OpenCL/vendors/pocl.icd")
    if not pocl.exists() or shutil.which("clinfo") is None:
        pytest.skip("needs a system-wide PoCL and clinfo")
    shutil.copy(pocl, tmp_path)
    vendors = f"{tmp_path}:/etc/OpenCL/vendors:ro"
    facts, diagnosis = looked_at(start("-v", "/usr:/usr:ro", "-v", vendors))

    assert diagnosis["root_cause"] is None
    assert diagnosis["status"] in ("cpu-only", "healthy")
    assert [driver["outcome"] for driver in diagnosis["drivers"]] == ["ok"]
    assert [view["viewer"] for view in facts["views"]] == ["clinfo"]


def test_a_variable_that_hides_it_is_the_cause(start: Start, tmp_path: Path) -> None:
    hidden = ("-e", f"OCL_ICD_VENDORS={tmp_path}/none/")
    _, diagnosis = looked_at(start("-v", "/usr:/usr:ro", *hidden))

    assert diagnosis["root_cause"] in ("icd-variable-names-no-library", "icd-folder-overridden")


def test_a_node_whose_number_has_no_name_inside(start: Start) -> None:
    _, diagnosis = looked_at(start("--device", _NODE, "--user", "1234"))

    assert diagnosis["root_cause"] == "node-group-without-name"
    assert "--group-add 109" in json.dumps(diagnosis["findings"][0]["remedies"])


def test_a_user_namespace_hides_the_group(start: Start) -> None:
    maps = ("--uidmap", "0:100000:65536", "--gidmap", "0:100000:65536")
    _, diagnosis = looked_at(start("--device", _NODE, *maps))

    assert diagnosis["root_cause"] == "node-behind-user-namespace"


def test_a_program_that_gave_up_root_is_looked_at_as_its_user(start: Start) -> None:
    name = start("--device", _NODE)
    background = "setpriv --reuid 1234 --regid 1234 --clear-groups sleep 300 &"
    done = _run(["podman", "exec", "--detach", name, "sh", "-c", f"{background} wait"])
    assert done.returncode == 0, done.stderr
    _, diagnosis = looked_at(name)

    assert diagnosis["root_cause"] == "node-group-without-name"
    assert diagnosis["outside"]["as_root"] is False


def test_variables_are_those_of_the_container_and_no_others(start: Start) -> None:
    name = start("-e", "OCL_ICD_VENDORS=/nowhere/", "-e", "API_TOKEN=abcdef123456")
    facts, _ = looked_at(name)

    assert facts["environment"]["OCL_ICD_VENDORS"] == "/nowhere/"
    assert "abcdef123456" not in json.dumps(facts)


def test_one_that_does_not_run_is_undetermined(start: Start) -> None:
    facts, diagnosis = looked_at(start(how="create"))

    assert diagnosis["status"] == "undetermined"
    assert diagnosis["outside"]["unseen"].startswith("the container does not run")
    assert facts["icds"] == {"unknown": diagnosis["outside"]["unseen"]}


def test_an_image_without_a_shell_is_undetermined(start: Start, root: Path) -> None:
    bare = root.parent / "no-shell"
    shutil.copytree(root, bare, dirs_exist_ok=True, ignore=lambda *_: ["sh"])
    _, diagnosis = looked_at(start(root=bare))

    assert diagnosis["status"] == "undetermined"
    assert diagnosis["outside"]["unseen"] == "the image has no sh that could look"


def test_looking_changes_nothing_in_the_container(start: Start) -> None:
    name = start("--device", _NODE)
    before = _run(["podman", "exec", name, "ls", "-lanR", "/etc", "/dev", "/bin"]).stdout
    looked_at(name)
    after = _run(["podman", "exec", name, "ls", "-lanR", "/etc", "/dev", "/bin"]).stdout

    assert after == before


def test_a_flatpak_is_given_what_its_permissions_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("flatpak") is None:
        pytest.skip("needs flatpak")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    _install_flatpaks(tmp_path)
    given, _ = looked_at("org.example.Given", option="--flatpak")
    closed, _ = looked_at("org.example.Closed", option="--flatpak")

    assert [node["path"] for node in given["device_nodes"]] == [_NODE]
    assert given["environment"]["RUSTICL_ENABLE"] == "iris"
    assert [icd["library_name"] for icd in given["icds"]] == ["libMesaOpenCL.so.1"]
    assert given["system"]["distribution"]["id"] == "org.freedesktop.Platform"
    assert closed["device_nodes"] == []


def looked_at(name: str, *, option: str = "--container") -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the facts and the diagnosis, with one made-up node on the host."""
    program = (
        "import sys, json, msgspec\n"
        "from clprobe.cli.doctor_program import Outside\n"
        "from clprobe.cli.gathering import gather\n"
        "from clprobe.diagnosis.diagnose import diagnose\n"
        f"facts, known = gather(None, None, 30.0, for_text=False, verbose=False, silent=True,\n"
        f"    outside=Outside({option[2:]!r}, {name!r}))\n"
        "told = [facts, diagnose(facts, known)]\n"
        "print(json.dumps(msgspec.to_builtins(told)))\n"
    )
    done = _run(_with_node([sys.executable, "-c", program]))
    assert done.returncode == 0, done.stderr
    facts, diagnosis = json.loads(done.stdout)
    return facts, diagnosis


def _with_node(argv: list[str]) -> list[str]:
    return ["unshare", "--mount", "sh", "-c", _MOUNT, "sh", *argv]


def _run(argv: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)


def _copied(root: Path, program: Path, name: str) -> None:
    """Copy a program with the libraries that it is linked to."""
    told = _run(["ldd", str(program)]).stdout.split()
    for path in (Path(word) for word in told if word.startswith("/")):
        target = root / str(path)[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    target = root / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(program, target)


_PLATFORM = "org.freedesktop.Platform"
_RUNTIME = f"""[Runtime]
name={_PLATFORM}
runtime={_PLATFORM}/x86_64/23.08
sdk=org.freedesktop.Sdk/x86_64/23.08

[Extension {_PLATFORM}.GL]
versions=23.08;1.4
directory=lib/GL
subdirectories=true
merge-dirs=OpenCL/vendors
"""
_EXTENSION = f"""[Runtime]
name={_PLATFORM}.GL.default
runtime={_PLATFORM}.GL.default/x86_64/23.08
sdk={_PLATFORM}.GL.default/x86_64/23.08

[ExtensionOf]
ref=runtime/{_PLATFORM}/x86_64/23.08
"""
_APP = f"""[Application]
name=org.example.%s
runtime={_PLATFORM}/x86_64/23.08
sdk=org.freedesktop.Sdk/x86_64/23.08
command=true

[Context]
shared=ipc;
%s
"""
_MORE = "devices=dri;\n\n[Environment]\nRUSTICL_ENABLE=iris"


def _install_flatpaks(folder: Path) -> None:
    """Build a runtime, its extension with an .icd file and two applications, and install them."""
    built = {
        "runtime": (_RUNTIME, ["--runtime"]),
        "gl": (_EXTENSION, ["--files=files", "--runtime"]),
        "given": (_APP % ("Given", _MORE), []),
        "closed": (_APP % ("Closed", ""), []),
    }
    for name, (metadata, options) in built.items():
        for place in ("files", "usr", "export"):
            (folder / name / place).mkdir(parents=True)
        (folder / name / "metadata").write_text(metadata)
        if name == "gl":
            vendors = folder / "gl/files/OpenCL/vendors"
            vendors.mkdir(parents=True)
            (vendors / "mesa.icd").write_text("libMesaOpenCL.so.1\n")
        branch = "23.08" if options else "stable"
        repository = str(folder / "repo")
        export = ["flatpak", "build-export", *options, repository, str(folder / name), branch]
        done = _run(export)
        assert done.returncode == 0, done.stderr
    remote = ["flatpak", "--user", "remote-add", "--no-gpg-verify", "local", str(folder / "repo")]
    assert _run(remote).returncode == 0
    refs = (f"{_PLATFORM}//23.08", f"{_PLATFORM}.GL.default//23.08", "org.example.Given",
            "org.example.Closed")  # fmt: skip
    for ref in refs:
        install = ["flatpak", "--user", "install", "-y", "--noninteractive", "local", ref]
        done = _run(install)
        assert done.returncode == 0, done.stderr
