# SPDX-License-Identifier: MIT
"""People and hosts lose their names wherever they stand; who is whom can still be told."""

from typing import Any

import msgspec
import pytest

from clprobe.model.codec import snapshot_to_json
from clprobe.model.measurement import BenchReport, Result
from clprobe.model.snapshot import Snapshot
from clprobe.scrub import Known, Person, known_in_text, scrub, scrub_document

_KNOWN = Known(
    people=(
        Person(name="mallory", uid=1000, home="/home/mallory", real_name="Mallory Kanarienvogel"),
        Person(name="jürgen", uid=1001, home="/srv/staff/jürgen", real_name="Jürgen Zeisig"),
        Person(name="lab", uid=1003, real_name="GPU Lab van Account"),
        Person(name="mark", uid=1002, home="/home/mark", real_name="Mark Will"),
    ),
    host_names=("canary-bird.corp.example.net",),
    identifiers={"AB54321098": "serial", "525400abcdef": "mac-address"},
)


def _scrubbed(**facts: Any) -> dict[str, Any]:
    snapshot = scrub(msgspec.convert(facts, Snapshot), known=_KNOWN)
    assert scrub(snapshot, known=_KNOWN) == snapshot
    return dict(msgspec.to_builtins(snapshot))


def _message(text: str) -> str:
    return str(_scrubbed(messages=[text])["messages"][0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mallory: permission denied", "user: permission denied"),
        ("MALLORY and Kanarienvogel", "user and user"),
        ("/var/pocl_mallory_cache/mallory-1", "/var/pocl_user_cache/user-1"),
        ("/media/mallory/disk /run/media/mark/x", "/media/user/disk /run/media/user4/x"),
        ("/srv/staff/jürgen/lib", "/home/user2/lib"),
        ("Jürgen Zeisig wrote", "user2 wrote"),
        ("/home/eve/x.icd of /home/mark", "/home/user5/x.icd of /home/user4"),
        ("C:\\Users\\mallory\\x", "C:\\Users\\user\\x"),
        ("on canary-bird: bird.corp.example.net", "on host: bird.domain"),
        ("canary-bird.corp.example.net", "host"),
        ("/dev/mapper/canary--bird--vg-root", "/dev/mapper/host--vg-root"),
        ("mallory@canary-bird:~$ clinfo", "user@host:~$ clinfo"),
        ("eve@elsewhere:~$ clinfo", "user5@host:~$ clinfo"),
        ("board ab54321098, 525400ABCDEF", "board removed-serial, removed-mac"),
    ],
)
def test_a_name_is_replaced_in_free_text(text: str, expected: str) -> None:
    assert _message(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "mark the page; it will fail",  # words that are names, too
        "the account van of the lab has a gpu",
        "mallory2 and canary-birds",  # other words
        "root@localhost: /root/lib",
        "uid=1000 gid=1000",
        "Folding@home finds no GPU, Einstein@Home does",
    ],
)
def test_words_that_only_look_like_a_name_stay(text: str) -> None:
    assert _message(text) == text


def test_owners_groups_and_access_lists_keep_who_is_whom() -> None:
    scrubbed = _scrubbed(
        user={
            "uid": 1000,
            "name": "mallory",
            "groups": [{"gid": 1000, "name": "mallory"}, {"gid": 2000, "name": "lab-gpu"}],
            "database_groups": [{"gid": 1001, "name": "jürgen"}, {"gid": 44, "name": "video"}],
        },
        device_nodes=[
            {
                "path": "/dev/dri/renderD128",
                "uid": 1002,
                "owner": "mark",
                "gid": 2000,
                "group": "lab-gpu",
                "acl": ["user:mallory:rw-", "user:eve:r--", "group:render:rw-", "mask::rw-"],
                "closed_folders": [{"path": "/dev", "uid": 1001, "owner": "jürgen"}],
            }
        ],
        perspectives=[{"who": "jürgen", "facts": {"user": {"uid": 1001, "name": "jürgen"}}}],
    )
    node = scrubbed["device_nodes"][0]
    assert [group["name"] for group in scrubbed["user"]["groups"]] == ["user", "lab-gpu"]
    assert [group["name"] for group in scrubbed["user"]["database_groups"]] == ["user2", "video"]
    assert (node["owner"], node["group"]) == ("user4", "lab-gpu")
    assert list(node["acl"]) == ["user:user:rw-", "user:user5:r--", "group:render:rw-", "mask::rw-"]
    assert node["closed_folders"][0]["owner"] == "user2"
    assert scrubbed["perspectives"][0]["who"] == "user2"
    assert scrubbed["perspectives"][0]["facts"]["user"] == {"uid": 1001, "name": "user2"}


def test_names_in_an_icd_text_read_as_latin_1_are_found() -> None:
    text = "/opt/jürgen/libx.so".encode().decode("latin-1")
    scrubbed = _scrubbed(icds=[{"path": "/etc/OpenCL/vendors/x.icd", "text": text}])
    assert scrubbed["icds"][0]["text"] == "/opt/user2/libx.so"


def test_variables_of_others_go_and_secrets_in_ours_too() -> None:
    scrubbed = _scrubbed(
        environment={
            "LD_LIBRARY_PATH": "/home/mallory/lib:/opt/canary-bird/lib",
            "DISPLAY": "canary-bird:10.0",
            "OCL_ICD_API_TOKEN": "short",
            "POCL_CACHE_DIR": "/x?token=short",
            "OCL_ICD_VENDORS": None,
            "AWS_SECRET_ACCESS_KEY": "short",
        }
    )
    assert scrubbed["environment"] == {
        "LD_LIBRARY_PATH": "/home/user/lib:/opt/host/lib",
        "DISPLAY": "set",
        "OCL_ICD_API_TOKEN": "removed-token",
        "POCL_CACHE_DIR": "/x?token=removed-token",
        "OCL_ICD_VENDORS": None,
    }
    assert scrubbed["scrubbed"]["environment-variable"] == 1


def test_a_host_called_like_a_distribution_changes_no_fact() -> None:
    known = Known(host_names=("debian",), people=(Person(name="intel", uid=1000),))
    facts = {
        "system": {"distribution": {"id": "debian"}},
        "packages": [{"name": "intel-opencl-icd", "version": "24.35.30872.22"}],
        "gpus": [{"name": "intel HD Graphics", "pci_id": "8086:5916"}],
    }
    snapshot = msgspec.convert(facts, Snapshot)
    assert scrub(snapshot, known=known) == snapshot


def test_a_person_who_is_called_user_keeps_that_name_alone() -> None:
    facts = {"user": {"uid": 1000, "name": "mallory"}, "messages": ["/home/user/x /home/mallory/x"]}
    scrubbed = scrub(msgspec.convert(facts, Snapshot))
    assert scrubbed.user.name == "user2"
    assert scrubbed.messages == ("/home/user/x /home/user2/x",)


def test_a_pasted_text_gives_its_people_and_hosts_away() -> None:
    text = (
        "[eve@canary ~]$ id\nuid=1000(eve) gid=1000(eve)\n"
        "Linux canary2 6.8.0-51-generic #52-Ubuntu SMP\n"
        "Nov 21 10:00:00 canary3 kernel: i915 0000:00:02.0: wedged\n/home/adam/x\n"
    )
    known = known_in_text(text)
    assert {person.name for person in known.people} == {"eve", "adam"}
    assert set(known.host_names) == {"canary", "canary2", "canary3"}
    scrubbed = snapshot_to_json(scrub(Snapshot(messages=(text,)), known=known))
    assert not any(name in scrubbed for name in ("eve", "adam", "canary"))


def test_what_a_driver_printed_is_scrubbed_in_a_report_of_bench() -> None:
    outcome = Result(
        device="Fixture GPU of mallory",
        workload="matmul",
        metric="throughput",
        unit="GFLOP/s",
        median=None,
        ci95=None,
        samples=0,
        status="error",
        detail="it printed: /home/mallory/libx.so at canary-bird, 203.0.113.77, driver 31.0.101.44",
    )
    host: dict[str, str | int | None] = {"linux": "6.8.0-51-generic", "torch": "2.13.0+cpu"}
    report = BenchReport(host=host, baseline="numpy", results=(outcome,), training=(), verdicts=())
    changed = msgspec.convert(scrub_document(msgspec.to_builtins(report), _KNOWN), BenchReport)
    assert changed.host == host
    assert changed.results[0] == msgspec.structs.replace(
        outcome,
        device="Fixture GPU of user",
        detail="it printed: /home/user/libx.so at host, removed-ip, driver 31.0.101.44",
    )
