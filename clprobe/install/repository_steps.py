# SPDX-License-Identifier: MIT
"""The steps that add a third party's repository to apt: one key, for this one source alone."""

from clprobe.commands.commands import step
from clprobe.install import steps
from clprobe.knowledge.origin_table import Origin
from clprobe.knowledge.table_types import Distribution
from clprobe.model.action import FetchKey, MakeFolder, Refresh
from clprobe.model.plan import Step

_TOOLS = ("ca-certificates", "curl", "gnupg")
_KEYS = "/etc/apt/keyrings"
_SOURCES = "/etc/apt/sources.list.d"


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
        step(f"Make sure that {_KEYS} exists", MakeFolder(path=_KEYS)),
        fetch_key(origin, key),
        steps.write_file(f"Add {origin.name}, signed by that key alone", source, text),
        step("Read the package index", Refresh(manager="apt")),
    ]


def fetch_key(origin: Origin, path: str) -> Step:
    """Return the step that fetches the signing key; it fails where the key is another one."""
    return step(
        f"Fetch the key of {origin.name}, fingerprint {origin.fingerprint}",
        FetchKey(url=origin.key_url, path=path, fingerprint=origin.fingerprint or ""),
    )
