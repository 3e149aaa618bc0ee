# SPDX-License-Identifier: MIT
"""Security modules of Linux that may deny what file permissions allow."""

import errno
import re

from clprobe.model.system import Security
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, reason
from clprobe.probe.host import Host

_ENFORCE = "/sys/fs/selinux/enforce"
# The second is of the one module that came first; Linux had no other before 5.8.
_LABELS = ("/proc/self/attr/apparmor/current", "/proc/self/attr/current")
# Where no module keeps labels, reading one is EINVAL.
_NO_LABEL = (*ABSENT, errno.EINVAL)
_SELINUX_LABEL = re.compile(r"[^:\s]+:[^:\s]+:[^:\s]+")
_APPARMOR_LABEL = re.compile(r"(?P<profile>.+?)(?: \((?P<mode>\w+)\))?")
# These let everything pass: complain only writes it down.
_HARMLESS_MODES = ("complain", "unconfined", "prompt")


def probe_security(host: Host) -> Security:
    """Return which policies apply to this process."""
    return Security(selinux=_selinux(host), apparmor_profile=_apparmor(host))


def _selinux(host: Host) -> str | Unknown | None:
    try:
        return "enforcing" if host.read(_ENFORCE).strip() == b"1" else "permissive"
    except OSError as error:
        if error.errno not in ABSENT:
            return Unknown(reason(error))
    label = _label(host, _LABELS[1])
    if isinstance(label, str) and _SELINUX_LABEL.match(label):
        # Containers on Fedora and its kin: the label is there, the folder is not.
        return Unknown(f"SELinux labels this process, {_ENFORCE} is not shown; getenforce tells")
    return label if isinstance(label, Unknown) else None


def _apparmor(host: Host) -> str | Unknown | None:
    label = _label(host, _LABELS[0])
    label = _label(host, _LABELS[1]) if label is None else label
    if label is None or isinstance(label, Unknown):
        return label
    parts = _APPARMOR_LABEL.fullmatch(label)
    if parts is None or parts["profile"] == "unconfined" or parts["mode"] in _HARMLESS_MODES:
        return None
    return None if parts["mode"] is None and _SELINUX_LABEL.match(label) else parts["profile"]


def _label(host: Host, path: str) -> str | Unknown | None:
    """Return a label of this process, None where Linux keeps none."""
    try:
        text = host.read(path).decode("utf-8", "replace").strip("\0\n ")
    except OSError as error:
        return None if error.errno in _NO_LABEL else Unknown(reason(error))
    return text or None
