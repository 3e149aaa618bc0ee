# SPDX-License-Identifier: MIT
"""Which of doctor's remedies become steps, and what is left to the person."""

import pytest
from msgspec.structs import replace

from clprobe.commands.commands import remedy, step
from clprobe.install.fixes import fixes
from clprobe.model.action import (
    Advise,
    Install,
    JoinGroup,
    LoadModule,
    Look,
    PutAside,
    Reinstall,
    Remove,
    SeePlan,
    SetVariable,
)
from clprobe.model.finding import Diagnosis, Finding
from clprobe.model.mending import Complete, ReloadModule, RepairPackages, RestartWsl, Show
from clprobe.model.plan import Route

ASIDE = PutAside(path="/etc/OpenCL/vendors/x.icd")


def finding(*remedies, **fields):
    told = {"verdict": "present", "severity": "error", **fields}
    return Finding(id="x", subject="", title="X", because="", remedies=remedies, **told)


def way(action, *, then=False, takes_effect="at once"):
    return replace(remedy(f"Do {type(action).__name__}", action, takes_effect), then=then)


def route(*steps):
    return Route(
        rank=1,
        backend="pocl",
        stack=None,
        uses_gpu=False,
        status="supported",
        because="It is a test.",
        components=(),
        steps=steps,
    )


def fixed(*findings, best=None, here=lambda one: one, done=()):
    found = Diagnosis(status="problems", root_cause=None, findings=findings, drivers=(), devices=())
    return fixes(found, lambda _: best, here, lambda one: one.argv in done)


def actions(fix):
    return [one.action for one in fix.steps]


def test_the_first_that_a_machine_can_carry_out_counts():
    (fix,) = fixed(
        finding(way(SetVariable(name="A", value="b")), way(ASIDE), way(LoadModule(module="i915")))
    )
    assert actions(fix) == [ASIDE]
    assert fix.by_hand == ()


@pytest.mark.parametrize(
    "action",
    [
        Advise(),
        Complete(argv=("usermod", "-aG", "GROUP", "me"), holes=(("GROUP", "it"),)),
        Show(argv=("ls", "-l")),
        Remove(manager="apt", packages=("beignet",)),
        Reinstall(manager="pip", package="pyopencl"),
        RepairPackages(manager="apt"),
        ReloadModule(module="nvidia_uvm"),
        RestartWsl(),
        SeePlan(goal="opencl"),
    ],
    ids=lambda action: type(action).__name__,
)
def test_what_only_a_person_can_do_is_listed_and_never_a_step(action):
    (fix,) = fixed(finding(way(action)))
    assert fix.steps == ()
    assert fix.by_hand[0].startswith(f"Do {type(action).__name__}")


def test_what_comes_after_is_done_up_to_the_first_that_a_person_must_do():
    module = LoadModule(module="i915")
    (fix,) = fixed(
        finding(
            way(ASIDE),
            way(module, then=True),
            way(Advise(), then=True),
            way(LoadModule(module="xe"), then=True),
        )
    )
    assert actions(fix) == [ASIDE, module]
    assert fix.by_hand == ("Do Advise", "Do LoadModule: sudo modprobe xe")


def test_nothing_is_done_after_what_a_person_must_do_first():
    (fix,) = fixed(finding(way(Advise()), way(ASIDE, then=True)))
    assert fix.steps == ()
    assert [one.partition(":")[0] for one in fix.by_hand] == ["Do Advise", "Do PutAside"]


@pytest.mark.parametrize(
    "fields", [{"caused_by": "y"}, {"severity": "note"}, {"verdict": "undetermined"}]
)
def test_consequences_notes_and_suspects_are_left_alone(fields):
    assert fixed(finding(way(ASIDE), **fields)) == ()


def test_several_findings_share_one_step():
    first, second = fixed(finding(way(ASIDE)), finding(way(ASIDE)))
    assert (actions(first), actions(second), second.by_hand) == ([ASIDE], [], ())


def test_groups_are_joined_one_by_one_so_that_each_can_be_left():
    (fix,) = fixed(finding(way(JoinGroup(user="me", group="render,video"))))
    assert [one.undo for one in fix.steps] == [
        ("gpasswd", "-d", "me", "render"),
        ("gpasswd", "-d", "me", "video"),
    ]


def test_the_index_is_read_before_packages_come():
    (fix,) = fixed(finding(way(Install(manager="apt", packages=("ocl-icd-libopencl1",)))))
    assert [one.argv[-1] for one in fix.steps] == ["update", "ocl-icd-libopencl1"]
    (fix,) = fixed(finding(way(Install(manager="dnf", packages=("ocl-icd",)))))
    assert len(fix.steps) == 1


def test_a_remedy_that_sends_to_a_plan_becomes_its_steps_without_the_look():
    wanted = step("Install it", Install(manager="dnf", packages=("pocl",)))
    (fix,) = fixed(finding(way(SeePlan(goal="opencl"))), best=route(wanted, step("Look", Look())))
    assert fix.steps == (wanted,)


def test_a_path_that_is_not_safe_is_told_and_the_next_remedy_taken():
    module = LoadModule(module="i915")

    def here(one):
        return "others can write to /tmp" if isinstance(one.action, PutAside) else one

    (fix,) = fixed(finding(way(ASIDE), way(module)), here=here)
    assert actions(fix) == [module]
    (fix,) = fixed(finding(way(ASIDE)), here=here)
    assert fix.by_hand == ("Do PutAside (left to you: others can write to /tmp)",)


def test_what_was_done_and_did_not_help_gives_way_to_the_next():
    again = Reinstall(manager="apt", package="pocl-opencl-icd")
    done = {step("x", again).argv}
    (fix,) = fixed(finding(way(again), way(ASIDE)), done=done)
    assert actions(fix) == [ASIDE]
    (fix,) = fixed(finding(way(again)), done=done)
    assert fix.by_hand == ("Do Reinstall: already done, but it did not help",)


def test_what_waits_for_a_new_session_is_not_followed_by_another_remedy():
    join = JoinGroup(user="me", group="render")
    later = way(join, takes_effect="after logging out and in again")
    (fix,) = fixed(finding(later, way(ASIDE)), done={step("x", join).argv})
    assert fix.steps == ()
    assert fix.by_hand == (
        "Do JoinGroup: already done; takes effect after logging out and in again",
    )
