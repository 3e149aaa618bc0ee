# SPDX-License-Identifier: MIT
"""What programs print by rules/tables/programs: whole runs give their facts, each line its own."""

import pytest
from pastes import contains, facts, read

from clprobe.knowledge.program_table import Program, Run
from clprobe.knowledge.tables import Tables

PROGRAMS = {one.program: one for one in Tables.load().programs()}
RUNS = [(name, number) for name, one in PROGRAMS.items() for number in range(len(one.runs))]


@pytest.mark.parametrize(("name", "number"), RUNS)
def test_a_run_gives_its_facts(name: str, number: int) -> None:
    run: Run = PROGRAMS[name].runs[number]
    told = facts(run.prints)
    assert contains(told, run.gives), told


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=lambda one: one.program)
def test_lines_of_a_program_are_understood(program: Program) -> None:
    for line in program.lines:
        for example in line.examples if line.mark else ():
            named = f"$ {program.called[0]}\n{example}"
            assert read(named).unread == (), example


def _viewers(text: str) -> dict[str, object]:
    views = facts(text).get("views", ())
    return {view["viewer"]: view.get("answer") for view in views}


def test_several_programs_in_one_text_are_several_views() -> None:
    seen = _viewers(
        "$ clpeak\nPlatform: NVIDIA CUDA\n  Device: GeForce GTX 980\n"
        "$ darktable -d opencl\n[opencl_init] found 0 device\n"
    )
    assert set(seen) == {"clpeak", "darktable"}


def test_another_version_of_a_program_is_another_viewer() -> None:
    seen = _viewers(
        "$ ./hashcat -b\nhashcat (v6.0.0) starting\nclGetDeviceIDs(): CL_DEVICE_NOT_FOUND\n"
        "$ old/hashcat -I\nhashcat (v5.1.0) starting...\nOpenCL Platform ID #1\n"
        "  Name    : NVIDIA\n  Device ID #1\n    Type           : GPU\n"
    )
    assert set(seen) == {"hashcat", "hashcat 5.1.0"}


@pytest.mark.parametrize(
    "text",
    [
        "Why does it say No compatible GPUs found for Cycles?",
        "It prints: No usable GPUs found",
        "A Device: is what I want, and a Name: too.",
    ],
)
def test_words_that_somebody_asks_about_or_that_many_print_are_no_answer(text: str) -> None:
    assert "views" not in facts(f"{text}\n6.1.0-18-amd64")


def test_a_question_after_the_words_leaves_them_an_answer() -> None:
    text = "In Blender 3.0.0 it says no compatible GPUs found. Is a package missing?"
    assert _viewers(text) == {"blender": {"outcome": "no-devices", "printed": text}}


def test_a_sentence_around_the_words_is_left_to_whoever_reads_sentences() -> None:
    told = facts("I have Ubuntu 22.04 and there is No compatible GPUs found for Cycles, my friend.")
    assert told["system"]["distribution"]["version"] == "22.04"
    assert told["views"]


def test_a_program_that_runs_in_a_sandbox_sees_what_the_sandbox_shows() -> None:
    snapshot = read(
        "darktable flatpak: no devices\n\nOn the host, clinfo gives\n```\n"
        "Number of platforms 1\n  Platform Name  NVIDIA CUDA\nNumber of devices 1\n"
        "  Device Name  GTX 980\n  Device Type  GPU\n```\n\n[opencl_init] found 0 devices\n"
    )
    assert snapshot.system.virtualization.container == "flatpak"
    assert [view.viewer for view in snapshot.views] == ["darktable"]
    assert [one.where for one in snapshot.perspectives] == ["host"]


def test_lines_without_a_mark_count_between_others_of_the_program_alone() -> None:
    assert "views" not in facts("Name....: x\nType....: GPU\n6.1.0-18-amd64")
    assert "views" not in facts("```\nhashcat (v6.2.6) starting\n```\n```\nDevice ID #1\n```")


def test_a_program_that_is_asked_again_gives_another_answer() -> None:
    told = facts(
        "$ clpeak\nPlatform: NVIDIA CUDA\n  Device: GTX 980\n$ clpeak\nno platforms found\n"
    )
    assert told["views"][0]["answer"]["outcome"] == "no-devices"
    assert told["perspectives"][0]["facts"]["views"][0]["answer"]["platforms"]


def test_a_program_built_on_another_prints_its_lines_by_its_own_name() -> None:
    line = "ggml_opencl: selecting platform: 'Clover'"
    assert set(_viewers(f"whisper.cpp with -m ggml-tiny.bin says\n\n    {line}\n")) == {
        "whisper.cpp"
    }
    assert set(_viewers(f"whisper.cpp, as llama.cpp, says\n\n    {line}\n")) == {"llama.cpp"}


def test_a_platform_that_is_a_system_is_none_of_opencl() -> None:
    assert _viewers("Platform: Windows 11\nGPU: Intel Arc A770\n") == {}
