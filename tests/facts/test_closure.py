# SPDX-License-Identifier: MIT
"""Conclusions fill what nobody stated, and what is stated stands."""

from typing import Any

import msgspec
import pytest

from clprobe.facts.closure.conclude import conclude
from clprobe.facts.closure.presume import presume
from clprobe.facts.derive import derive
from clprobe.facts.facts import Facts
from clprobe.facts.paths import Scope, look_up, read_from
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown, listed

TABLES = Tables.load()
ROCMINFO = {"viewer": "rocminfo", "answer": {"platforms": [{"devices": [{"type": "gpu"}]}]}}


def _concluded(**facts: Any) -> Snapshot:
    return conclude(msgspec.convert(facts, Snapshot), TABLES).snapshot


def _presumed(**facts: Any) -> Snapshot:
    closed = conclude(msgspec.convert(facts, Snapshot), TABLES)
    return presume(closed, "possible", TABLES).snapshot


def _facts(**facts: Any) -> Facts:
    return derive(msgspec.convert(facts, Snapshot), TABLES)


def _cpu(model: str, **more: Any) -> dict[str, Any]:
    return {"cpu": {"model": model}, **more}


def _crash(printed: str) -> dict[str, Any]:
    return {"viewer": "darktable", "answer": {"outcome": "crash", "printed": printed}}


def _view(*platforms: dict[str, Any], **answer: Any) -> dict[str, Any]:
    return {"viewer": "clinfo", "answer": {"platforms": list(platforms), **answer}}


@pytest.mark.parametrize(
    ("system", "name"),
    [
        (_cpu("Intel Core i5-3470"), "GPU of Intel Core i5-3470"),
        (_cpu("Intel 8400"), "GPU of i5-8400"),
        (_cpu("Intel(R) Core(TM) i5-9400F CPU @ 2.90GHz"), None),
        (_cpu("Intel Core i5-3470", virtualization={"machine": "oracle"}), None),
        (_cpu("Intel Core i5-3470", virtualization={"wsl": 2}), None),
        ({"linux": {"log": "i915: Finished loading DMC firmware i915/mtl_dmc.bin"}}, "Meteor Lake"),
        ({"linux": {"log": "i915/unheard_dmc.bin"}}, None),
    ],
)
def test_a_gpu_is_presumed_by_processor_or_firmware(
    system: dict[str, Any], name: str | None
) -> None:
    gpus = listed(_presumed(system=system).gpus)
    assert [gpu.name for gpu in gpus] == ([name] if name else [])


def test_a_driver_in_use_tells_whose_gpu_there_is_but_not_beside_a_processor_without_one() -> None:
    neo = [{"name": "intel-opencl-icd"}]
    assert [gpu.name for gpu in listed(_presumed(packages=neo).gpus)] == ["Intel GPU"]
    xeon = _cpu("Intel(R) Xeon(R) CPU E5-2630 v4")
    assert isinstance(_presumed(packages=neo, system=xeon).gpus, Unknown)


def test_stated_gpus_are_left_alone() -> None:
    stated = [{"name": "GeForce RTX 3060"}]
    assert (
        _presumed(gpus=stated, system=_cpu("i5-3470")).gpus
        == msgspec.convert({"gpus": stated}, Snapshot).gpus
    )


@pytest.mark.parametrize(
    ("more", "version"),
    [
        ({"system": {"distribution": {"id": "ubuntu", "version": "20.04"}}}, "20.13.16352"),
        ({"taken": "2024-10"}, "24.42"),
        ({"taken": "2019-03-01", "system": {"distribution": {"id": "ubuntu", "version": "20.04"}}},
         "19.08"),
        ({"system": {"distribution": {"id": "arch", "version": None}}}, None),
        ({"taken": "yesterday"}, None),
    ],
)  # fmt: skip
def test_a_version_is_presumed_by_release_and_date(
    more: dict[str, Any], version: str | None
) -> None:
    packages = listed(_presumed(packages=[{"name": "intel-opencl-icd"}], **more).packages)
    assert [one.version for one in packages if isinstance(one.version, str)] == (
        [version] if version else []
    )


@pytest.mark.parametrize(
    ("node", "error"),
    [
        ({"group": "ssl-cert", "gid": 104}, "EACCES"),
        ({"gid": 993}, "EACCES"),
        ({"gid": 991}, None),
        ({"group": "render"}, None),
        ({"group": "root", "gid": 0}, None),
        ({"group": "ssl-cert", "mode": "0666"}, None),
    ],
)
def test_a_node_of_a_foreign_group_is_presumed_to_be_closed(
    node: dict[str, Any], error: str | None
) -> None:
    system = {"gpu_groups": [{"gid": 991, "name": "render"}]}
    nodes = [{"path": "/dev/dri/renderD128", **node}]
    presumed = listed(_presumed(system=system, device_nodes=nodes).device_nodes)
    assert [one.open_error for one in presumed if isinstance(one.open_error, str)] == (
        [error] if error else []
    )


@pytest.mark.parametrize(
    ("printed", "icd"),
    [
        ("#0 memset ()\n#1 0x7f in ?? () from /usr/lib/intel-opencl/libigdrcl.so", "intel.icd"),
        ("the backtrace ends inside Mesa", "mesa.icd"),
        ("error 4 in libamdocl64.so[7f00+100]", "amdocl64.icd"),
        ("libigdrcl.so: undefined symbol", None),
        ("#0 main () from /usr/bin/darktable", None),
    ],
)
def test_the_driver_in_a_backtrace_is_the_one_that_crashed(printed: str, icd: str | None) -> None:
    icds = listed(_concluded(views=[_crash(printed)]).icds)
    assert [(one.path.rpartition("/")[2], one.answer.outcome) for one in icds] == (
        [(icd, "crash")] if icd else []
    )


def test_a_driver_that_is_known_to_answer_did_not_crash() -> None:
    icds = [{"path": "/etc/OpenCL/vendors/intel.icd", "answer": {"outcome": "ok"}}]
    concluded = _concluded(icds=icds, views=[_crash("#0 x () from libigdrcl.so")])
    assert [one.answer.outcome for one in listed(concluded.icds)] == ["ok"]


def test_error_minus_one_is_an_empty_platform_and_tells_of_loader_and_driver() -> None:
    facts = _facts(views=[_view({"name": "Mesa", "devices_error": -1})])
    opencl = facts.opencl
    assert (opencl.empty_platforms, opencl.loader_found, opencl.icd_registered) == (
        ("Clover",), True, True,
    )  # fmt: skip


def test_without_a_platform_only_the_loader_has_answered() -> None:
    opencl = _facts(views=[_view(error_code=-1001)]).opencl
    assert (opencl.loader_found, opencl.icd_registered) == (
        True, Unknown(unknown="not stated"),
    )  # fmt: skip


def test_a_concluded_fact_names_its_premises() -> None:
    facts = _facts(views=[_crash("#0 x () from libigdrcl.so")])
    use = look_up("icds", Scope(facts))
    assert read_from(use) == "follows from: the backtrace of darktable ends in libigdrcl.so"


@pytest.mark.parametrize(("release", "fits"), [("4.x", "unknown"), ("5.x", True), ("3.x", False)])
def test_a_release_with_an_open_end_decides_only_where_all_of_it_agrees(
    release: str, fits: bool | str
) -> None:
    system = {"linux": {"release": release}}
    gpus = listed(_facts(system=system, gpus=[{"name": "HD Graphics 530"}],
                         packages=[{"name": "intel-opencl-icd"}]).gpus)  # fmt: skip
    verdict = listed(gpus[0].fits)[0].linux_fits
    assert ("unknown" if isinstance(verdict, Unknown) else verdict) == fits


def test_a_driver_that_a_loader_misses_is_named_by_its_usual_file() -> None:
    icd = {"path": "libamdocl64.so", "library_name": "libamdocl64.so", "library": {"path": None}}
    (named,) = listed(_concluded(icds=[icd]).icds)
    assert named.path.startswith("/etc/OpenCL/vendors/")
    by_variable = _concluded(icds=[icd], environment={"OCL_ICD_FILENAMES": "libamdocl64.so"})
    assert listed(by_variable.icds)[0].path == "libamdocl64.so"
    of_program = "./a.out: error while loading shared libraries: libamdocl64.so: cannot open"
    by_program = _concluded(icds=[icd], messages=[of_program])
    assert listed(by_program.icds)[0].path == "libamdocl64.so"


def test_where_va_api_works_the_node_opens() -> None:
    (node,) = listed(_concluded(messages=["libva info: va_openDriver() returns 0"]).device_nodes)
    assert (node.path, node.open_error) == ("/dev/dri/renderD128", None)
    failed = _concluded(messages=["libva info: va_openDriver() returns -1"])
    assert isinstance(failed.device_nodes, Unknown)


@pytest.mark.parametrize(
    ("facts", "opens"),
    [
        (
            {"messages": ["ROCk module is loaded\nHSA System Attributes\nRuntime Version: 1.18"]},
            True,
        ),
        ({"messages": ["ROCk module is loaded\nUnable to open /dev/kfd read-write"]}, False),
        ({"views": [ROCMINFO]}, True),
        ({"views": [ROCMINFO], "system": {"virtualization": {"wsl": 2}}}, False),
    ],
)
def test_where_rocminfo_lists_agents_kfd_opens(facts: dict[str, Any], *, opens: bool) -> None:
    nodes = _concluded(**facts).device_nodes
    assert [one.path for one in listed(nodes)] == (["/dev/kfd"] if opens else [])


def test_what_a_report_quotes_is_an_excerpt_of_what_was_said() -> None:
    messages = {"messages": ["clinfo: nothing"]}
    assert "said" in _facts(**messages, told=["clinfo: nothing"]).excerpts
    assert "said" not in _facts(**messages).excerpts


def test_without_a_whole_list_nobody_knows_that_no_platform_is_empty() -> None:
    view = {"viewer": "hashcat", "answer": {"outcome": "error", "error_code": -1}}
    assert isinstance(_facts(views=[view], told=["x"]).opencl.empty_platforms, Unknown)
    assert _facts(views=[view]).opencl.empty_platforms == ()
    clinfo = _view({"name": "A", "devices": [{"name": "x"}]})
    assert _facts(views=[clinfo], told=["x"]).opencl.empty_platforms == ()
