# SPDX-License-Identifier: MIT
"""The steps that add a third party's repository to apt: one key, for this one source alone."""

from clprobe.install import steps
from clprobe.knowledge.origin_table import Origin
from clprobe.knowledge.table_types import Distribution
from clprobe.model.plan import Step

_TOOLS = ("ca-certificates", "curl", "gnupg")
_KEYS = "/etc/apt/keyrings"
_SOURCES = "/etc/apt/sources.list.d"
_CHECK = (
    "import subprocess, sys, tempfile; file, wanted = sys.argv[1:]; "
    "home = tempfile.mkdtemp(); "
    "said = subprocess.run(['gpg', '--homedir', home, '--batch', '--with-colons', "
    "'--show-keys', file], capture_output=True, text=True, check=True).stdout; "
    "lines = [line.split(':') for line in said.splitlines()]; "
    "keys = [after[9] for line, after in zip(lines, lines[1:]) if line[0] == 'pub']; "
    "sys.exit(0 if keys == [wanted] else f'{file} holds {keys}, and not {wanted} alone')"
)


def add_repository(origin: Origin, distribution: Distribution) -> list[Step]:
    """Return the steps that fetch the key, check its fingerprint, and add the source."""
    repository = origin.repositories[distribution.key]
    key = f"{_KEYS}/clprobe-{origin.origin}.asc"
    source = f"{_SOURCES}/clprobe-{origin.origin}.sources"
    lines = {
        "Types": "deb",
        "URIs": repository.uri,
        "Suites": repository.suite,
        "Components": " ".join(repository.components),
        "Architectures": "amd64",
        "Signed-By": key,
    }
    text = "".join(f"{name}: {value}\n" for name, value in lines.items() if value)
    return [
        steps.install(distribution, "Install what fetches and checks a key", _TOOLS),
        Step(
            title=f"Make sure that {_KEYS} exists",
            argv=("install", "-d", "-m", "0755", _KEYS),
            needs_root=True,
            verify=("test", "-d", _KEYS),
        ),
        fetch_key(origin, key),
        steps.write_file(f"Add {origin.name}, signed by that key alone", source, text),
        Step(title="Read the package index", argv=("apt-get", "update"), needs_root=True),
    ]


def fetch_key(origin: Origin, path: str) -> Step:
    """Return the step that fetches the signing key; it fails where the key is another one."""
    return Step(
        title=f"Fetch the key of {origin.name}, fingerprint {origin.fingerprint}",
        argv=(
            # The first option: what root's own folder says must not steer it.
            *("curl", "--disable", "--fail", "--silent", "--show-error", "--location"),
            *("--proto", "=https", "--tlsv1.2", "--output", path, origin.key_url),
        ),
        needs_root=True,
        undo=("rm", "-f", path),
        verify=check_key(path, origin.fingerprint or ""),
    )


def check_key(path: str, fingerprint: str) -> tuple[str, ...]:
    """Return the command that fails unless the file holds the one key with that fingerprint."""
    return ("python3", "-c", _CHECK, path, fingerprint)
