# SPDX-License-Identifier: MIT
"""What a plan and its matrices say in every format, before it is laid out."""

from collections.abc import Iterable, Sequence

from clprobe.compat.matrix import MatrixRow
from clprobe.knowledge.package_managers import manager_of_distribution
from clprobe.knowledge.versions import upstream
from clprobe.model.plan import InstallPlan, Rejected, Route, Target, VersionRow

SHORT_HEADINGS = ("stack", "torch", "Python", "on", "status")
HEADINGS = ("stack", "version", "torch", "Python", "driver", "its version", "releases", "status")
_WAYS = {"source": "from source", "by-hand": "by hand"}
RELEASE_HEADINGS = ("release", "implementation", "version", "drives it", "why")


def target_line(target: Target) -> str:
    """Return the target in one line."""
    gpu = "no GPU" if target.gpu == "none" else target.gpu or "a GPU not stated"
    parts = [gpu, target.os or "a distribution not stated"]
    parts += ["under WSL2"] if target.wsl else []
    parts += [f"Linux {target.linux}"] if target.linux is not None else []
    parts += [f"Python {target.python}"] if target.python is not None else []
    parts += [target.arch] if target.arch is not None else []
    parts += [target.cpu] if target.cpu is not None else []
    return ", ".join(parts)


def title(route: Route | Rejected, target: Target) -> str:
    """Return a name that tells the route from all others: its stack, backend, and how it comes."""
    how = way(route, target)
    if route.stack is None:
        name = route.backend
    elif how is None and route.backend == "cpu":
        return route.stack
    else:
        name = f"{route.stack} on {route.backend}"
    return name if how is None else f"{name} ({how})"


def way(route: Route | Rejected, target: Target) -> str | None:
    """Return how the route gets its driver; None: there is only one way to it."""
    origin = route.components[0].origin if isinstance(route, Route) and route.components else None
    if route.how == "package":
        manager = manager_of_distribution((target.os,)) if target.os is not None else None
        return manager.manager if manager is not None else "package"
    if route.how == "file" and origin is not None:
        release = origin.replace("-", " ").title() if " " not in origin else "release"
        return f"{release} .deb"
    if route.how == "repository" and origin is not None:
        return origin
    if route.how in (None, "included"):
        return None
    return _WAYS.get(route.how, route.how)


def rejections(plan: InstallPlan) -> list[tuple[str, str]]:
    """Return what was rejected and why; names that share a reason stand together."""
    names: dict[str, list[str]] = {}
    for entry in plan.rejected:
        names.setdefault(entry.because, []).append(title(entry, plan.target))
    return [(", ".join(dict.fromkeys(named)), because) for because, named in names.items()]


def mark(route: Route) -> str:
    """Return how much of it is there: installed, partly (1 of 3), new; "" where that is unknown."""
    if route.installed != "partly":
        return "" if route.installed == "unknown" else route.installed
    there = sum(one.installed is True for one in route.components)
    return f"partly ({there} of {len(route.components)})"


def state(route: Route) -> str:
    """Return how well it works, and how much of it is there."""
    return ", ".join(filter(None, (route.status, mark(route))))


def more_names(others: Sequence[str], impossible: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    """Return the lines on other ways: a label and the names behind it; none without names."""
    lines = (("Other ways", others), ("Not possible", impossible))
    return [(label, names) for label, names in lines if names]


def cells(rows: Iterable[VersionRow]) -> list[tuple[str, ...]]:
    """Return a line per combination, the releases with the same answer in one cell."""
    merged: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        key = (
            row.stack,
            row.version or "-",
            row.torch or "-",
            row.python,
            row.driver,
            row.driver_version or "-",
            row.status,
        )
        merged.setdefault(key, []).append(row.release)
    return [(*key[:-1], ", ".join(releases), key[-1]) for key, releases in merged.items()]


def short_cells(rows: Iterable[VersionRow]) -> list[tuple[str, ...]]:
    """Return narrower lines for a terminal: the drivers with the same answer in one cell."""
    merged: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        name = f"{row.stack} {row.version}" if row.version is not None else row.stack
        on = f"{row.driver} {_short(row.driver_version)}".strip()
        merged.setdefault((name, row.torch or "-", row.python, row.status), []).append(on)
    return [(*key[:-1], ", ".join(dict.fromkeys(on)), key[-1]) for key, on in merged.items()]


def _short(version: str | None) -> str:
    return ".".join(upstream(version).split(".")[:2]) if version is not None else ""


def of_release(rows: Iterable[VersionRow], release: str | None) -> list[VersionRow]:
    """Return the rows of one release, and those that hold on any; all if it has none."""
    listed = list(rows)
    own = [row for row in listed if row.release in (release, "any")]
    return own if any(row.release == release for row in own) else listed


def reasons(rows: Sequence[VersionRow]) -> list[tuple[str, str]]:
    """Return stack and reason of what fails on this hardware."""
    return [(row.stack, row.why) for row in rows if row.status == "no"]


def release_cells(rows: Iterable[MatrixRow]) -> list[tuple[str, ...]]:
    """Return a line per release and implementation."""
    return [
        (f"{one.distribution} {one.pocket}", one.implementation, one.version, one.drives, one.why)
        for one in rows
    ]
