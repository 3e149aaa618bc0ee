# SPDX-License-Identifier: MIT
"""Finds who is meant by `--as`: an account, bare numbers, or the user of a systemd service.

Of a service the unit files tell as whom it runs and which devices it may use.
"""

import difflib
from typing import NamedTuple

from clprobe.model.errors import ClprobeError
from clprobe.model.system import Group, ServiceUnit, Session, User
from clprobe.model.unknown import Fact, Unknown, known, listed
from clprobe.probe.facts import ask, ask_names, ask_text
from clprobe.probe.host import Account, Host
from clprobe.probe.user import named_groups

_SERVICE = ".service"
_LARGEST_ID = 0xFFFFFFFE
_NO_SESSION = Unknown("it depends on how that user logs in")


class Asked(NamedTuple):
    """As whom to answer; `unit` is that of a service."""

    user: User
    unit: ServiceUnit


def find_account(host: Host, text: str) -> Asked:
    """Return who `text` names: NAME, UID, USER:GROUP,GROUP… or NAME.service.

    The groups are those that a new session or a start of the service would get.

    Raises: ClprobeError if there is no such user, group or service; its hint names near ones.
    """
    if text.endswith(_SERVICE):
        return _service(host, text)
    name, colon, groups = text.partition(":")
    uid, account = _resolved(host, name)
    gids = _listed(host, groups) if colon else _database_groups(host, uid, account)
    facts = gids if isinstance(gids, Unknown) else named_groups(host, gids)
    user = User(
        uid=uid,
        name=account.name if account else None,
        groups=facts,
        database_groups=facts,
        is_asker=False,
        session=Session(kind=_NO_SESSION, seat=_NO_SESSION, active=_NO_SESSION),
    )
    return Asked(user, ServiceUnit(name=None))


def _resolved(host: Host, text: str) -> tuple[int, Account | None]:
    if text.isdecimal() and int(text) <= _LARGEST_ID:
        name = ask(host.user_name, int(text))
        account = known(ask(host.account, name)) if isinstance(name, str) else None
        return int(text), account
    account = known(ask(host.account, text))
    if account is None:
        units = service_names(host)
        services = [f"{text}{_SERVICE}"] if f"{text}{_SERVICE}" in units else []
        close = [*services, *_similar(text, ask(host.account_names))]
        raise _nobody("no-such-user", f"There is no user {text!r} here.", close)
    return account.uid, account


def _database_groups(host: Host, uid: int, account: Account | None) -> tuple[int, ...] | Unknown:
    if account is None:
        return Unknown(f"user id {uid} has no account; say its groups: --as {uid}:GID,GID")
    return ask(host.database_groups, account.name, account.gid)


def _listed(host: Host, text: str) -> tuple[int, ...]:
    names = [part.strip() for part in text.split(",")]
    return tuple(dict.fromkeys(_group(host, name) for name in names))


def _group(host: Host, name: str) -> int:
    if name.isdecimal() and int(name) <= _LARGEST_ID:
        return int(name)
    gid = ask(host.group_id, name)
    if not isinstance(gid, int):
        close = _similar(name, ask(host.group_names))
        raise _nobody("no-such-group", f"There is no group {name!r} here.", close)
    return gid


def _service(host: Host, name: str) -> Asked:
    options = None if "/" in name else read_service(host, name)
    if options is None:
        close = _similar(name, service_names(host))
        raise _nobody("no-such-service", f"No unit file of {name!r} was found.", close)
    private = is_yes(options, "PrivateDevices")
    policy = last(options, "DevicePolicy") or ("closed" if private else "auto")
    unit = ServiceUnit(
        name=name,
        private_devices=private,
        device_policy=policy,
        device_allow=options.get("DeviceAllow", ()),
        protect_system=last(options, "ProtectSystem") or "no",
    )
    return Asked(_user_of_service(host, name, options), unit)


def _user_of_service(host: Host, unit: str, options: dict[str, tuple[str, ...]]) -> User:
    session = Session(kind="service", seat=None, active=False)
    more = [name for line in options.get("SupplementaryGroups", ()) for name in line.split()]
    name, group = last(options, "User") or "root", last(options, "Group")
    if "%" in name:
        why = Unknown(f"User={name} of {unit} depends on its instance")
        return User(uid=why, name=why, groups=why, is_asker=False, session=session)
    own: Fact[int]
    if is_yes(options, "DynamicUser"):
        account, own = None, Unknown(f"{unit} gets a user id when it starts")
        gids: tuple[int, ...] = ()
    else:
        own, account = _resolved(host, name)
        primary = _group(host, group) if group else account.gid if account else None
        gids = () if primary is None else (primary,)
        if account is not None and primary is not None:
            known = ask(host.database_groups, account.name, primary)
            gids = gids if isinstance(known, Unknown) else known
    gids = tuple(dict.fromkeys((*gids, *(_group(host, one) for one in more))))
    groups = (*named_groups(host, gids), *_groups_of_its_own(options, unit))
    return User(
        uid=own,
        name=account.name if account else None,
        groups=groups,
        database_groups=groups,
        overrides_permissions=_overrides(options, own),
        is_asker=False,
        session=session,
    )


def _groups_of_its_own(options: dict[str, tuple[str, ...]], unit: str) -> tuple[Group, ...]:
    """Return the group that DynamicUser= makes; no node can belong to it."""
    own = Group(gid=-1, name=unit.removesuffix(_SERVICE))
    return (own,) if is_yes(options, "DynamicUser") else ()


def _overrides(options: dict[str, tuple[str, ...]], uid: Fact[int]) -> bool:
    """Return whether the service has CAP_DAC_OVERRIDE, which only root starts with."""
    bounds = " ".join(options.get("CapabilityBoundingSet", ()))
    named = "CAP_DAC_OVERRIDE" in bounds.upper().split() or "~CAP_DAC_OVERRIDE" in bounds.upper()
    taken = named if bounds.startswith("~") else bool(bounds) and not named
    return uid == 0 and not taken


def _similar(name: str, names: Fact[tuple[str, ...]]) -> list[str]:
    return difflib.get_close_matches(name, listed(names), n=3)


def _nobody(reference: str, message: str, close: list[str]) -> ClprobeError:
    usual = "Give a log-in name, a user id, UID:GID,GID… or NAME.service."
    hint = f"Did you mean {' or '.join(close)}?" if close else usual
    return ClprobeError(reference=reference, message=message, hint=hint)


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
    names = (name for folder in FOLDERS for name in ask_names(host.list_folder, folder))
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
        for name in ask_names(host.list_folder, f"{folder}/{unit}.d"):
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
