# SPDX-License-Identifier: MIT
"""What `clprobe check` answers, for node-feature-discovery and for Prometheus.

Sources: https://kubernetes-sigs.github.io/node-feature-discovery/stable/usage/customization-guide
(feature files), https://prometheus.io/docs/instrumenting/exposition_formats/ (text format).
"""

import re
from collections.abc import Iterator

from clprobe.needs.answer import CheckReport, HostAnswer

_NFD = "feature.node.kubernetes.io/opencl-needs"
_LONGEST_LABEL = 63
_ANSWERS = ("yes", "no", "not-known")


def nfd_lines(report: CheckReport, label: str) -> Iterator[str]:
    """Yield lines of a feature file for nfd-worker about this one host: NAME=VALUE.

    `label` is what the needs as a whole are called.
    """
    host = report.hosts[0]
    yield f"{_NFD}.{_in_label(label)}={host.answer}"
    if host.cause is not None and host.answer == "no":
        yield f"{_NFD}.{_in_label(label)}.cause={host.cause.id[:_LONGEST_LABEL]}"
    for need in host.needs:
        name = _in_label(need.label or f"{label}.{need.part}")
        if need.label not in (None, label):
            yield f"{_NFD}.{name}={need.answer}"
        yield f"{_NFD}.{name}.devices={need.found}"


def _in_label(text: str) -> str:
    """Return a text as part of a label's name: letters, digits, - _ and . within."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", text)[:41].strip("-_.") or "needs"


def prometheus_lines(report: CheckReport, label: str) -> Iterator[str]:
    """Yield a text file for node_exporter's textfile collector.

    The answer is one of three series that is 1; devices are counted for each need.
    """
    yield "# HELP clprobe_needs_answer Whether the host has what the needs ask: yes, no, not-known."
    yield "# TYPE clprobe_needs_answer gauge"
    for host in report.hosts:
        for answer in _ANSWERS:
            shown = _labels(needs=label, **_host(host), answer=answer)
            yield f"clprobe_needs_answer{shown} {int(host.answer == answer)}"
    yield "# HELP clprobe_needs_devices OpenCL devices that fulfil a need."
    yield "# TYPE clprobe_needs_devices gauge"
    for host in report.hosts:
        for need in host.needs:
            shown = _labels(needs=label, **_host(host), part=need.label or need.part)
            yield f"clprobe_needs_devices{shown} {need.found}"


def _host(host: HostAnswer) -> dict[str, str]:
    return {} if host.host is None else {"host": host.host}


def _labels(**labels: str) -> str:
    told = ",".join(f'{name}="{_quoted(value)}"' for name, value in labels.items())
    return f"{{{told}}}"


def _quoted(value: str) -> str:
    readable = value.encode("utf-8", "replace").decode("utf-8")
    return readable.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
