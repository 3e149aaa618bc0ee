# SPDX-License-Identifier: MIT
"""Unit files of systemd services: as whom a service runs and which devices it may use."""

from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, ask_text
from clprobe.probe.host import Host

# systemd.unit(5), first match wins; /lib is where distributions without merged /usr keep it.
FOLDERS = (
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
)
_LISTS = ("SupplementaryGroups", "DeviceAllow", "CapabilityBoundingSet")


def read_service(host: Host, name: str) -> dict[str, tuple[str, ...]] | None:
    """Return the assignments of [Service], drop-ins included; None if there is no such unit.

    Of an option that is no list the last value counts; an empty value clears a list.
    """
    names = [_template(name), name] if "@" in name else [name]
    own = next((text for one in reversed(names) if (text := _unit(host, one)) is not None), None)
    if own is None:
        return None
    options: dict[str, tuple[str, ...]] = {}
    # Drop-ins for all services come first, then the template's, then the unit's own.
    for text in (own, *(text for one in ("service", *names) for text in _drop_ins(host, one))):
        _apply(text, options)
    return options


def service_names(host: Host) -> tuple[str, ...]:
    """Return the names of all services that have a unit file."""
    listed = (ask(host.list_folder, folder) for folder in FOLDERS)
    names = (name for one in listed if not isinstance(one, Unknown) for name in one)
    return tuple(sorted({name for name in names if name.endswith(".service")}))


def is_yes(options: dict[str, tuple[str, ...]], name: str) -> bool:
    """Tell whether a boolean option is switched on."""
    return last(options, name).lower() in ("yes", "true", "on", "1")


def last(options: dict[str, tuple[str, ...]], name: str) -> str:
    """Return the value that counts; empty if the option is not set."""
    return options.get(name, ("",))[-1]


def _template(name: str) -> str:
    return f"{name.partition('@')[0]}@.service"


def _unit(host: Host, name: str) -> str | None:
    texts = (ask_text(host.read, f"{folder}/{name}") for folder in FOLDERS)
    return next((text for text in texts if isinstance(text, str)), None)


def _drop_ins(host: Host, unit: str) -> list[str]:
    """Return a unit's drop-ins by file name; a name in an earlier folder hides later ones."""
    found: dict[str, str] = {}
    for folder in FOLDERS:
        names = ask(host.list_folder, f"{folder}/{unit}.d")
        for name in () if isinstance(names, Unknown) else names:
            text = ask_text(host.read, f"{folder}/{unit}.d/{name}")
            if name.endswith(".conf") and isinstance(text, str):
                found.setdefault(name, text)
    return [found[name] for name in sorted(found)]


def _apply(text: str, options: dict[str, tuple[str, ...]]) -> None:
    section = ""
    for line in text.replace("\\\n", " ").splitlines():
        stripped = line.strip()
        if stripped.startswith("["):
            section = stripped
        elif section == "[Service]" and "=" in stripped and stripped[0] not in "#;":
            name, _, value = (part.strip() for part in stripped.partition("="))
            if name not in _LISTS:
                options[name] = (value,)
            else:
                options[name] = (*options.get(name, ()), value) if value else ()
