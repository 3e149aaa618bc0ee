# SPDX-License-Identifier: MIT
"""Whom and what a scrubbing has to look for: people, names of the host, ids of the hardware."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.placeholders import is_person
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, ask_text
from clprobe.probe.host import Host

_FORMS = Forms("private_names")
_ID_FILES = {
    "/etc/machine-id": "machine-id",
    "/var/lib/dbus/machine-id": "machine-id",
    "/sys/class/dmi/id/product_serial": "serial",
    "/sys/class/dmi/id/board_serial": "serial",
    "/sys/class/dmi/id/chassis_serial": "serial",
    "/sys/class/dmi/id/product_uuid": "uuid",
    "/proc/device-tree/serial-number": "serial",
}
_NETWORK = "/sys/class/net"
_SHORTEST_ID = 6
_NO_SERIAL = re.compile(
    r"(?i)default string|to be filled.*|system serial number|not .*|none|(.)\1*"
)
_HOST_FILES = ("/etc/hostname", "/proc/sys/kernel/hostname")
_PRETTY = re.compile(r"(?m)^PRETTY_HOSTNAME=[\"']?([^\"'\n]+)")


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody whose names must go; `spoken`: the name may stand alone in free text."""

    name: str
    uid: int | None = None
    home: str | None = None
    real_name: str = ""
    spoken: bool = True


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What is known beforehand; `identifiers` are texts and their kind."""

    people: tuple[Person, ...] = ()
    host_names: tuple[str, ...] = ()
    identifiers: dict[str, str] = {}


def known_here(host: Host) -> Known:
    """Return the people, names and ids of this host, as far as they can be read."""
    return Known(
        people=tuple(_people(host)),
        host_names=tuple(dict.fromkeys(_host_names(host))),
        identifiers=dict(_identifiers(host)),
    )


def _people(host: Host) -> Iterator[Person]:
    """Yield the asker, whoever called sudo, and the people of the local user database."""
    identity = ask(host.identity)
    environment = host.environment()
    caller = environment.get("SUDO_UID", "")
    own = [] if isinstance(identity, Unknown) else [identity.uid]
    own += [int(caller)] if caller.isdecimal() else []
    for uid in own:
        name, home = ask(host.user_name, uid), ask(host.home_folder, uid)
        if is_person(uid) and isinstance(name, str):
            yield Person(name=name, uid=uid, home=home if isinstance(home, str) else None)
    passwd = ask_text(host.read, "/etc/passwd")
    for line in () if isinstance(passwd, Unknown) else passwd.splitlines():
        fields = line.split(":")
        if len(fields) >= 6 and fields[2].isdecimal() and is_person(int(fields[2])):
            name, _, number, _, real_name, home = fields[:6]
            called = real_name.partition(",")[0]
            yield Person(name=name, uid=int(number), home=home, real_name=called)
    for variable in ("SUDO_USER", "LOGNAME", "USER"):
        name = environment.get(variable, "")
        if name and name not in _FORMS.words["system_accounts"] and _uid(host, name) is None:
            yield Person(name=name)


def _uid(host: Host, name: str) -> int | None:
    account = ask(host.account, name)
    return None if account is None or isinstance(account, Unknown) else account.uid


def _host_names(host: Host) -> Iterator[str]:
    machine = ask(host.machine)
    if not isinstance(machine, Unknown):
        yield machine.node_name
    for path in _HOST_FILES:
        text = ask_text(host.read, path)
        if isinstance(text, str):
            yield from (line.strip() for line in text.splitlines() if not line.startswith("#"))
    pretty = ask_text(host.read, "/etc/machine-info")
    if isinstance(pretty, str):
        yield from _PRETTY.findall(pretty)


def _identifiers(host: Host) -> Iterator[tuple[str, str]]:
    for path, kind in _ID_FILES.items():
        text = ask_text(host.read, path)
        value = text.strip("\0\n ") if isinstance(text, str) else ""
        if len(value) >= _SHORTEST_ID and not _NO_SERIAL.fullmatch(value):
            yield value, kind
            if "-" in value:
                yield value.replace("-", ""), kind
    interfaces = ask(host.list_folder, _NETWORK)
    for interface in () if isinstance(interfaces, Unknown) else interfaces:
        address = ask_text(host.read, f"{_NETWORK}/{interface}/address")
        digits = address.strip().replace(":", "") if isinstance(address, str) else ""
        if len(digits) == 12 and digits.strip("0f"):
            yield digits, "mac-address"
