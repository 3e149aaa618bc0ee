# SPDX-License-Identifier: MIT
import pytest

from clprobe.facts.lint import file_fault, library_fault
from clprobe.model.opencl import Answer, Icd, Library
from clprobe.model.unknown import NOT_STATED, Unknown


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("libx.so.1\n", None),
        ("libx.so.1", None),
        ("/opt/with blank/libx.so\n", None),
        ("", "empty"),
        ("\n", "empty"),
        ("   \n", "empty"),
        ("libx.so\r\n", "carriage-return"),
        ("\xef\xbb\xbflibx.so\n", "byte-order-mark"),
        ("# driver\nlibx.so\n", "comment"),
        (" libx.so\n", "blanks"),
        ("libx.so \n", "blanks"),
        ("liba.so\nlibb.so\n", "several-lines"),
        ("x" * 4096 + "\n", "too-long"),
    ],
)
def test_the_text_of_an_icd_file_is_judged_as_loaders_read_it(text: str, fault: str | None) -> None:
    assert file_fault(Icd(path="/x.icd", text=text)) == fault


def test_a_pipe_is_no_icd_file_and_an_unread_one_is_unknown() -> None:
    refused = Unknown(unknown="permission denied")
    assert file_fault(Icd(path="/x.icd", file_type="fifo")) == "not-a-file"
    assert file_fault(Icd(path="/x.icd", text=refused)) == refused
    assert file_fault(Icd(path="/x.icd", library_name="libx.so")) is None


@pytest.mark.parametrize(
    ("library", "fault"),
    [
        (Library(path="/x.so", format="elf"), None),
        (Library(path=None), "missing"),
        (Library(path="/x.so", open_error="ENOENT"), "missing"),
        (Library(path="/x.so", open_error="EACCES"), "unreadable"),
        (Library(path="/x.so", format="empty"), "empty"),
        (Library(path="/x.so", format="not-elf"), "not-elf"),
        (Library(path="/x.so", format="directory"), "directory"),
        (Library(path="/x.so", format="elf", size_bytes=1, required_bytes=2), "truncated"),
        (Library(path="/x.so", format="elf", machine="aarch64"), "other-architecture"),
        (Library(path="/x.so", format="elf", elf_class=32), "other-architecture"),
        (Library(path="/x.so", format="elf", machine="amd64"), None),
        (Library(path="/x.so", missing_dependencies=("liby.so",)), "missing-dependency"),
        (Library(), NOT_STATED),
    ],
)
def test_a_library_is_judged_without_loading_it(library: Library, fault: object) -> None:
    assert library_fault(Icd(path="/x.icd", library=library), "x86_64") == fault


def test_a_library_that_answered_has_no_fault() -> None:
    icd = Icd(path="/x.icd", answer=Answer(stage="queries"))
    assert library_fault(icd, NOT_STATED) is None
