# SPDX-License-Identifier: MIT
"""Finds rules/, kernels/ and README.md, in an installed wheel or in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent

NO_RULES = ("tables", "reports")
"""Folders of rules/ that hold other data."""


def rules_path() -> Path:
    """Return the folder of the rules database."""
    return _data_folder("rules")


def kernels_path() -> Path:
    """Return the folder of the OpenCL C kernels."""
    return _data_folder("kernels")


def parsed_rules_path() -> Path:
    """Return where what the rules database parses to lies, in what the single file unpacked.

    No other installation has it: there, rules may be edited.
    """
    return rules_path().with_name("parsed-rules.msgpack")


def readme() -> str:
    """Return README.md, which a wheel holds as its description; "" where it did not come along."""
    path = _PACKAGE.parent / "README.md"
    if path.is_file() and (_PACKAGE.parent / "pyproject.toml").is_file():
        return path.read_text("utf-8")
    # Only here: every command imports this file.
    from importlib.metadata import PackageNotFoundError, metadata  # noqa: PLC0415

    try:
        return metadata("clprobe")["Description"] or ""
    except (PackageNotFoundError, KeyError):
        return ""


def is_single_file() -> bool:
    """Return whether this is what clprobe.pyz unpacked."""
    return parsed_rules_path().is_file()


def _data_folder(name: str) -> Path:
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
