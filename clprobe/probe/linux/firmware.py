# SPDX-License-Identifier: MIT
"""Firmware of GPUs: which folders hold any."""

from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask_text, names_in, reason
from clprobe.probe.host import Host

NAMES = ("amdgpu", "i915", "nouveau", "nvidia", "radeon", "xe")
_FOLDERS = ("/lib/firmware", "/lib/firmware/updates")
# NixOS names its folder here.
_MORE = "/sys/module/firmware_class/parameters/path"


def probe_firmware(host: Host, container: str | Unknown | None) -> tuple[str, ...] | Unknown:
    """Return the folders that hold files, sorted; unknown in a `container`, whose host loads it."""
    if container is not None:
        return Unknown("Linux loads firmware of the host, which a container does not see")
    more = ask_text(host.read, _MORE)
    own = [more.strip()] if isinstance(more, str) and more.strip() else []
    try:
        return tuple(sorted({name for folder in (*own, *_FOLDERS) for name in _in(host, folder)}))
    except OSError as error:
        return Unknown(reason(error))


def _in(host: Host, folder: str) -> list[str]:
    present = set(names_in(host.list_folder, folder)) & set(NAMES)
    return [name for name in present if names_in(host.list_folder, f"{folder}/{name}")]
