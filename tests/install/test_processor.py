# SPDX-License-Identifier: MIT
"""A PoCL whose LLVM does not know the processor is no route where that processor is known."""

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from clprobe.bench.targets import targets_of
from clprobe.cli.main import cli
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.derive import derive
from clprobe.facts.inventory import take_inventory
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described, of_snapshot
from clprobe.knowledge.tables import Tables
from clprobe.model.action import Goal
from clprobe.model.errors import ClprobeError
from clprobe.model.opencl import Answer, Device, Icd, Platform
from clprobe.model.plan import InstallPlan
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Cpu, Distribution, System

TABLES = Tables.load()
GOALS: tuple[Goal, ...] = ("opencl", "pytorch", "inference")
UNKNOWN = "unknown target CPU 'generic'"
# Measured in such roots: PoCL 1.4, 1.6 and 1.8 on Zen 4, PoCL 3.0 on Zen 5. It runs elsewhere.
REFUSED = [
    ("debian-11", "zen3", "package"), ("debian-11", "zen4", "package"),
    ("debian-11", "zen5", "package"), ("ubuntu-20.04", "zen4", "package"),
    ("ubuntu-22.04", "zen3", "package"), ("ubuntu-22.04", "zen4", "package"),
    ("ubuntu-22.04", "zen5", "pip"),
]  # fmt: skip
TAKEN = [
    ("debian-11", "zen2", "package"), ("debian-11", "intel", "package"),
    ("ubuntu-18.04", "zen4", "package"), ("debian-12", "zen4", "package"),
    ("debian-12", "zen5", "package"), ("debian-13", "zen5", "package"),
    ("ubuntu-22.04", "zen3", "pip"), ("ubuntu-22.04", "zen4", "pip"),
    ("ubuntu-22.04", "zen5", "conda"),
]  # fmt: skip


def planned(os: str, cpu: str | None, goal: Goal = "opencl", gpu: str = "none") -> InstallPlan:
    return plan(described(Stated(), TABLES, gpu=gpu, os=os, cpu=cpu), TABLES, goal)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(("os", "cpu", "how"), REFUSED)
def test_what_compiles_nothing_for_the_processor_is_no_route(
    os: str, cpu: str, how: str, goal: Goal
) -> None:
    made = planned(os, cpu, goal)

    assert made.routes
    assert ("pocl", how) not in [(route.backend, route.how) for route in made.routes]
    said = [one for one in made.rejected if (one.backend, one.how) == ("pocl", how)]
    assert said
    name = TABLES.core_named(cpu)
    assert name is not None
    assert all(UNKNOWN in one.because and name.name in one.because for one in said)
    assert all("pocl/issues/1049" in " ".join(s.url for s in one.sources) for one in said)


@pytest.mark.parametrize(("os", "cpu", "how"), TAKEN)
def test_what_knows_the_processor_is_a_route_without_a_word_of_others(
    os: str, cpu: str, how: str
) -> None:
    route = next(r for r in planned(os, cpu).routes if (r.backend, r.how) == ("pocl", how))

    assert UNKNOWN not in " ".join((*route.caveats, *route.essential))


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("os", ["debian-11", "ubuntu-20.04", "ubuntu-22.04"])
def test_where_the_processor_is_not_known_the_note_says_which_it_is_not_for(
    os: str, goal: Goal
) -> None:
    routes = [
        r for r in planned(os, None, goal).routes if (r.backend, r.how) == ("pocl", "package")
    ]

    assert goal == "inference" or routes
    for route in routes:
        assert any(UNKNOWN in one and "from Zen 3 on" in one for one in route.essential)


def test_a_processor_that_is_taken_for_another_has_what_that_costs_on_the_first_screen() -> None:
    route = planned("ubuntu-22.04", "zen4").routes[0]

    assert (route.backend, route.how) == ("pocl", "pip")
    assert any("float16" in one for one in route.essential)


@pytest.mark.parametrize(
    ("cpu", "refused"),
    [
        (Cpu(model="AMD EPYC", vendor="AuthenticAMD", family=25, model_number=17), True),
        (Cpu(model="AMD Ryzen 7 5800X 8-Core Processor", vendor="AuthenticAMD"), True),
        (Cpu(model="AMD Ryzen 7 5800X 8-Core Processor"), True),
        (Cpu(model="AMD Ryzen 7 3700X 8-Core Processor", vendor="AuthenticAMD"), False),
        (Cpu(model="Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz", vendor="GenuineIntel"), False),
        (Cpu(model="AMD EPYC", vendor="AuthenticAMD"), False),
        (Cpu(), False),
    ],
)
def test_a_snapshot_tells_the_processor(cpu: Cpu, refused: bool) -> None:
    system = System(distribution=Distribution(id="debian", version="11"), cpu=cpu)
    stated = of_snapshot(Snapshot(system=system, gpus=()), TABLES)
    ways = [(r.backend, r.how) for r in plan(stated, TABLES).routes]

    assert (("pocl", "package") not in ways) is refused
    # Another release on the same machine has the same processor.
    elsewhere = plan(described(stated, TABLES, os="ubuntu-22.04"), TABLES)
    assert (("pocl", "package") not in [(r.backend, r.how) for r in elsewhere.routes]) is refused


def test_a_processor_that_is_named_as_the_gpu_is_known_too() -> None:
    made = planned("debian-11", None, gpu="Ryzen 7 5700G")

    assert made.target.cpu == "Zen 3"
    assert ("pocl", "package") not in [(r.backend, r.how) for r in made.routes]


def test_a_gpu_inside_an_intel_processor_tells_its_maker_unless_another_is_named() -> None:
    assert planned("debian-11", None, gpu="HD 4600").target.cpu == "Intel"
    assert planned("debian-11", "zen4", gpu="HD 4600").target.cpu == "Zen 4"
    assert planned("debian-11", None, gpu="Arc A770").target.cpu is None
    assert planned("debian-11", None, gpu="RX 580").target.cpu is None


def test_a_card_does_not_make_the_hosts_processor_unknown() -> None:
    host = Stated(core=TABLES.core_named("zen4"))

    assert described(host, TABLES, gpu="RX 580", os="debian-11").target.cpu == "Zen 4"
    assert described(host, TABLES, gpu="HD 4600", os="debian-11").target.cpu == "Intel"


def test_a_name_that_no_table_knows_is_an_error_with_those_that_they_do() -> None:
    with pytest.raises(ClprobeError, match="no processor") as caught:
        described(Stated(), TABLES, cpu="a very fast one")
    assert caught.value.hint is not None
    assert "zen4" in caught.value.hint


def test_the_command_takes_the_processor() -> None:
    words = ["install-plan", "--gpu", "none", "--os", "debian-11", "--cpu", "Ryzen 7 5800X", "-v"]
    shown = CliRunner().invoke(cli, words)

    assert shown.exit_code == 0, shown.output
    assert "pocl-opencl-icd" not in shown.output
    assert UNKNOWN in " ".join(shown.output.split())


def test_an_environment_with_pocl_is_made_with_the_python_of_the_plan() -> None:
    stated = described(Stated(), TABLES, gpu="none", os="debian-11", python="3.11", cpu="zen4")
    route = plan(stated, TABLES).routes[0]

    assert (route.backend, route.how) == ("pocl", "pip")
    assert ("python3.11", "-m", "venv") in [step.argv[:3] for step in route.steps]


_TOLD = "OpenCL 2.0 pocl {}  Linux, None+Asserts, RELOC, LLVM {}, SLEEF, DISTRO, POCL_DEBUG"


@pytest.mark.parametrize(
    ("os", "pocl", "llvm", "model", "refused"),
    [
        ("ubuntu-22.04", "1.8", "11.1.0", 0x11, True),
        ("ubuntu-22.04", "1.8", "11.1.0", 0x21, True),
        ("debian-11", "1.6", "9.0.1", 0x11, True),
        ("debian-12", "3.1+debian", "15.0.6", 0x11, False),
        ("ubuntu-24.04", "5.0-debian", "16.0.6", 0x11, False),
    ],
)
def test_plan_doctor_and_bench_give_one_answer(
    os: str, pocl: str, llvm: str, model: int, refused: bool
) -> None:
    device = Device(name="pthread-AMD EPYC", type="cpu", driver_version=pocl)
    named = {"name": "Portable Computing Language", "version": _TOLD.format(pocl, llvm)}
    answer = Answer(platforms=(Platform(**named, devices=(device,)),))
    name, _, release = os.partition("-")
    snapshot = Snapshot(
        system=System(
            distribution=Distribution(id=name, version=release),
            cpu=Cpu(model="AMD EPYC", vendor="AuthenticAMD", family=25, model_number=model),
        ),
        gpus=(),
        device_nodes=(),
        messages=(),
        icds=(Icd(path="/etc/OpenCL/vendors/pocl.icd", searched_by=("x",), answer=answer),),
    )

    ways = plan(of_snapshot(snapshot, TABLES), TABLES).routes
    assert (("pocl", "package") not in [(r.backend, r.how) for r in ways]) is refused

    (shown,) = take_inventory(derive(snapshot, TABLES)).devices
    assert (shown.builds_nothing is not None) is refused
    (target,) = targets_of([replace(shown, library="/libpocl.so")], [shown])
    assert bool(target.caveat) is refused

    found = diagnose(snapshot, Knowledge.load()).findings
    too_old = [one for one in found if one.id == "pocl-too-old-for-cpu"]
    assert ([one.verdict for one in too_old] == ["present"]) is refused


def test_the_first_screen_names_what_does_not_know_the_processor() -> None:
    words = ["install-plan", "--gpu", "none", "--os", "ubuntu-22.04", "--cpu", "zen3"]
    shown = CliRunner().invoke(cli, words)

    assert "Not possible: pocl (apt)" in shown.output
