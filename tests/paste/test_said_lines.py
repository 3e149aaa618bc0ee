# SPDX-License-Identifier: MIT
"""Lines that say something by their form alone, and lines that say nothing of the machine."""

import pytest
from pastes import read

from clprobe.model.snapshot import Snapshot
from clprobe.model.statement import Statement
from clprobe.model.unknown import listed

POST = "Nothing but a title\n\n{text}\n\n6.1.0-18-amd64"


def said(text: str) -> tuple[Statement, ...]:
    return read(POST.format(text=text)).statements


def facts(text: str) -> Snapshot:
    return read(POST.format(text=text))


def told(text: str, *names: str) -> list[tuple[str, ...]]:
    return [tuple(str(getattr(one, name)) for name in names) for one in said(text)]


@pytest.mark.parametrize(
    ("text", "subject", "says"),
    [
        ("### Windows Build Number\n22631.1", "Windows Build Number", "22631.1"),
        ("Operating system\nDebian 12", "Operating system", "Debian 12"),
        ("### WSL Version\n- [X] WSL 2\n- [ ] WSL 1", "WSL Version", "WSL 2"),
        (
            "### Where did you install it from?\nsome packages of mine",
            "Where did you install it from?",
            "some packages of mine",
        ),
    ],
)
def test_a_value_below_its_heading_is_a_field(text: str, subject: str, says: str) -> None:
    fields = [(one.subject, one.says) for one in said(text) if one.what == "field"]
    assert fields == [(subject, says)]


@pytest.mark.parametrize(
    "text",
    [
        "### Steps to reproduce\nclinfo",
        "### Expected behavior of the driver\nFedora 40",
        "### Kernel version\n_No response_",
        "### The driver does not load\nFedora 40",
    ],
)
def test_what_stands_below_other_headings_is_no_value(text: str) -> None:
    assert [one for one in said(text) if one.what == "field"] == []


def test_settings_of_a_file_are_told_with_their_values() -> None:
    lines = (
        "  - TOOL_DEVICE_KIND=GPU",
        "  - TOOL_VENDOR=Some Company",
        'x = {DRIVER_NAME = "abc";};',
    )
    text = "\n".join(("```", *lines, "```"))
    assert [one.says for one in said(text) if one.what == "sets"] == [
        "TOOL_DEVICE_KIND=GPU",
        "TOOL_VENDOR=Some Company",
        "DRIVER_NAME=abc",
    ]


@pytest.mark.parametrize(
    "line",
    ["arm-oe-linux-g++ a.cpp -lOpenCL -o a", "./my_program", "make && make install", "cmake .."],
)
def test_a_command_among_sentences_is_told_whole(line: str) -> None:
    assert ("did", line) in told(f"So I did this:\n\n{line}\n\nIt fails.", "what", "says")


def test_a_command_with_a_word_behind_it_is_a_sentence() -> None:
    assert told("`make` gives an error", "what", "says") == [("shows", "make gives an error")]


def test_what_a_command_installs_is_installed() -> None:
    text = "```\nsudo apt install -y intel-opencl-icd demo-tool\n```"
    assert [one.subject for one in said(text) if one.what == "installed"] == [
        "intel-opencl-icd",
        "demo-tool",
    ]


@pytest.mark.parametrize(
    ("line", "name", "version"),
    [
        ("/builds/portage/x/demo-runtime-1.2.3/work/a.cpp", "demo-runtime", "1.2.3"),
        ("demo12_22.3.1+ci1_amd64.deb", "demo12", "22.3.1+ci1"),
        ("demo-libs-23.1-1.fc38.x86_64.rpm", "demo-libs", "23.1-1.fc38"),
        ("this is demotool 4.2.1", "demotool", "4.2.1"),
        ("Package: demo-bin\nPriority: optional\nVersion: 5.6-1", "demo-bin", "5.6-1"),
    ],
)
def test_a_version_stands_in_paths_files_and_paragraphs(line: str, name: str, version: str) -> None:
    assert ("version", name, version) in told(f"```\n{line}\n```", "what", "subject", "version")


def test_a_long_name_keeps_its_version() -> None:
    line = "NVIDIA Graphics Driver for Demos on WSL 551.23"
    assert [one for one in told(line, "what", "subject", "version") if one[0] == "version"] == [
        ("version", "NVIDIA Graphics Driver for Demos on WSL", "551.23")
    ]


def test_who_owns_a_file_is_told() -> None:
    line = "-rw-r----- 1 ann staff 52 Oct 11 08:54 demo.icd"
    assert ("is", "demo.icd", "-rw-r----- ann staff demo.icd") in told(
        f"```\n{line}\n```", "what", "subject", "says"
    )


def test_entries_of_a_list_are_told() -> None:
    text = "```\n  extraPackages = with pkgs; [\n    demo-ocl\n    demo-media # old\n  ];\n```"
    assert [one.subject for one in said(text) if one.what == "has"] == ["demo-ocl", "demo-media"]


def test_pairs_of_a_line_are_told_each() -> None:
    text = "```\n  Display: server: X.org 1.20 driver: loaded: vesa\n```"
    assert [(one.subject, one.says) for one in said(text) if one.what == "field"] == [
        ("server", "X.org 1.20"),
        ("driver", "vesa"),
    ]


def test_the_source_of_a_program_says_nothing() -> None:
    text = "```\n#include <CL/cl.h>\n  cl_uint count = 0;\nint main() {\n```"
    assert said(text) == ()


def test_a_comment_says_nothing() -> None:
    assert said("```\n# Driver version: 5.2, no GPU found\n```") == ()


@pytest.mark.parametrize(
    "text", ["I copied it to the root directory:\n\nclinfo shows 0 platforms."]
)
def test_the_root_directory_is_no_user(text: str) -> None:
    snapshot = facts(text)
    assert all(one.who != "root" for one in snapshot.statements)
    assert listed(snapshot.perspectives) == ()


def test_what_is_expected_is_no_fact() -> None:
    snapshot = facts(
        "### Expected behavior\nclinfo shows the NVIDIA CUDA platform\n\n"
        "### Actual behavior\nclinfo shows 0 platforms."
    )
    assert listed(snapshot.perspectives) == ()


def test_a_name_and_a_version_tell_no_manager() -> None:
    (package,) = listed(facts("```\nocl-icd 2.3.2-1\n```").packages)
    assert package.manager != "pacman"


def test_a_distributions_archive_is_no_ppa() -> None:
    assert listed(facts("I installed it from the Debian PPA.").package_sources) == ()


def test_what_lacks_a_file_is_not_removed() -> None:
    packages = listed(facts("libdemo.so is missing in intel-opencl-icd.").packages)
    assert all(one.state != "removed" for one in packages)


def test_what_came_instead_is_not_removed() -> None:
    packages = listed(facts("It was removed in favour of intel-opencl-icd.").packages)
    assert all(one.state != "removed" for one in packages)


def test_a_topic_is_no_deed() -> None:
    packages = listed(
        facts("### Installing nvidia-cuda-toolkit\nWho does that meets a clash.").packages
    )
    assert all(one.state != "installed" for one in packages)


def test_all_lines_of_a_sentence_that_is_read_are_read() -> None:
    text = (
        "Darktable freezes on this laptop as soon as a picture is opened in the\n"
        "darkroom, every time."
    )
    assert facts(text).unread == ("Nothing but a title",)


def test_a_sentence_of_which_nothing_is_said_is_listed() -> None:
    text = "Whichever way one turns the GPU around, quux upon frobnication of things."
    assert text in facts(text).unread


def test_lines_of_json_are_read_as_fields() -> None:
    told = said('```\n  "Profiles": [\n    "VaapiDriver": "iHD",\n  {"id": 2, "on": true}\n```')
    assert [(one.what, one.subject, one.says) for one in told if one.what == "field"] == [
        ("field", "VaapiDriver", "iHD"),
        ("field", "id", "2"),
        ("field", "on", "true"),
    ]


@pytest.mark.parametrize(
    "stamp",
    ["[2013-06-29 00:37:06] ", "00:37:06.123 INFO ", "2024-01-02T03:04:05Z ", "0.321075 "],
)
def test_a_stamp_before_a_line_does_not_hide_what_it_says(stamp: str) -> None:
    told = said(f"```\n{stamp}CL Platform 0 name: Intel(R) OpenCL\n```")
    assert [(one.what, one.subject, one.says) for one in told if one.what == "field"] == [
        ("field", "CL Platform 0 name", "Intel(R) OpenCL")
    ]


def test_a_line_with_a_time_is_no_sentence_though_no_fence_is_around_it() -> None:
    told = said("2024-01-02T03:04:05Z CL Platform 0 name: Intel(R) OpenCL")
    assert [(one.what, one.subject) for one in told] == [("field", "CL Platform 0 name")]


def test_a_prompt_may_have_a_right_side_and_no_user() -> None:
    told = said(f"```\nrock-5b:build:# clinfo -l{' ' * 40}<main>\n\u2570\u2500\u03bb ls /etc\n```")
    assert [(one.what, one.says, one.who) for one in told] == [
        ("did", "clinfo -l", "root"),
        ("did", "ls /etc", ""),
    ]
