# SPDX-License-Identifier: MIT
"""Tools and containers that are made up: what they would print, by what they are said to hold."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from clprobe.model.hardware import DeviceNode, Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Cpu, Linux, System, User, Virtualization
from clprobe.probe.host import Fed, Host, Identity, Machine, Tool, ToolAnswer

UNKNOWN_NAME = ToolAnswer(ended="exit", status=1, complaint="Error: no such container x")
ABSENT = ToolAnswer(ended="absent")
_FILES = {"/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n", "/etc/group": "root:x:0:\n"}


class Node(NamedTuple):
    """A device node; `says` is what a shell says on opening it."""

    gid: int
    mode: str = "crw-rw----"
    says: str = ""
    uid: int = 0


class Inside(NamedTuple):
    """What a container holds."""

    files: Mapping[str, str] = {}
    nodes: Mapping[str, Node] = {}
    uid: int = 0
    groups: tuple[int, ...] = ()
    clinfo: str | None = None
    libraries: Mapping[str, str] = {}
    mapped: bool = False
    processes: tuple[str, ...] = ()


class MadeUpHost:
    """A host with tools; every other question is refused."""

    def __init__(
        self,
        answers: Mapping[str, ToolAnswer],
        inside: Inside | None = None,
        *,
        files: Mapping[str, str] = MappingProxyType({}),
        answers_at_most: int = 1000,
    ) -> None:
        self._answers_at_most = answers_at_most
        self._files = files
        self.asked: list[str] = []
        self._answers = answers
        self._inside = inside

    def as_host(self) -> Host:
        return cast("Host", self)

    def ask_tool(
        self, tool: Tool, arguments: tuple[str, ...], limit_s: float, fed: Fed = ""
    ) -> ToolAnswer:
        assert limit_s > 0
        self.asked.append(" ".join((tool, *arguments[:4])))
        if fed and self._inside is not None:
            start = arguments.index("-s") + 1
            most = start + 2 * self._answers_at_most
            as_user = int(arguments[3].partition(":")[0]) if arguments[2] == "--user" else None
            inside = self._inside if as_user is None else self._inside._replace(uid=as_user)
            return _answered(inside, arguments[start:most])
        exact = " ".join((tool, *arguments))
        return self._answers.get(exact, self._answers.get(f"{tool} {arguments[0]}", ABSENT))

    def environment(self) -> dict[str, str]:
        return {}

    def identity(self) -> Identity:
        return Identity(uid=0, gid=0, groups=())

    def machine(self) -> Machine:
        return Machine(
            node_name="host", release="6.8.0", version="#1", architecture="x86_64",
            logical_cores=4, pointer_bits=64,
        )  # fmt: skip

    def list_folder(self, path: str) -> tuple[str, ...]:
        return tuple(sorted(self._files)) if path.endswith("/OpenCL/vendors") else ()

    def read(self, path: str, limit: int = 65536) -> bytes:
        name = path.rpartition("/")[2]
        if name not in self._files:
            raise FileNotFoundError(2, "made up", path)
        return self._files[name].encode()[:limit]

    def __getattr__(self, question: str) -> Any:
        def refused(*_: object) -> None:
            raise FileNotFoundError(2, "made up", question)

        return refused


def printed(text: str) -> ToolAnswer:
    return ToolAnswer(ended="exit", printed=text.encode())


def described_as(**more: Any) -> ToolAnswer:
    """Return what inspect prints of a running container; `more` are changes by section."""
    document: dict[str, Any] = {
        "Id": "c0ffee",
        "State": {"Status": "running", "Running": True, "Error": ""},
        "Config": {"User": "", "Env": ["PATH=/usr/bin:/bin"]},
        "HostConfig": {"Devices": [], "GroupAdd": [], "Privileged": False, "UsernsMode": ""},
        "Mounts": [],
    }
    for section, changes in more.items():
        if isinstance(changes, dict):
            document[section] = {**document[section], **changes}
        else:
            document[section] = changes
    return printed(json.dumps([document]))


def host_facts(gpu: str = "8086:5916", driver: str = "i915", *, gid: int = 109) -> Snapshot:
    """Return the facts of a host with one GPU and its node."""
    path = "/dev/nvidia0" if driver == "nvidia" else "/dev/dri/renderD128"
    kind = "nvidia" if driver == "nvidia" else "render"
    node = DeviceNode(path=path, kind=kind, uid=0, gid=gid, group="render", mode="0660",
                      open_error=None)  # fmt: skip
    return Snapshot(
        clprobe="0",
        source="live",
        system=System(
            linux=Linux(release="6.8.0", log="", modules=(driver, f"{driver}_uvm")),
            cpu=Cpu(architecture="x86_64"),
            virtualization=Virtualization(container=None, machine=None, wsl=None),
        ),
        user=User(uid=0),
        gpus=(
            Gpu(pci_address="0000:00:02.0", pci_id=gpu, kernel_driver=driver,
                render_node="/dev/dri/renderD128"),
        ),
        device_nodes=(node,),
        excerpts=(),
    )  # fmt: skip


def with_node(here: Snapshot, path: str, kind: str) -> Snapshot:
    """Return the facts with one more node, like the one that is there."""
    (first,) = cast("tuple[DeviceNode]", here.device_nodes)
    return replace(here, device_nodes=(first, replace(first, path=path, kind=kind)))


def with_module(here: Snapshot, module: str, version: str) -> Snapshot:
    """Return the facts with a kernel module of that version."""
    linux = replace(here.system.linux, module_versions={module: version})
    return replace(here, system=replace(here.system, linux=linux))


def _answered(inside: Inside, questions: tuple[str, ...]) -> ToolAnswer:
    files = {**_FILES, **inside.files, "/proc/self/status": _status(inside)}
    files["/proc/self/uid_map"] = "0 1000 1\n" if inside.mapped else "0 0 4294967295\n"
    told = []
    for kind, path in zip(questions[::2], questions[1::2], strict=True):
        told.append(_one(kind, path, files, inside) + "\n\x01end\n")
    return printed("".join(told))


def _status(inside: Inside) -> str:
    ids = "\t".join([str(inside.uid)] * 4)
    groups = " ".join(map(str, inside.groups))
    capabilities = "00000000a80425fb" if inside.uid == 0 else "0000000000000000"
    return f"Name:\tsh\nUid:\t{ids}\nGid:\t{ids}\nGroups:\t{groups}\nCapEff:\t{capabilities}\n"


def _one(kind: str, path: str, files: Mapping[str, str], inside: Inside) -> str:
    known = {*files, *inside.nodes, *inside.libraries.values(), "/dev/null"}
    folders = {part for one in known for part in _above(one)}
    if kind == "processes":
        told = "found", "-", "\n".join(inside.processes)
    elif kind == "cache":
        lines = (f"\t{name} (libc6,x86-64) => {file}" for name, file in inside.libraries.items())
        told = "found", "-", "\n".join(lines)
    elif kind == "packages":
        told = "none", "-", ""
    elif kind == "clinfo":
        said = inside.clinfo
        told = ("absent", "-", "") if said is None else ("found", "-", f"{said}\n\x020")
    elif kind == "open":
        told = "tried", path, inside.nodes[path].says
    elif path not in folders and (kind == "folder" or path not in known):
        told = "absent", path, ""
    else:
        told = "found", path, _body(kind, path, files, inside, known | folders)
    word, name, body = told
    return f"\x01{kind} {word} {name}\n{body}"


def _body(
    kind: str, path: str, files: Mapping[str, str], inside: Inside, everything: set[str]
) -> str:
    if kind == "folder":
        below = (one for one in everything if one.startswith(f"{path}/"))
        return "\n".join(sorted({one[len(path) + 1 :].partition("/")[0] for one in below}))
    if kind == "look":
        line = _listing(
            path, files, inside, is_folder=any(one.startswith(f"{path}/") for one in everything)
        )
        return f"{line}\n{line}\n{path}"
    return "" if kind == "reads" else files.get(path, "\x7fELF\0OCL_ICD_VENDORS\0ocl-icd\0")


def _listing(path: str, files: Mapping[str, str], inside: Inside, *, is_folder: bool) -> str:
    if path in inside.nodes:
        node = inside.nodes[path]
        return f"{node.mode} 1 {node.uid} {node.gid} 226, 128 Nov 27 00:00 {path}"
    if is_folder:
        return f"drwxr-xr-x 2 0 0 4096 Nov 27 00:00 {path}"
    return f"-rw-r--r-- 1 0 0 {len(files.get(path, ''))} Nov 27 00:00 {path}"


def _above(path: str) -> list[str]:
    parts = path.strip("/").split("/")[:-1]
    return ["/" + "/".join(parts[: count + 1]) for count in range(len(parts))]
