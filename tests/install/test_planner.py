# SPDX-License-Identifier: MIT
import pytest

from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables
from clprobe.model.errors import ClprobeError

TABLES = Tables.load()
RELEASES = (
    "debian-11",
    "debian-12",
    "debian-13",
    "ubuntu-20.04",
    "ubuntu-22.04",
    "ubuntu-24.04",
    "ubuntu-25.04",
    "ubuntu-25.10",
    "ubuntu-26.04",
)
# One id per chip that shipped, of every generation from Gen7 to Xe2.
CHIPS = {
    "Gen7": ("8086:0152", "8086:0166", "8086:0f31"),
    "Gen7.5": ("8086:0402", "8086:0412", "8086:0d26"),
    "Gen8": ("8086:1616", "8086:22b1"),
    "Gen9": ("8086:1912", "8086:5a85"),
    "Gen9.5": ("8086:5916", "8086:3e92", "8086:3ea0", "8086:9bc5", "8086:3184"),
    "Gen11": ("8086:8a52", "8086:4e55", "8086:4571"),
    "Gen12/Xe-LP": ("8086:9a49", "8086:4c8a", "8086:4680", "8086:46a6", "8086:46d0", "8086:a780"),
    "Xe-HPG": ("8086:56a0", "8086:5690"),
    "Xe-LPG": ("8086:7d55", "8086:7d67"),
    "Xe2": ("8086:64a0", "8086:e20b"),
}
IDS = [pci_id for ids in CHIPS.values() for pci_id in ids]


def target(gpu, os, linux=None, python=None, arch=None):
    return described(Stated(arch=arch), TABLES, gpu=gpu, os=os, linux=linux, python=python)


def planned(gpu, os, goal="opencl", **more):
    return plan(target(gpu, os, **more), TABLES, goal)


def route(made, backend):
    return next(r for r in made.routes if r.backend == backend)


def refusal(made, backend, stack=None):
    return next(r for r in made.rejected if (r.backend, r.stack) == (backend, stack)).because


@pytest.mark.parametrize("os", RELEASES)
@pytest.mark.parametrize("pci_id", IDS)
@pytest.mark.parametrize("goal", ["opencl", "pytorch"])
def test_what_holds_for_every_plan(os, pci_id, goal):
    made = planned(pci_id, os, goal)
    assert made.routes
    assert [r.rank for r in made.routes] == list(range(1, len(made.routes) + 1))
    on_gpu = [r.uses_gpu for r in made.routes if r.status != "unverified"]
    assert goal == "pytorch" or on_gpu == sorted(on_gpu, reverse=True)
    assert not all(on_gpu)
    for r in made.routes:
        assert r.because
        assert r.sources
        assert r.components
        for step in r.steps:
            assert step.title
            assert all(step.argv)
            assert not set(step.argv) & {"|", ">", ">>", "&&", "||", ";", "sh", "bash"}
    for r in made.rejected:
        assert r.because.endswith(".")
        assert r.sources


@pytest.mark.parametrize("os", RELEASES)
@pytest.mark.parametrize("pci_id", IDS)
def test_no_driver_is_offered_for_hardware_it_never_had(os, pci_id):
    entry = TABLES.gpu(pci_id)
    backends = {r.backend for r in planned(pci_id, os).routes}
    if entry.generation in ("Gen7", "Gen7.5") or entry.platform == "chv":
        assert not backends & {"compute-runtime", "compute-runtime-legacy1", "rusticl"}
    if entry.generation.startswith("Xe"):
        assert not backends & {"compute-runtime-legacy1", "beignet"}


@pytest.mark.parametrize("os", RELEASES)
def test_the_same_target_gives_the_same_plan(os):
    assert planned("8086:5916", os) == planned("8086:5916", os)


@pytest.mark.parametrize(
    ("pci_id", "os", "backend", "status"),
    [
        ("8086:0412", "debian-11", "beignet", "supported"),
        ("8086:0412", "ubuntu-20.04", "beignet", "supported"),
        ("8086:0412", "debian-12", "pocl", "supported"),
        ("8086:0412", "ubuntu-24.04", "pocl", "supported"),
        ("8086:22b1", "debian-13", "pocl", "supported"),  # Beignet was seen on Linux 5.10 last
        ("8086:5916", "debian-12", "compute-runtime", "supported"),
        ("8086:5916", "ubuntu-24.04", "compute-runtime", "supported"),
        ("8086:5916", "ubuntu-25.04", "compute-runtime-legacy1", "supported"),
        ("8086:5916", "ubuntu-26.04", "compute-runtime-legacy1", "supported"),
        ("8086:5916", "debian-13", "rusticl", "supported"),
        ("8086:8a52", "ubuntu-25.10", "compute-runtime-legacy1", "supported"),
        ("8086:a780", "ubuntu-26.04", "compute-runtime", "supported"),
        ("8086:9a49", "debian-13", "rusticl", "supported"),
        ("8086:e20b", "ubuntu-26.04", "compute-runtime", "supported"),
        ("8086:5916", "fedora-41", "compute-runtime", "supported"),  # built with the old platforms
        ("8086:5916", "fedora-42", "rusticl", "supported"),
        ("8086:e20b", "ubuntu-25.04", "compute-runtime", "supported"),
        ("8086:56a0", "ubuntu-22.04", "compute-runtime", "supported"),
        ("8086:56a0", "ubuntu-24.04", "compute-runtime", "supported"),
        ("8086:e20b", "debian-11", "pocl", "supported"),
        ("8086:e20b", "debian-12", "compute-runtime", "workaround"),  # in a container
        ("8086:56a0", "debian-12", "compute-runtime", "workaround"),  # Linux of the backports
    ],
)
def test_the_best_route_of_famous_pairs(pci_id, os, backend, status):
    best = planned(pci_id, os).routes[0]
    assert (best.backend, best.status) == (backend, status)


def test_haswell_on_noble_says_why_the_others_cannot_work():
    made = planned("HD 4600", "ubuntu-24.04")
    assert refusal(made, "compute-runtime").startswith(
        "Ubuntu 24.04 packages compute-runtime 23.43.27642.40, but Haswell (Gen7.5)"
    )
    assert "starts at Gen8" in refusal(made, "compute-runtime")
    assert "crocus" in refusal(made, "rusticl")
    assert "untested" in " ".join(route(made, "beignet").caveats)


def test_xe2_on_noble_is_too_new_for_the_archive_and_gets_the_ppa_and_a_newer_linux():
    made = planned("8086:e20b", "ubuntu-24.04")
    assert "needs 24.31.30508.5 or newer" in refusal(made, "compute-runtime")
    ppa = route(made, "compute-runtime")
    assert ppa.status == "supported"
    commands = [step.argv for step in ppa.steps]
    assert ppa.how == "repository"
    assert any("Suites: noble" in argv[-1] for argv in commands)
    assert any("linux-generic-hwe-24.04" in argv for argv in commands)


def test_trixie_gets_legacy1_from_four_files_of_sid():
    legacy = route(planned("8086:5916", "debian-13"), "compute-runtime-legacy1")
    assert legacy.status == "workaround"
    assert {c.name: c.version for c in legacy.components} == {
        "intel-opencl-icd-legacy": "24.35.30872.45-1",
        "libigc1": "1.0.17791.18+1-3",
        "libigdfcl1": "1.0.17791.18+1-3",
        "libigdgmm12": "22.10.2+ds1-1",
    }


def test_rusticl_sets_its_variable():
    steps = route(planned("8086:5916", "debian-13"), "rusticl").steps
    assert any("RUSTICL_ENABLE=iris" in argument for step in steps for argument in step.argv)


def test_a_gpu_route_lets_the_user_open_the_node():
    steps = route(planned("8086:5916", "debian-12"), "compute-runtime").steps
    assert ("usermod", "-aG", "render", "USER") in [step.argv for step in steps]


def test_a_linux_that_is_too_old_and_cannot_be_renewed_rules_a_route_out():
    made = planned("8086:46d0", "ubuntu-20.04")
    assert all(not r.uses_gpu for r in made.routes)
    made = planned("8086:a780", "debian-11", linux="5.10")
    assert "20.44" in refusal(made, "compute-runtime")


def test_linux_6_8_with_a_driver_before_its_correction_is_a_caveat():
    early = planned("8086:5916", "ubuntu-22.04", linux="6.8.0-31-generic")
    assert any("GTT" in caveat for caveat in route(early, "compute-runtime").caveats)
    mended = planned("8086:5916", "ubuntu-24.04", linux="6.8.0-31-generic")
    assert not any("GTT" in caveat for caveat in route(mended, "compute-runtime").caveats)
    fine = planned("8086:5916", "ubuntu-22.04", linux="5.15")
    assert not any("GTT" in caveat for caveat in route(fine, "compute-runtime").caveats)


def test_where_a_driver_needs_variables_with_newer_linux_a_step_sets_them():
    steps = route(planned("8086:56a0", "debian-12"), "compute-runtime").steps
    assert any("OverrideGpuAddressSpace=48" in step.title for step in steps)
    steps = route(planned("8086:56a0", "ubuntu-24.04"), "compute-runtime").steps
    assert not any("OverrideGpuAddressSpace" in step.title for step in steps)


def test_dg1_needs_force_probe_before_linux_6_17():
    caveats = route(planned("8086:4905", "ubuntu-24.04", linux="6.8"), "compute-runtime").caveats
    assert any("restart" in caveat for caveat in caveats)  # its HWE kernel drives it by itself
    caveats = route(planned("8086:4905", "ubuntu-25.04"), "compute-runtime").caveats
    assert any("i915.force_probe=4905" in caveat for caveat in caveats)


def test_an_unknown_gpu_still_gets_the_cpu_and_hears_what_would_settle_it():
    made = planned("8086:fffe", "debian-12")
    unknown = route(made, "compute-runtime")
    assert unknown.status == "unverified"
    assert any("list of ids decides" in caveat for caveat in unknown.caveats)
    assert route(made, "pocl").status == "supported"


def test_no_gpu_leaves_the_cpu():
    made = planned("none", "debian-12")
    assert {r.backend for r in made.routes} == {"pocl", "intel-cpu"}
    assert "no GPU" in refusal(made, "compute-runtime")


def test_a_gpu_that_is_not_stated_is_asked_for():
    made = planned(None, "debian-12")
    assert "lspci" in refusal(made, "compute-runtime")
    assert made.routes[0].backend == "pocl"


def test_ids_of_several_generations_are_refused_with_their_names():
    with pytest.raises(ClprobeError) as caught:
        planned("8086:0416, 8086:5916", "debian-12")
    assert caught.value.reference == "gpu-ambiguous"
    assert "8086:5916 (Gen9.5)" in caught.value.message


def test_an_unknown_distribution_still_gets_a_cpu_route():
    made = plan(described(Stated(os="gentoo-2.17"), TABLES, gpu="8086:5916"), TABLES)
    assert {r.how for r in made.routes if not r.uses_gpu} == {"pip", "conda"}
    assert {r.how for r in made.routes if r.uses_gpu} == {"container", "source"}
    assert "in no table" in refusal(made, "compute-runtime")


def test_another_vendor_gets_its_own_driver():
    made = planned("10de:1eb8", "debian-12")
    assert route(made, "nvidia").status == "supported"
    assert "does not drive" in refusal(made, "compute-runtime")
    assert route(planned("10de:ffff", "debian-12"), "nvidia").status == "unverified"


def test_arm_gets_no_intel_driver():
    made = planned("8086:56a0", "debian-13", arch="aarch64")
    assert "not aarch64" in refusal(made, "compute-runtime")


def test_a_name_for_chips_of_several_generations_asks_for_the_pci_id():
    with pytest.raises(ClprobeError) as caught:
        planned("Intel HD Graphics", "debian-12")
    assert caught.value.reference == "gpu-ambiguous"
    with pytest.raises(ClprobeError, match="Unknown GPU"):
        planned("Flux Capacitor 2", "debian-12")


def test_a_generation_names_the_chips_that_a_route_leaves_out():
    broadwell = route(planned("Gen8", "debian-12"), "compute-runtime")
    assert any("8086:22b0" in c or "not for all chips" in c.lower() for c in broadwell.caveats)
