# SPDX-License-Identifier: MIT
"""Whose view is whose: users, containers and times that meet in one text."""

from pastes import facts, read

CLPEAK = "Platform: Intel(R) OpenCL HD Graphics\n  Device: Intel(R) UHD Graphics 620"
CRASH = "Segmentation fault (core dumped)"
NO_PLATFORM = "clGetPlatformIDs failed: PLATFORM_NOT_FOUND_KHR"


def test_what_root_saw_becomes_a_perspective() -> None:
    told = facts(f"alice@box:~$ ./probe\n{NO_PLATFORM}\nroot@box:~# clpeak\n{CLPEAK}\n")
    assert told["views"][0]["answer"]["error_code"] == -1001
    (root,) = told["perspectives"]
    assert root["who"] == "root"
    assert root["facts"]["user"]["uid"] == 0
    assert root["facts"]["views"][0]["viewer"] == "clpeak"


def test_sudo_before_a_command_means_root() -> None:
    told = facts(f"$ ./probe\n{NO_PLATFORM}\n$ sudo ./clpeak\n{CLPEAK}\n")
    assert [one["who"] for one in told["perspectives"]] == ["root"]


def test_sudo_as_another_user_is_not_root() -> None:
    told = facts(f"$ sudo -u jellyfin clpeak\n{CLPEAK}\n")
    assert "perspectives" not in told
    assert told["views"][0]["viewer"] == "clpeak"


def test_what_does_not_depend_on_the_user_is_everybodys() -> None:
    told = facts(f"$ sudo lspci -n\n00:02.0 0300: 8086:5917\n$ clpeak\n{CLPEAK}\n")
    assert told["gpus"][0]["pci_id"] == "8086:5917"
    assert "perspectives" not in told


def test_a_paste_of_root_alone_is_roots_own_view() -> None:
    told = facts(f"root@box:~# clpeak\n{CLPEAK}\n")
    assert told["user"]["uid"] == 0
    assert "perspectives" not in told


ROOTS_SNAPSHOT = """\
{"schema": "clprobe.snapshot/1", "taken": "2026-11-27T10:00:00+00:00", "user": {"uid": 0},
 "icds": [{"path": "/etc/OpenCL/vendors/intel.icd", "library_name": "libigdrcl.so"}]}
"""


def test_roots_snapshot_is_the_host_that_its_sender_speaks_of() -> None:
    told = facts(f"```\n{ROOTS_SNAPSHOT}```\n\nhashcat -I shows no GPU.\n")
    assert told["user"]["uid"] == 0
    assert [one["path"] for one in told["icds"]] == ["/etc/OpenCL/vendors/intel.icd"]
    assert "perspectives" not in told


def test_roots_snapshot_stands_beside_what_a_user_is_shown_to_see() -> None:
    listed = "$ id\nuid=1000(alice) gid=1000(alice) groups=1000(alice)\n"
    told = facts(f"```\n{ROOTS_SNAPSHOT}```\n{listed}$ ./probe\n{NO_PLATFORM}\n")
    assert told["user"]["uid"] == 1000
    assert [one["who"] for one in told["perspectives"]] == ["root"]


def test_headings_say_who_ran_the_block_below_them() -> None:
    text = f"As user:\n```\n{NO_PLATFORM}\n```\nAs root:\n```\n$ clpeak\n{CLPEAK}\n```\n"
    told = facts(text)
    assert [one["who"] for one in told["perspectives"]] == ["root"]
    assert told["views"][0]["answer"]["error_code"] == -1001


def test_a_heading_in_markdown_is_no_prompt_of_root() -> None:
    told = facts(f"# clpeak\n```\n{CLPEAK}\n```\n")
    assert "user" not in told
    assert told["views"][0]["viewer"] == "clpeak"


def test_the_container_is_the_snapshot_and_the_host_a_perspective() -> None:
    text = (
        f"Inside the container:\n```\n{NO_PLATFORM}\n```\n"
        f"On the host:\n```\n$ clpeak\n{CLPEAK}\n$ uname -r\n6.1.0-18-amd64\n```\n"
    )
    told = facts(text)
    assert told["views"][0]["answer"]["error_code"] == -1001
    (host,) = told["perspectives"]
    assert host["where"] == "host"
    assert host["facts"]["views"][0]["viewer"] == "clpeak"


def test_container_and_host_share_hardware_and_linux() -> None:
    text = (
        f"$ docker exec -it x clpeak\n{NO_PLATFORM}\n"
        "On the host:\n```\n$ lspci -n\n00:02.0 0300: 8086:5917\n$ uname -r\n6.1.0-18-amd64\n```\n"
    )
    told = facts(text)
    assert told["system"]["virtualization"]["container"] == "docker"
    assert told["system"]["linux"]["release"] == "6.1.0-18-amd64"
    assert told["gpus"][0]["pci_id"] == "8086:5917"


def test_a_prompt_with_a_container_id_is_the_container() -> None:
    listing = "crw-rw---- 1 root 109 226, 128 Mar  3 12:00 renderD128"
    text = f"root@3f2a1b4c5d6e:/# ls -l /dev/dri\n{listing}\nme@box:~$ clpeak\n{CLPEAK}\n"
    told = facts(text)
    assert told["device_nodes"][0]["gid"] == 109


def test_two_values_of_one_fact_are_both_kept() -> None:
    told = facts("$ uname -r\n6.8.0-31-generic\n$ uname -r\n6.5.0-44-generic\n")
    assert told["system"]["linux"]["release"] == "6.8.0-31-generic"
    (other,) = told["perspectives"]
    assert other["when"] == "another time"
    assert other["facts"]["system"]["linux"]["release"] == "6.5.0-44-generic"


def test_what_is_said_twice_is_one_fact() -> None:
    text = "- Kernel: 6.8\n\n$ uname -r\n6.8.0-51-generic\n"
    told = facts(text)
    assert told["system"]["linux"]["release"] == "6.8.0-51-generic"
    assert "perspectives" not in told


def test_before_and_after_an_upgrade_are_two_times() -> None:
    text = f"Before the upgrade:\n```\n$ clpeak\n{CLPEAK}\n```\nNow:\n```\n$ clpeak\n{CRASH}\n```\n"
    told = facts(text)
    assert told["views"][0]["answer"]["outcome"] == "crash"
    (before,) = told["perspectives"]
    assert before["when"] == "before"


def test_a_silent_clinfo_list_has_seen_no_platform() -> None:
    text = f"me@box:~$ clinfo --list\nme@box:~$ sudo clpeak\n{CLPEAK}\n"
    told = facts(text)
    assert told["views"] == [{"viewer": "clinfo", "answer": {"platforms": ()}}] or told["views"][0][
        "answer"
    ] == {"platforms": ()}
    assert told["perspectives"][0]["who"] == "root"


def test_a_filtered_listing_is_an_excerpt_and_a_whole_one_is_not() -> None:
    one = "00:02.0 VGA compatible controller: Intel Corporation UHD Graphics 620"
    filtered = read(f"$ lspci | grep VGA\n{one}\n")
    every_display = read(f"$ lspci | grep -E 'VGA|3D|Display'\n{one}\n")
    assert "gpus" in filtered.excerpts
    assert "gpus" not in every_display.excerpts


def test_a_listing_of_dri_says_nothing_of_nvidias_nodes() -> None:
    listing = "$ ls -l /dev/dri\ncrw-rw---- 1 root render 226, 128 Mar  3 12:00 renderD128\n"
    nvidia = "01:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA106 [10de:2503]\n"
    assert "device_nodes" not in read(listing).excerpts
    assert "device_nodes" in read(listing + "$ lspci -nn | grep VGA\n" + nvidia).excerpts


def test_an_access_list_that_is_only_marked_leaves_the_rights_open() -> None:
    node = facts("crw-rw----+ 1 root render 226, 128 Mar  3 12:00 renderD128")["device_nodes"][0]
    assert "unknown" in node["acl"]


def test_a_name_in_a_form_and_lspci_are_one_gpu() -> None:
    text = (
        "- GPU: Intel Arc A770\n\n"
        "03:00.0 VGA compatible controller [0300]: Intel Corporation DG2 [Arc A770] [8086:56a0]\n"
    )
    assert len(facts(text)["gpus"]) == 1


def test_a_library_and_the_icd_file_that_names_it_are_one_icd() -> None:
    text = (
        "$ cat /etc/OpenCL/vendors/intel.icd\n/opt/libigdrcl.so\n"
        "$ ldd /opt/libigdrcl.so\n\tlibigdgmm.so.12 => not found\n"
    )
    (icd,) = facts(text)["icds"]
    assert icd["path"] == "/etc/OpenCL/vendors/intel.icd"
    assert icd["library"]["missing_dependencies"] == ("libigdgmm.so.12",)


def test_lines_that_nobody_understands_are_listed() -> None:
    snapshot = read("6.1.0-18-amd64\nfrobnicating the quux\n")
    assert snapshot.unread == ("frobnicating the quux",)


def test_complaints_of_programs_become_messages() -> None:
    told = facts("6.1.0-18-amd64\nigc: error: cannot load libopencl-clang.so.14\n")
    assert told["messages"] == ("igc: error: cannot load libopencl-clang.so.14",)
    assert "unread" not in told


def test_a_run_that_failed_is_the_matter_and_one_that_worked_stands_beside_it() -> None:
    told = facts(f"$ clpeak\n{CLPEAK}\n\nand a day later\n\n$ clpeak\n{NO_PLATFORM}\n")
    assert told["views"][0]["answer"]["error_code"] == -1001
    assert "error_code" not in told["perspectives"][0]["facts"]["views"][0]["answer"]
