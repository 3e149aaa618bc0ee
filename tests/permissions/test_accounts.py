# SPDX-License-Identifier: MIT
"""Who is meant by --as: accounts, numbers, services, and those that do not exist."""

from pathlib import Path
from typing import Any

import pytest
from invented import invented_host

from clprobe.model.errors import ClprobeError
from clprobe.model.system import Group
from clprobe.model.unknown import Unknown
from clprobe.probe.accounts import find_account, read_service

ACCOUNTS: dict[str, Any] = {
    "account": {
        "alice": {"name": "alice", "uid": 1000, "gid": 1000},
        "jellyfin": {"name": "jellyfin", "uid": 112, "gid": 118},
        "root": {"name": "root", "uid": 0, "gid": 0},
        "alcie": None, "jellyfinn": None, "jellyfin.servce": None, "jelly": None,
    },
    "account_names": {"": ["root", "alice", "jellyfin"]},
    "user_name": {"1000": "alice", "112": "jellyfin", "4711": None, "0": "root"},
    "group_id": {"render": 109, "video": 44, "jellyfin": 118, "rendre": None},
    "group_names": {"": ["root", "video", "render", "jellyfin"]},
    "group_name": {"1000": "alice", "109": "render", "44": "video", "118": "jellyfin", "0": "root",
                   "77": None},
    "database_groups": {"alice 1000": [1000, 44], "jellyfin 118": [118], "root 0": [0],
                        "jellyfin 44": [44]},
    "list_folder": {"/usr/lib/systemd/system": ["jelly.service", "jellyfin.service", "x.socket"]},
}  # fmt: skip


def _groups(found: Any) -> list[int]:
    return [group.gid for group in found.user.groups]


@pytest.mark.parametrize(
    ("text", "uid", "groups"),
    [
        ("alice", 1000, [1000, 44]),
        ("1000", 1000, [1000, 44]),
        ("4711:77", 4711, [77]),
        ("alice:render", 1000, [109]),
        ("1000:1000,render,44,44", 1000, [1000, 109, 44]),
        ("root", 0, [0]),
    ],
)
def test_names_and_numbers_give_a_user_with_groups(
    tmp_path: Path, text: str, uid: int, groups: list[int]
) -> None:
    found = find_account(invented_host(tmp_path, ACCOUNTS), text)
    assert (found.user.uid, _groups(found)) == (uid, groups)
    assert found.user.is_asker is False
    assert found.user.database_groups == found.user.groups
    assert isinstance(found.user.session.kind, Unknown)
    assert found.unit.name is None


def test_a_number_without_an_account_has_unknown_groups(tmp_path: Path) -> None:
    found = find_account(invented_host(tmp_path, ACCOUNTS), "4711")
    assert isinstance(found.user.groups, Unknown)
    assert "--as 4711:GID" in found.user.groups.unknown


def test_a_group_without_a_name_stays_a_number(tmp_path: Path) -> None:
    found = find_account(invented_host(tmp_path, ACCOUNTS), "4711:77")
    assert found.user.groups == (Group(gid=77, name=None),)


@pytest.mark.parametrize(
    ("text", "reference", "hint"),
    [
        ("alcie", "no-such-user", "alice"),
        ("jelly", "no-such-user", "jelly.service"),
        ("alice:rendre", "no-such-group", "render"),
        ("jellyfinn.service", "no-such-service", "jellyfin.service"),
        ("../../passwd.service", "no-such-service", "log-in name"),
        ("", "no-such-user", "log-in name"),
        ("99999999999", "no-such-user", "log-in name"),
        ("alice:99999999999", "no-such-group", "log-in name"),
        ("alice:", "no-such-group", "log-in name"),
    ],
)
def test_whoever_does_not_exist_is_named_with_similar_names(
    tmp_path: Path, text: str, reference: str, hint: str
) -> None:
    with pytest.raises(ClprobeError) as caught:
        find_account(invented_host(tmp_path, ACCOUNTS), text)
    assert caught.value.reference == reference
    assert hint in caught.value.hint


def _service(tmp_path: Path, **files: str) -> Any:
    folder = "/usr/lib/systemd/system"
    answers = {**ACCOUNTS, "read": {f"{folder}/jellyfin.service": files.pop("unit")}}
    listings = dict(ACCOUNTS["list_folder"])
    for number, text in enumerate(files.values()):
        place = f"/etc/systemd/system/jellyfin.service.d/{number}.conf"
        answers["read"][place] = text
        listings.setdefault(place.rpartition("/")[0], []).append(f"{number}.conf")
    return invented_host(tmp_path, {**answers, "list_folder": listings})


def test_a_service_runs_as_its_unit_says(tmp_path: Path) -> None:
    host = _service(
        tmp_path,
        unit="[Unit]\nUser=alice\n[Service]\nUser=jellyfin\nDeviceAllow=char-drm rw\n",
        drop_in="[Service]\nSupplementaryGroups=video \\\n render\nDevicePolicy=closed\n",
    )
    found = find_account(host, "jellyfin.service")
    assert (found.user.uid, _groups(found)) == (112, [118, 44, 109])
    assert (found.unit.device_policy, found.unit.device_allow) == ("closed", ("char-drm rw",))
    assert found.unit.private_devices is False
    assert found.user.session.kind == "service"


@pytest.mark.parametrize(
    ("line", "told"), [("ProtectSystem=strict", "strict"), ("PrivateTmp=yes", "no")]
)
def test_a_unit_tells_which_folders_it_may_not_write(tmp_path: Path, line: str, told: str) -> None:
    host = _service(tmp_path, unit=f"[Service]\nUser=jellyfin\n{line}\n")
    assert find_account(host, "jellyfin.service").unit.protect_system == told


def test_an_empty_value_clears_a_list_and_later_values_win(tmp_path: Path) -> None:
    host = _service(
        tmp_path,
        unit="[Service]\nUser=alice\nGroup=video\nSupplementaryGroups=video\nPrivateDevices=yes\n",
        first="[Service]\nSupplementaryGroups=\nUser=jellyfin\n",
        second="[Service]\nSupplementaryGroups=render\nPrivateDevices=no\n# User=root\n",
    )
    found = find_account(host, "jellyfin.service")
    assert (found.user.name, _groups(found)) == ("jellyfin", [44, 109])
    assert found.unit.private_devices is False


def test_a_service_without_user_is_root_and_may_lack_its_power(tmp_path: Path) -> None:
    usual = find_account(_service(tmp_path, unit="[Service]\n"), "jellyfin.service").user
    assert (usual.uid, usual.overrides_permissions) == (0, True)
    for line in ("CAP_NET_ADMIN CAP_CHOWN", "~CAP_DAC_OVERRIDE"):
        unit = f"[Service]\nCapabilityBoundingSet={line}\n"
        bound = find_account(_service(tmp_path, unit=unit), "jellyfin.service").user
        assert (bound.uid, bound.overrides_permissions) == (0, False)


def test_a_dynamic_user_is_in_no_group_but_those_of_the_unit(tmp_path: Path) -> None:
    unit = "[Service]\nDynamicUser=yes\nSupplementaryGroups=render\n"
    found = find_account(_service(tmp_path, unit=unit), "jellyfin.service")
    assert isinstance(found.user.uid, Unknown)
    assert 109 in _groups(found)
    assert 0 not in _groups(found)


def test_a_template_s_unit_serves_its_instances(tmp_path: Path) -> None:
    answers = {"read": {"/etc/systemd/system/web@.service": "[Service]\nUser=%i\n"},
               "list_folder": {}}  # fmt: skip
    host = invented_host(tmp_path, {**ACCOUNTS, **answers})
    assert read_service(host, "web@alice.service") == {"User": ("%i",)}
    assert isinstance(find_account(host, "web@alice.service").user.uid, Unknown)


def test_control_characters_of_a_name_do_not_reach_the_message_raw(tmp_path: Path) -> None:
    host = invented_host(tmp_path, {**ACCOUNTS, "account": {"a\x1b[2Jb": None}})
    with pytest.raises(ClprobeError) as caught:
        find_account(host, "a\x1b[2Jb")
    assert "\x1b" not in caught.value.message
