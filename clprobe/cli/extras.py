# SPDX-License-Identifier: MIT
"""How to install an extra of clprobe in the way in which clprobe itself came here."""

import json
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

from packaging.requirements import Requirement

from clprobe.model.shell_words import command_line

# Where dpkg alone installs, and what .ci/debian/control makes of the extras.
_OF_DEBIAN = Path("/usr/lib/python3/dist-packages")
_DEBIAN_PACKAGES = {"bench": "clprobe-bench", "site": "python3-jinja2", "torch": "python3-torch"}


def how_to_install(extra: str) -> str:
    """Return the command that adds the extra to this very installation.

    A checkout is installed anew with it; from a wheel the requirements themselves are named, for
    no package index need have clprobe.
    """
    try:
        installed = distribution("clprobe")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return command_line(_pip("--editable", f"{_checkout()}[{extra}]"))
    return command_line(command_for(extra, installed, Path(sys.prefix)))


def command_for(extra: str, installed: Distribution, prefix: Path) -> tuple[str, ...]:
    """Return the argv that adds the extra to clprobe as it is installed under `prefix`."""
    if Path(str(installed.locate_file(""))) == _OF_DEBIAN and extra in _DEBIAN_PACKAGES:
        return ("sudo", "apt", "install", _DEBIAN_PACKAGES[extra])
    folder = _folder_of(installed)
    if (prefix / "pipx_metadata.json").is_file():
        return ("pipx", "inject", prefix.name, *requirements(installed, extra))
    if folder is not None and (folder / "pyproject.toml").is_file():
        return _pip(*(("--editable",) if _is_editable(installed) else ()), f"{folder}[{extra}]")
    return _pip(*requirements(installed, extra))


def _pip(*words: str) -> tuple[str, ...]:
    return (sys.executable or "python3", "-m", "pip", "install", *words)


def requirements(installed: Distribution, extra: str) -> tuple[str, ...]:
    """Return what the extra asks for on this system, as pip takes it."""
    asked = (Requirement(text) for text in installed.requires or ())
    return tuple(
        f"{one.name}{one.specifier}"
        for one in asked
        if one.marker is not None
        and one.marker.evaluate({"extra": extra})
        and not one.marker.evaluate({"extra": ""})
    )


def _checkout() -> Path:
    return Path(__file__).resolve().parents[2]


def _origin(installed: Distribution) -> dict[str, object]:
    """Return where it was installed from; {} where that was an index.

    Source: the specification of direct_url.json, PEP 610.
    """
    try:
        told = json.loads(installed.read_text("direct_url.json") or "{}")
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _folder_of(installed: Distribution) -> Path | None:
    url = urlsplit(str(_origin(installed).get("url", "")))
    return Path(unquote(url.path)) if url.scheme == "file" else None


def _is_editable(installed: Distribution) -> bool:
    info = _origin(installed).get("dir_info")
    return isinstance(info, dict) and info.get("editable") is True
