# SPDX-License-Identifier: MIT
"""Runs README's two commands as a newcomer does, on a bare Debian that is made for it.

    python3 .ci/newcomer.py                         Debian 12, all stages
    python3 .ci/newcomer.py --release trixie        another release
    python3 .ci/newcomer.py --stages root-demo      some of the stages
    python3 .ci/newcomer.py --python PREFIX         with the Python that was built into this folder
    python3 .ci/newcomer.py --torch                 tests with PyTorch in .venv

The system is what `debootstrap --variant=minbase` makes, and python3: no compiler, no git, no
driver, no torch. In it lies a copy of this checkout. Root runs both commands, which installs the
packages that they name; then an ordinary user does, who finds these there and has no sudo. Each
stage must exit 0, and the demo leave nothing beside the clone but what README says.

All mounts and processes live in namespaces of their own and end with this script, however it ends.
Needs root, debootstrap, and a Debian mirror in this machine's apt sources.
"""

import argparse
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from bare_root import RELEASES, BareRoot, SetUpError, lacking

ROOT = Path(__file__).resolve().parent.parent
WHOLE_LIMIT_S = 4500
USER = "ann"
# Where tests/conftest.py keeps what passed.
PASSED = ".pytest_cache/v/clprobe/passed"
# Named by version: an open range would fetch the newest build with gigabytes of CUDA.
TORCH = "-m venv .venv && .venv/bin/pip install -q torch==2.13.0"
# What README says the demo leaves behind; pip's own cache is pip's.
CACHES = {".cache/clprobe", ".cache/pocl", ".cache/pytools", ".cache/pip"}


@dataclass(frozen=True)
class Stage:
    """One of the commands, run by somebody."""

    who: str
    task: str
    limit_s: int

    @property
    def name(self) -> str:
        """Return what --stages calls it."""
        return f"{'root' if self.who == 'root' else 'user'}-{self.task}"


STAGES = (
    Stage("root", "demo", 600),
    Stage("root", "test", 2700),
    Stage(USER, "demo", 600),
    Stage(USER, "test", 2700),
)


def main() -> int:
    """Run the stages and return 0, or 1 where one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--release", choices=sorted(RELEASES), default="bookworm")
    names = [stage.name for stage in STAGES]
    parser.add_argument("--stages", nargs="+", choices=names, default=names)
    parser.add_argument("--python", type=Path, help="the prefix of a Python to lend the system")
    parser.add_argument("--torch", action="store_true", help="put PyTorch where tests run")
    parser.add_argument("--passed", type=Path, help="where to write which of root's tests passed")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is None:
        return in_own_namespaces(sys.argv[1:])
    try:
        return run_stages(options.inside, options)
    except SetUpError as error:
        sys.exit(f"newcomer: {error}")


def in_own_namespaces(arguments: list[str]) -> int:
    """Start this script anew as the first process of its own mount and process namespaces."""
    if lack := lacking():
        sys.exit(f"newcomer: {lack}")

    def stop(number: int, _: object) -> NoReturn:
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, stop)
    folder = tempfile.mkdtemp(prefix="clprobe-newcomer-")
    # Kills go from here to unshare, from it to the first process, and from that to all others.
    own = ("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private")
    child = ("--pid", "--fork", "--kill-child", sys.executable, __file__, "--inside", folder)
    process = subprocess.Popen([*own, *child, *arguments], stdin=subprocess.DEVNULL)
    try:
        return process.wait(timeout=WHOLE_LIMIT_S)
    except subprocess.TimeoutExpired:
        sys.exit(f"newcomer: not done after {WHOLE_LIMIT_S} s")
    finally:
        process.kill()
        process.wait()
        # Mounts were the namespace's alone, so nothing of this machine lies below.
        shutil.rmtree(folder)


def run_stages(folder: Path, options: argparse.Namespace) -> int:
    """Make the system, run the stages in it and sum them up.

    Raises: SetUpError
    """
    started, received = time.monotonic(), received_bytes()
    release, python = options.release, "python3"
    root = BareRoot(folder / "root", RELEASES[release])
    if options.python:
        # In the folder it was built for, where its program looks for libpython.
        root.show(options.python, str(options.python))
        python = f"{options.python}/bin/python3"
    say(release, "set-up", "done", started, received)
    homes = {"root": Path("/root"), USER: root.add_user(USER)}
    failures = []
    for who, home in homes.items():
        root.copy_checkout(ROOT, f"{home}/clprobe", owner=who)
    for stage in [stage for stage in STAGES if stage.name in options.stages]:
        home = homes[stage.who]
        if options.torch and stage.task == "test":
            give_torch(root, python, stage.who, home)
        before = root.files(str(home)) | root.files("/tmp")  # noqa: S108 - within that system
        started, received = time.monotonic(), received_bytes()
        command = (python, ".ci/bootstrap.py", stage.task)
        end = root.run(command, cwd=f"{home}/clprobe", user=stage.who, limit_s=stage.limit_s)
        say(release, stage.name, end, started, received)
        if end != "exit status 0":
            failures.append(f"{stage.name}: {end}")
            break
        after = root.files(str(home)) | root.files("/tmp")  # noqa: S108
        left = [f"{stage.name}: {text}" for text in left_behind(stage, home, after - before)]
        if stage.task == "demo":
            failures += left
        else:
            # Tests that kill clprobe may leave folders: said, not judged.
            for text in left:
                print(f"newcomer: {text}", flush=True)  # noqa: T201
        if stage.name == "root-demo":
            failures += size_unlike_readme(root)
        if stage.name == "root-test" and options.passed:
            options.passed.write_text(root.read(f"{home}/clprobe/{PASSED}"))
    print(*(f"newcomer: {text}" for text in failures or ["all passed"]), sep="\n", flush=True)  # noqa: T201
    return 1 if failures else 0


def give_torch(root: BareRoot, python: str, who: str, home: Path) -> None:
    """Install PyTorch where somebody's tests will run; needs an earlier stage's python3-venv.

    Raises: SetUpError
    """
    command = ("sh", "-c", f"{python} {TORCH}")
    end = root.run(command, cwd=f"{home}/clprobe", user=who, limit_s=1200)
    if end != "exit status 0":
        raise SetUpError(f"PyTorch cannot be installed: {end}")


def left_behind(stage: Stage, home: Path, new: set[str]) -> list[str]:
    """Return what a stage left beside the clone and README does not say."""
    allowed = CACHES if stage.task == "demo" else {".cache/pip"}
    prefixes = (f"{home}/clprobe/", *(f"{home}/{cache}/" for cache in allowed))
    # pytest keeps the folder that holds one for each run.
    left = [path for path in sorted(new) if not path.startswith(prefixes)]
    return [f"left {len(left)} files behind, first {', '.join(left[:5])}"] if left else []


def size_unlike_readme(root: BareRoot) -> list[str]:
    """Return the size of .venv if README's "Try it" states one that is over a tenth off."""
    said = re.search(r"(\d+) MB on disk", (ROOT / "README.md").read_text())
    megabytes = root.size("/root/clprobe/.venv") / 1e6
    if said is not None and abs(int(said[1]) - megabytes) <= 0.1 * megabytes:
        return []
    return [f"README.md says {said and said[0]}, and .venv takes {megabytes:.0f} MB"]


def received_bytes() -> int:
    """Return what this machine's network interfaces have received."""
    return sum(
        int((interface / "statistics/rx_bytes").read_text())
        for interface in Path("/sys/class/net").iterdir()
        if interface.name != "lo"
    )


def say(release: str, what: str, end: str, started: float, received: int) -> None:
    """Print how something went, how long it took and what this machine received meanwhile."""
    seconds = time.monotonic() - started
    megabytes = (received_bytes() - received) / 1e6
    text = f"newcomer: {release} {what}: {end}, {seconds:.0f} s, {megabytes:.0f} MB received"
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
