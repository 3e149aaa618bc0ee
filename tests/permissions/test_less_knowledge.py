# SPDX-License-Identifier: MIT
"""Less knowledge may leave the answer open; it never turns it round."""

import random

import pytest
from msgspec.structs import replace

from clprobe.facts.permissions.kernel import READ, WRITE, admits, deciding
from clprobe.facts.permissions.prediction import predicted_errno
from clprobe.model.access import Folder
from clprobe.model.hardware import DeviceNode
from clprobe.model.system import Group, ServiceUnit, System, User, Virtualization
from clprobe.model.unknown import Unknown

REFUSED = Unknown("permission denied")
NUMBERS = (0, 44, 109, 1000, 65534)
RIGHTS = ("---", "r--", "-w-", "rw-")
RIGHTS_BY_BITS = ("---", "-w-", "r--", "rw-")
CASES = 3000


def _node(pick: random.Random) -> DeviceNode:
    acl: tuple[str, ...] = ()
    mask = pick.choice(RIGHTS)
    if pick.random() < 0.5:
        users = [f"user:{n}:{pick.choice(RIGHTS)}" for n in pick.sample(NUMBERS[1:], 2)]
        groups = [f"group:{n}:{pick.choice(RIGHTS)}" for n in pick.sample(NUMBERS, 2)]
        own = [f"group::{pick.choice(RIGHTS)}", f"mask::{mask}"]
        acl = (*users, *groups, *own)
    # With an access list, the group bits of a mode are its mask.
    mode = f"0{pick.choice('0246')}{2 * RIGHTS_BY_BITS.index(mask)}{pick.choice('0246')}"
    folder = Folder(path="/dev/dri", uid=0, gid=pick.choice(NUMBERS),
                    mode=pick.choice(("0755", "0750", "0700", "0711")), acl=())  # fmt: skip
    return DeviceNode(
        path="/dev/dri/renderD128", kind="render", uid=pick.choice(NUMBERS),
        gid=pick.choice(NUMBERS), mode=mode, acl=acl, nodev=pick.random() < 0.1,
        closed_folders=(folder,) if pick.random() < 0.3 else (),
        device_error=pick.choice((None, "ENXIO")),
    )  # fmt: skip


def _user(pick: random.Random) -> User:
    groups = tuple(Group(gid=gid) for gid in pick.sample(NUMBERS, pick.randint(0, 3)))
    return User(uid=pick.choice(NUMBERS), name=None, groups=groups,
                overrides_permissions=pick.random() < 0.2)  # fmt: skip


def _system(pick: random.Random) -> System:
    unit = ServiceUnit()
    if pick.random() < 0.2:
        allowed = pick.choice(((), ("char-drm rw",), ("/dev/dri/* r",)))
        unit = ServiceUnit(private_devices=pick.random() < 0.3, device_policy="closed",
                           device_allow=allowed)  # fmt: skip
    mapped = Virtualization(user_namespace=pick.random() < 0.3)
    return System(service_unit=unit, virtualization=mapped)


@pytest.mark.parametrize("seed", range(10))
def test_an_unknown_fact_never_turns_an_answer_round(seed: int) -> None:
    pick = random.Random(seed)  # noqa: S311 - the same cases in every run
    for _ in range(CASES // 10):
        node, user, system = _node(pick), _user(pick), _system(pick)
        whole = predicted_errno(node, user, system)
        if isinstance(whole, Unknown):
            continue  # a namespace hides it
        for name in ("uid", "gid", "mode", "acl", "closed_folders"):
            if name == "acl" and whole == "EACCES":
                continue  # entries that take rights away are too rare to suppose any
            less = predicted_errno(replace(node, **{name: REFUSED}), user, system)
            assert isinstance(less, Unknown) or less == whole, (name, node, user, system)
        for name in ("uid", "groups"):
            less = predicted_errno(node, replace(user, **{name: REFUSED}), system)
            assert isinstance(less, Unknown) or less == whole, (name, node, user, system)


@pytest.mark.parametrize("seed", range(10))
def test_with_all_facts_known_one_entry_decides(seed: int) -> None:
    pick = random.Random(seed)  # noqa: S311 - the same cases in every run
    for _ in range(CASES // 10):
        node, user = _node(pick), _user(pick)
        assert len(list(deciding(node, READ | WRITE, user))) == 1
        assert isinstance(admits(node, READ | WRITE, user), bool)
