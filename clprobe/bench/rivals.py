# SPDX-License-Identifier: MIT
"""Other frameworks' devices that may take part: torch's `xpu` and pytorch_dlprim's `ocl`."""

import ast
import importlib.util
from collections.abc import Sequence
from pathlib import Path

from clprobe.bench.protocol import Target
from clprobe.model.measurement import Contestant, ContestantKind

KINDS: dict[str, ContestantKind] = {"xpu": "torch-xpu", "ocl": "torch-ocl"}


def rivals(asked: Sequence[str]) -> tuple[tuple[Target, ...], tuple[Contestant, ...]]:
    """Return those that are installed, and the others with the reason; `asked` of KINDS' keys."""
    targets, absent = [], []
    for device_type in asked:
        problem = missing(device_type)
        label = f"torch {device_type}"
        if problem is None:
            targets.append(_target(label, KINDS[device_type]))
        else:
            absent.append(
                Contestant(
                    name=label, kind=KINDS[device_type], status="unsupported", detail=problem
                )
            )
    return tuple(targets), tuple(absent)


def missing(device_type: str) -> str | None:
    """Return why torch has no such device, without importing it; None if it may have one."""
    folder = _folder("torch")
    if folder is None:
        return "torch is not installed."
    if device_type == "ocl":
        has_plugin = importlib.util.find_spec("pytorch_ocl") is not None
        return None if has_plugin else "pytorch_dlprim (the package pytorch_ocl) is not installed."
    try:
        text = (folder / "version.py").read_text(encoding="utf-8")
    except OSError as error:
        return f"torch's version.py cannot be read: {error.strerror}."
    return no_xpu(text)


def no_xpu(version_file: str) -> str | None:
    """Return why a torch of this version.py has no `xpu`; None if it may have one."""
    stated = _assignments(version_file)
    if stated.get("xpu"):
        return None
    version = stated.get("__version__") or "of unknown version"
    return f"this torch ({version}) was built without XPU."


def _assignments(text: str) -> dict[str, object]:
    """Return the names that a file sets to a constant."""
    found: dict[str, object] = {}
    try:
        statements = ast.parse(text).body
    except SyntaxError:
        return found
    for statement in statements:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(
            statement.value, ast.Constant
        ):
            names = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found |= {one.id: statement.value.value for one in names if isinstance(one, ast.Name)}
    return found


def _folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _target(label: str, kind: ContestantKind) -> Target:
    return Target(
        label=label,
        library="",
        platform=None,
        name=None,
        driver_version=None,
        position=0,
        kind=kind,
    )
