# SPDX-License-Identifier: MIT
"""Runs a program of proof.yaml watched by clprobe, and counts its kernels beside it.

Two counts share nothing with clprobe's: a layer between loader and driver (counts_beside.c), and,
where PoCL computes, what PoCL itself traces. Programs run as an ordinary user: where the tests run
as root, as nobody, or as the account that CLPROBE_ORDINARY_USER names.
"""

import json
import os
import pwd
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from everyones_python import everyones_python
from faults import FORWARDER, compile_driver
from pictures import picture
from proof_cases import Answer, Case

HERE = Path(__file__).parent
USER = "CLPROBE_ORDINARY_USER"
TYPES = {2: "cpu", 4: "gpu"}
"""CL_DEVICE_TYPE's bits."""
_LIMIT_S = 300
_LOADER = Path("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1")
_VENDORS = Path("/etc/OpenCL/vendors")
_EMULATED = {"NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1"}
_EMULATED["ProductFamilyOverride"] = "tgllp"
_KEPT = '"$@"; ended=$?; test ! -e "$0" || mv "$0" "$0.kept"; exit $ended'
# A launch has a line for each of its four states; threads may write into each other's lines.
_TRACED = re.compile(r"EV ID (\d+) \| DEV \d+ \| CQ \d+ \| ndrange_kernel")
_DOUBLES = """\
import pyopencl as cl
device = [one for platform in cl.get_platforms() for one in platform.get_devices()][0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
code = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }"
kernel = cl.Kernel(cl.Program(context, code).build(), "twice")
data = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
kernel.set_arg(0, data)
for _ in range(23):
    cl.enqueue_nd_range_kernel(queue, kernel, (64,), None)
queue.finish()
"""


class LackingError(Exception):
    """Something that a row needs is not installed here; says what."""


@dataclass
class Desk:
    """Where programs run: `folder` is open to the user as whom they do."""

    folder: Path
    fresh: int = 0
    warmed: set[tuple[str, str | None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        if shutil.which("cc") is None or not _LOADER.exists():
            raise LackingError("a C compiler and an OpenCL loader")
        python = everyones_python() if os.geteuid() == 0 else shutil.which("python3")
        if python is None:
            raise LackingError("a Python with clprobe that any user may run")
        self.python = python
        self.account = pwd.getpwuid(os.geteuid())
        if self.account.pw_uid == 0:
            self.account = pwd.getpwnam(os.environ.get(USER, "nobody"))
        self.folder.chmod(0o755)
        _compile("counts_beside.c", self.folder / "beside.so", "-shared", "-fPIC")
        _compile("launch.c", self.folder / "launch", "-ldl", "-pthread")
        _compile("launch.c", self.folder / "linked", "-DLINKED", str(_LOADER), "-pthread")
        names = ('-DDEVICE_NAME="Pretended GPU"', '-DDEVICE_VENDOR="Nobody"')
        made = compile_driver(self.folder, "pretended", *names, source=FORWARDER)
        (self.folder / "pretended.icd").write_text(f"{made}\n")
        (self.folder / "picture.png").write_bytes(picture())
        (self.folder / "doubles.py").write_text(_DOUBLES)
        for file in self.folder.iterdir():
            file.chmod(0o755)

    def answer(self, case: Case) -> Answer:
        """Run the program watched, with both other counts.

        Raises: LackingError if something is not installed.
        """
        work = self._prepared(case)
        beside, trace, traced = work / "beside", work / "trace", work / "trace.kept"
        for old in (beside, trace, traced):
            old.unlink(missing_ok=True)
        counts = (
            f"OPENCL_LAYERS={self.folder / 'beside.so'}",
            f"COUNTS_BESIDE={beside}",
            "POCL_TRACING=text",
            f"POCL_TRACING_OPT={trace}",
        )
        # clprobe asks the drivers afterwards with the program's variables, which empties the trace.
        kept = ["sh", "-c", _KEPT, str(trace)]
        argv = [self.python, "-m", "clprobe", "doctor", "--json", "--no-kernel", "--"]
        done = self.run([*argv, "env", *counts, *kept, *self.command(case)], case)
        lines = beside.read_text().splitlines() if beside.exists() else []
        found = Counter(
            (TYPES.get(int(line.split()[0]), "?"), line.partition(" ")[2]) for line in lines
        )
        is_traced = case.driver in {"pocl", "pretended"} and "untraced" not in case.told
        ended = len(set(_TRACED.findall(traced.read_text()))) if traced.exists() else 0
        return Answer(json.loads(done.stdout)["program"], found, ended if is_traced else None)

    def command(self, case: Case) -> list[str]:
        """Return its command with names for its places."""
        self.fresh += 1
        return [self._filled(word, case) for word in case.own.get("run", case.told["run"])]

    def run(
        self, argv: list[str], case: Case, **variables: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command as the user, with the case's driver and variables."""
        icds = {"pocl": _VENDORS / "pocl.icd", "emulated": _VENDORS / "intel.icd",
                "pretended": self.folder / "pretended.icd", None: Path("/nowhere/")}  # fmt: skip
        icd = icds[case.driver]
        if case.driver is not None and not icd.exists():
            raise LackingError(f"the driver of {icd.name}")
        own = {key: self._filled(text, case) for key, text in case.told.get("set", {}).items()}
        own |= {key: self._filled(text, case) for key, text in case.own.get("set", {}).items()}
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self._work(case)),
            "LC_ALL": "C.UTF-8",
            "OCL_ICD_VENDORS": str(icd),
            **(_EMULATED if case.driver == "emulated" else {}),
            **own,
            **variables,
        }
        return subprocess.run(
            [*self._as_user(), *argv],
            cwd=self._work(case),
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_LIMIT_S,
        )

    def _prepared(self, case: Case) -> Path:
        work = self._work(case)
        self._check_is_there(case)
        if not work.exists():
            work.mkdir()
            if os.geteuid() == 0:
                os.chown(work, self.account.pw_uid, self.account.pw_gid)
            self.run(["sh", "-c", case.told.get("before", "true")], case).check_returncode()
        key = (case.told["program"], case.driver)
        if case.told.get("warm") and case.use != "none" and key not in self.warmed:
            self.run(self.command(case), case)
            self.warmed.add(key)
        return work

    def _check_is_there(self, case: Case) -> None:
        command = self._filled(case.told["run"][0], case)
        if shutil.which(command) is None:
            raise LackingError(command)
        if case.told.get("home") and not Path(self.account.pw_dir).is_dir():
            raise LackingError(f"a user with a home, named in {USER}")
        if "needs" in case.told:
            probe = [*self._as_user(), command, "-c", case.told["needs"]]
            if subprocess.run(
                probe, cwd="/", capture_output=True, check=False, timeout=60
            ).returncode:
                raise LackingError(f"{command}: {case.told['needs']}")

    def _as_user(self) -> tuple[str, ...]:
        """Return what runs a command as the user: env looks for it when root's rights are gone."""
        if os.geteuid() != 0:
            return ()
        ids = (f"--reuid={self.account.pw_uid}", f"--regid={self.account.pw_gid}")
        return ("setpriv", *ids, "--clear-groups", "env")

    def _work(self, case: Case) -> Path:
        return self.folder / "".join(filter(str.isalnum, case.told["program"]))

    def _filled(self, word: str, case: Case) -> str:
        work = self._work(case)
        places = {
            "{work}": work,
            "{fresh}": work / f"fresh-{self.fresh}",
            "{picture}": self.folder / "picture.png",
            "{doubles}": self.folder / "doubles.py",
            "{launch}": self.folder / "launch",
            "{linked}": self.folder / "linked",
            "{python}": self.python,
        }
        for name, place in places.items():
            word = word.replace(name, str(place))
        return word


def _device(line: str) -> tuple[str, str]:
    """Return the type and the name of a device that the layer wrote."""
    bits, _, name = line.partition(" ")
    return TYPES.get(int(bits), "?"), name


def _compile(source: str, made: Path, *options: str) -> None:
    command = ["cc", "-O1", "-w", str(HERE / source), "-o", str(made), *options]
    subprocess.run(command, check=True, timeout=60)
