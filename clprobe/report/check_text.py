# SPDX-License-Identifier: MIT
"""`clprobe check` in lines: one that says it all, for a prolog, and what stands behind it."""

from collections.abc import Iterator

from clprobe.needs.answer import CheckReport, DeviceAnswer, HostAnswer, NeedAnswer, counted
from clprobe.report.escaping import safe_line

_WORDS = {"yes": "yes", "no": "no", "not-known": "not known"}


def line_of(host: HostAnswer) -> str:
    """Return the answer about one host in one line."""
    name = f"{host.host}: " if host.host is not None else ""
    parts = [f"{name}{_WORDS[host.answer]}: {host.because}"]
    if host.cause is not None:
        perhaps = "" if host.cause.certain else "perhaps "
        parts.append(f"{perhaps}{host.cause.title} ({host.cause.id})")
        if host.cause.fix is not None and host.cause.certain:
            parts.append(f"fix: {host.cause.fix}")
    return safe_line("; ".join(parts))


def lines_of(host: HostAnswer) -> Iterator[str]:
    """Yield the answer about one host, then each need with the devices and what they lack."""
    yield line_of(host)
    for need in host.needs:
        yield safe_line(f"  {_asked(need)}")
        for device in need.devices:
            yield safe_line(f"    {_told(device)}")
    if host.ask:
        yield "  the output of these commands would decide it:"
        yield from (safe_line(f"    {command}") for command in host.ask)


def summary_of(report: CheckReport) -> str:
    """Return how many hosts got which answer."""
    told = (f"{number} {_WORDS[answer]}" for answer, number in counted(report).items())
    return f"{len(report.hosts)} hosts: {', '.join(told)}"


def _asked(need: NeedAnswer) -> str:
    name = need.label or need.part
    called = f"{name}: " if name else ""
    return f"{called}{_WORDS[need.answer]}, {need.found} of {need.count}: {need.needs}"


def _told(device: DeviceAnswer) -> str:
    lacks = "; ".join(
        f"{point.needs}: {_WORDS[point.answer]}, {point.has}" for point in device.open
    )
    name = f"{device.index}  {device.name or '?'}, {device.platform or '?'}"
    return f"{name}: {lacks or 'fulfils it'}"
