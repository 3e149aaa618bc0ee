# SPDX-License-Identifier: MIT
"""Package lists of Debian suites, fetched and verified by apt in folders of their own."""

import re
import subprocess
from dataclasses import dataclass, field
from datetime import date
from email.utils import parsedate_to_datetime
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
COMPONENTS = ("main", "contrib", "non-free", "non-free-firmware")
DRIVER = "opencl-icd"
_SECONDS = 180
"""Time for one apt command; the largest list takes 3 s on a usual line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One binary package as a suite lists it: names in Depends, Recommends and Provides."""

    name: str
    version: str
    component: str
    needs: frozenset[str] = frozenset()
    wants: frozenset[str] = frozenset()
    gives: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """What a suite lists of the packages asked for, and the date its signed Release file bears.

    Every OpenCL driver is among them, asked for or not: each provides the name `opencl-icd`.
    """

    name: str
    dated: date
    packages: dict[str, Listed] = field(default_factory=dict)

    @property
    def drivers(self) -> list[str]:
        """Return the packages that register an OpenCL driver."""
        return sorted(name for name, one in self.packages.items() if DRIVER in one.gives)


class SuiteUnreachableError(Exception):
    """The mirror lacks the suite, the network the mirror, or the keyring the signature."""


class Archive:
    """Debian's archive through this machine's own mirror; `folder` holds what is fetched."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mirrors = _mirrors()

    def suite(self, name: str, wanted: frozenset[str]) -> Suite:
        """Return what the suite lists of `wanted`, in any component, for amd64.

        Raises: SuiteUnreachableError with apt's own words.
        """
        self._update(name)
        packages: dict[str, Listed] = {}
        for component, path in self._lists(name):
            for listed in _read(path, component, wanted):
                packages[listed.name] = listed
        return Suite(name=name, dated=self._dated(name), packages=packages)

    def _download(self, name: str, package: str) -> Path:
        folder = self._folder / name / "debs"
        folder.mkdir(exist_ok=True)
        done = self._apt(name, "download", package, cwd=folder)
        found = list(folder.glob(f"{package}_*.deb"))
        if done.returncode or not found:
            raise SuiteUnreachableError(f"{package} of {name}: {_complaint(done)}")
        return found[0]

    def files_of(self, name: str, packages: list[str]) -> dict[str, list[str]]:
        """Return the paths in each package of a suite that was fetched, `a -> b` for links.

        One that the mirror lists but no longer holds is left out: that happens to old suites.
        """
        folder = self._folder / name / "debs"
        folder.mkdir(exist_ok=True)
        self._apt(name, "download", *packages, cwd=folder)
        return {deb.name.split("_", 1)[0]: _contents(deb) for deb in folder.glob("*.deb")}

    def _update(self, name: str) -> None:
        root = self._folder / name
        (root / "lists" / "partial").mkdir(parents=True)
        (root / "cache" / "archives" / "partial").mkdir(parents=True)
        uri = self._mirrors["security" if name.endswith("-security") else "main"]
        line = f"deb [signed-by={KEYRING}] {uri} {name} {' '.join(_components(name))}\n"
        (root / "sources.list").write_text(line)
        done = self._apt(name, "update")
        if done.returncode or not list((root / "lists").glob("*InRelease")):
            raise SuiteUnreachableError(f"{name}: {_complaint(done)}")

    def _apt(
        self, name: str, *arguments: str, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        root = self._folder / name
        settings = {
            "Dir::Etc::sourcelist": root / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null",
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
            "Acquire::Retries": "1",
            "Acquire::http::Timeout": "15",
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
        folder = self._folder / name / "lists"
        return [
            (component, path)
            for component in _components(name)
            for path in folder.glob(f"*_{component}_binary-amd64_Packages")
        ]

    def _dated(self, name: str) -> date:
        (release,) = (self._folder / name / "lists").glob("*InRelease")
        match = re.search(r"^Date: (.+)$", release.read_text(encoding="utf-8"), re.MULTILINE)
        if match is None:
            raise SuiteUnreachableError(f"{name}: its Release file bears no date")
        return parsedate_to_datetime(match[1]).date()


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


def _contents(deb: Path) -> list[str]:
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


def _components(suite: str) -> tuple[str, ...]:
    """Return the components of a suite; asking an old one for firmware's is an error to apt."""
    old = suite.split("-", 1)[0] in ("buster", "bullseye")
    return COMPONENTS[:-1] if old else COMPONENTS


def _read(path: Path, component: str, wanted: frozenset[str]) -> list[Listed]:
    text = path.read_text(encoding="utf-8")
    stanzas = (
        stanza
        for stanza in text.split("\n\n")
        if stanza[9 : stanza.find("\n")] in wanted or _names_a_driver(stanza)
    )
    return [_listed(stanza, component) for stanza in stanzas if stanza.startswith("Package: ")]


def _names_a_driver(stanza: str) -> bool:
    if DRIVER not in stanza:  # spares most of 70,000 packages the search
        return False
    provides = re.search(r"^Provides: (.+)$", stanza, re.MULTILINE)
    return provides is not None and DRIVER in _names(provides[1])


def _listed(stanza: str, component: str) -> Listed:
    fields = dict(
        line.split(": ", 1) for line in stanza.splitlines() if re.match(r"[A-Za-z-]+: ", line)
    )
    return Listed(
        name=fields["Package"],
        version=fields["Version"],
        component=component,
        needs=_names(fields.get("Depends", "")),
        wants=_names(fields.get("Recommends", "")),
        gives=_names(fields.get("Provides", "")),
    )


def _names(relations: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)", relations))


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in done.stderr.splitlines() if line.startswith(("E:", "W:"))]
    return lines[0] if lines else f"apt-get ended with {done.returncode}"
