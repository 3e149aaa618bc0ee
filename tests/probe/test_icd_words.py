# SPDX-License-Identifier: MIT
"""What doctor says of odd .icd files and libraries: the thing itself, and nothing untrue."""

from pathlib import Path

import pytest
from asking import ask
from faults import register_fault

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.finding import Diagnosis
from clprobe.model.opencl import Icd
from clprobe.model.snapshot import Snapshot


def _diagnosis(fault: str, folder: Path) -> Diagnosis:
    vendors, libraries = folder / "vendors", folder / "libraries"
    vendors.mkdir()
    libraries.mkdir()
    register_fault(fault, vendors, libraries)
    return diagnose(ask(vendors), Knowledge.load())


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("utf16_icd", "written in UTF-16"),
        ("looping_link", "a link that leads to itself"),
        ("dangling_link", "a link to something that is not there"),
        ("evil_needed", "it needs lib\x1b[31mgone$(x).so, which the linker does not find"),
        ("damaged_headers", "its headers lead to byte 184467440737095"),
        ("phentsize", "its program headers have 0 bytes each"),
    ],
)
@pytest.mark.usefixtures("build", "loader")
def test_the_reason_says_what_it_is(fault: str, words: str, tmp_path: Path) -> None:
    diagnosis = _diagnosis(fault, tmp_path)
    broken = next(one for one in diagnosis.drivers if one.icd.endswith("/broken.icd"))
    assert words in str(broken.detail)


@pytest.mark.usefixtures("build", "loader")
def test_a_link_to_itself_is_put_aside(tmp_path: Path) -> None:
    diagnosis = _diagnosis("looping_link", tmp_path)
    finding = next(one for one in diagnosis.findings if one.id == "icd-file-missing")
    assert [remedy.argv[0] for remedy in finding.remedies if remedy.argv] == ["mv"]


def test_no_file_in_the_systems_folder_is_to_be_linked_to_itself() -> None:
    path = "/etc/OpenCL/vendors/x.icd"
    snapshot = Snapshot(icds=(Icd(path=path, searched_by=()),))
    found = diagnose(snapshot, Knowledge.load()).findings
    remedies = next(one for one in found if one.id == "icd-outside-search-path").remedies
    assert remedies
    assert all(remedy.argv is None or remedy.argv[0] != "ln" for remedy in remedies)
