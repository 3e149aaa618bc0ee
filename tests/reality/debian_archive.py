# SPDX-License-Identifier: MIT
"""Package lists of Debian suites, fetched and verified by apt in folders of their own."""

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from datetime import date
from email.utils import parsedate_to_datetime
from pathlib import Path

from debian_lists import Listed, Suite, read_list

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
COMPONENTS = ("main", "contrib", "non-free", "non-free-firmware")
_UBUNTUS_KEY = "ubuntu-keyring"
_SECONDS = 180
"""Time for one apt command; the largest list takes 3 s on a usual line."""
_LARGEST_BYTES = 200_000_000
"""Of the packages that one call may fetch; all that is asked for today has 80 MB."""


class SuiteUnreachableError(Exception):
    """The mirror lacks the suite, the network the mirror, or the keyring the signature."""


class Archive:
    """Debian's archive through this machine's own mirror; `folder` holds what is fetched.

    A suite is fetched once. After a mirror could not be reached, nothing more is asked of it: each
    further try would cost its time limit again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mirrors = _mirrors()
        self._keyring = KEYRING
        self._refused: dict[str, str] = {}
        self._unreachable: dict[str, str] = {}
        self._reached = False

    def suite(self, name: str, wanted: frozenset[str]) -> Suite:
        """Return what the suite lists of `wanted`, in any component, for amd64.

        Raises: SuiteUnreachableError with apt's own words.
        """
        mirror = self._mirror_of(name)
        reason = self._unreachable.get(mirror) or self._refused.get(name)
        if reason is not None:
            raise SuiteUnreachableError(reason)
        if not (self.folder / name).exists():
            self._update(name, mirror)
        packages: dict[str, Listed] = {}
        for component, path in self._lists(name):
            for listed in read_list(path, component, wanted):
                packages[listed.name] = listed
        return Suite(name=name, dated=self._dated(name), packages=packages)

    def fetch(self, suite: Suite, packages: Sequence[str]) -> dict[str, Path]:
        """Return the files of these packages of a suite, by package.

        One that the mirror lists but no longer holds is left out: that happens to old suites.
        Raises: SuiteUnreachableError if they are larger than anything that a check needs.
        """
        size = sum(suite.packages[name].size_bytes for name in packages)
        if size > _LARGEST_BYTES:
            raise SuiteUnreachableError(f"{size} bytes of packages are too much to fetch")
        folder = self.folder / suite.name / "debs"
        folder.mkdir(exist_ok=True)
        self._apt(suite.name, "download", *packages, cwd=folder)
        found = {deb.name.split("_", 1)[0]: deb for deb in folder.glob("*.deb")}
        return {name: found[name] for name in packages if name in found}

    def source(self, name: str, package: str, version: str) -> Path:
        """Return the source archive, as upstream made it, of this version of a suite's package.

        Raises: SuiteUnreachableError with apt's own words.
        """
        root = self.folder / f"{name}-source"
        if not root.exists():
            (root / "lists" / "partial").mkdir(parents=True)
            (root / "cache" / "archives" / "partial").mkdir(parents=True)
            line = f"deb-src [signed-by={self._keyring}] {self._mirror_of(name)} {name} main\n"
            (root / "sources.list").write_text(line)
            self._apt(root.name, "update")
        wanted = re.sub(r"\+b\d+$", "", version)  # one that was only built anew
        done = self._apt(
            root.name, "--download-only", "source", f"{package}={wanted}", cwd=root / "cache"
        )
        found = list((root / "cache").glob(f"{package}_*.orig.tar.*z*"))
        archives = [path for path in found if path.suffix != ".asc"]
        if done.returncode or len(archives) != 1:
            raise SuiteUnreachableError(f"{name}: {_complaint(done)}")
        return archives[0]

    def needed(self, name: str, packages: Sequence[str]) -> list[str]:
        """Return these packages of a suite and all that they depend on.

        Raises: SuiteUnreachableError with apt's own words.
        """
        self.suite(name, frozenset())
        done = self._apt(name, "-s", "--no-install-recommends", "install", *packages)
        if done.returncode:
            raise SuiteUnreachableError(f"{name}: {_complaint(done)}")
        return re.findall(r"^Inst (\S+)", done.stdout, re.MULTILINE)

    def refusal(self, target: str, origin: str, packages: Mapping[str, str]) -> str | None:
        """Return why apt cannot install these packages of one suite onto another; None if it can.

        `packages` are versions by name. All else that they need has to come from the target.
        """
        root = self.folder / f"{target}-with-{origin}"
        (root / "lists" / "partial").mkdir(parents=True)
        (root / "cache" / "archives" / "partial").mkdir(parents=True)
        for suite in (target, origin):
            for path in (self.folder / suite / "lists").glob("*_*"):
                (root / "lists" / path.name).hardlink_to(path)
        lines = [(self.folder / suite / "sources.list").read_text() for suite in (target, origin)]
        (root / "sources.list").write_text("".join(lines))
        pins = [("*", f"release n={origin}", -1)]
        pins += [(name, f"version {version}", 1001) for name, version in packages.items()]
        (root / "preferences").write_text(
            "".join(f"Package: {p}\nPin: {pin}\nPin-Priority: {n}\n\n" for p, pin, n in pins)
        )
        wanted = [f"{name}={version}" for name, version in packages.items()]
        simulate = ("-s", "--no-install-recommends", "install", *wanted)
        done = self._apt(root.name, *simulate)
        shutil.rmtree(root)
        return None if done.returncode == 0 else " ".join(done.stdout.split("\n")[-6:]).strip()

    def forget(self, suite: Suite) -> None:
        """Remove what was fetched of a suite; asked for again, it is fetched again."""
        shutil.rmtree(self.folder / suite.name, ignore_errors=True)

    def _mirror_of(self, name: str) -> str:
        return self._mirrors["security" if name.endswith("-security") else "main"]

    def _components(self, name: str) -> tuple[str, ...]:
        """Return the components of a suite; asking an old one for firmware's is an error to apt."""
        old = name.split("-", 1)[0] in ("buster", "bullseye")
        return COMPONENTS[:-1] if old else COMPONENTS

    def _update(self, name: str, mirror: str) -> None:
        root = self.folder / name
        (root / "lists" / "partial").mkdir(parents=True)
        (root / "cache" / "archives" / "partial").mkdir(parents=True)
        components = " ".join(self._components(name))
        line = f"deb [signed-by={self._keyring}] {mirror} {name} {components}\n"
        (root / "sources.list").write_text(line)
        try:
            done = self._apt(name, "update")
        except SuiteUnreachableError as error:
            self._unreachable[mirror] = str(error)
            raise
        if done.returncode or not list((root / "lists").glob("*InRelease")):
            said = f"{name}: {_complaint(done)}"
            if done.returncode:  # a suite that the mirror lacks is an error to apt
                self._refused[name] = said
            else:  # a mirror that does not answer only a warning
                self._unreachable[mirror] = said
            raise SuiteUnreachableError(said)
        self._reached = True

    def _apt(
        self, name: str, *arguments: str, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        root = self.folder / name
        settings = {
            "Dir::Etc::sourcelist": root / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": root / "preferences",  # there only where a call wrote it
            "Dir::Etc::preferencesparts": "/dev/null",
            "Dir::State::lists": root / "lists",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": root / "cache",
            "APT::Architecture": "amd64",
            "APT::Architectures": "amd64",
            "APT::Sandbox::User": "root",  # apt's own user may not enter pytest's folders
            "APT::Update::Post-Invoke-Success": "",
            "Acquire::Languages": "none",
            "Acquire::GzipIndexes": "false",
            "Acquire::Retries": "1" if self._reached else "0",
            "Acquire::http::Timeout": "10",
        }
        options = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
        try:
            return subprocess.run(
                ["apt-get", *options, *arguments],
                cwd=cwd,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SuiteUnreachableError(f"{name}: {error}") from error

    def _lists(self, name: str) -> list[tuple[str, Path]]:
        folder = self.folder / name / "lists"
        return [
            (component, path)
            for component in self._components(name)
            for path in folder.glob(f"*_{component}_binary-amd64_Packages")
        ]

    def _dated(self, name: str) -> date:
        (release,) = (self.folder / name / "lists").glob("*InRelease")
        match = re.search(r"^Date: (.+)$", release.read_text(encoding="utf-8"), re.MULTILINE)
        if match is None:
            raise SuiteUnreachableError(f"{name}: its Release file bears no date")
        return parsedate_to_datetime(match[1]).date()


class UbuntuArchive(Archive):
    """Ubuntu's archive, whose key Debian packages."""

    def __init__(self, debian: Archive) -> None:
        """Fetch the key.

        Raises: SuiteUnreachableError with apt's own words.
        """
        super().__init__(debian.folder / "ubuntu")
        self.folder.mkdir(exist_ok=True)
        suite = debian.suite("trixie", frozenset({_UBUNTUS_KEY}))
        deb = debian.fetch(suite, [_UBUNTUS_KEY])[_UBUNTUS_KEY]
        subprocess.run(["dpkg-deb", "-x", deb, self.folder], timeout=_SECONDS, check=True)
        self._keyring = self.folder / "usr/share/keyrings/ubuntu-archive-keyring.gpg"

    def _mirror_of(self, _: str) -> str:
        return "http://archive.ubuntu.com/ubuntu"

    def _components(self, _: str) -> tuple[str, ...]:
        return "main", "restricted", "universe", "multiverse"


def _mirrors() -> dict[str, str]:
    """Return where this machine itself gets Debian from; apt reads its own sources for that."""
    try:
        done = subprocess.run(
            ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SuiteUnreachableError(f"apt-get cannot be asked: {error}") from error
    uris = [line.rstrip("/") for line in done.stdout.splitlines()]
    main = next((uri for uri in uris if uri.endswith("/debian")), None)
    if main is None:
        raise SuiteUnreachableError("this machine has no Debian mirror in its apt sources")
    if not KEYRING.is_file():
        raise SuiteUnreachableError(f"{KEYRING} is missing, so no list can be verified")
    security = next((uri for uri in uris if uri.endswith("/debian-security")), f"{main}-security")
    return {"main": main, "security": security}


def contents(deb: Path) -> list[str]:
    """Return the paths in a package, `a -> b` for links."""
    try:
        done = subprocess.run(
            ["dpkg-deb", "--contents", str(deb)],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SuiteUnreachableError(f"{deb.name} cannot be read: {error}") from error
    return [line.split(" ./", 1)[1] for line in done.stdout.splitlines() if " ./" in line]


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in done.stderr.splitlines() if line.startswith(("E:", "W:"))]
    return lines[0] if lines else f"apt-get ended with {done.returncode}"
