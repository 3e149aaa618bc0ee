# SPDX-License-Identifier: MIT
"""The script that looks inside, in each shell that is here, and what is read of it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import clprobe.outside
from clprobe.outside.answers import Answer, Question, errno_of, looked, read_answers
from clprobe.outside.inside_host import InsideHost
from clprobe.probe.host import FileStatus, Tool
from clprobe.probe.live_host import LiveHost

_SCRIPT = Path(clprobe.outside.__file__).parent / "inside.sh"
_SHELLS = [("dash", []), ("bash", []), ("busybox", ["sh"])]


@pytest.fixture(params=_SHELLS, ids=lambda one: one[0])
def shell(request: pytest.FixtureRequest) -> list[str]:
    name, more = request.param
    if shutil.which(name) is None:
        pytest.skip(f"needs {name}")
    return [name, *more]


def ask(shell: list[str], *questions: Question) -> dict[Question, Answer]:
    words = [word for question in questions for word in question]
    with _SCRIPT.open("rb") as script:
        done = subprocess.run(
            [*shell, "-s", *words], stdin=script, capture_output=True, timeout=60, check=True
        )
    return read_answers(done.stdout)


def test_files_folders_and_links_are_told_as_the_host_itself_tells_them(
    shell: list[str], tmp_path: Path
) -> None:
    host = LiveHost()
    (tmp_path / "text with blank").write_text("first\nsecond")
    (tmp_path / "link").symlink_to("text with blank")
    (tmp_path / "nowhere").symlink_to("missing")
    (tmp_path / "folder").mkdir(mode=0o2755)
    for name in ("text with blank", "link", "folder"):
        path = str(tmp_path / name)
        inside = InsideHost(host, ask(shell, ("look", path), ("reads", path)), {})
        # Of folders the two count the size differently.
        assert _without_size(inside.status(path)) == _without_size(host.status(path))
        assert inside.link_status(path).kind == host.link_status(path).kind
        assert inside.real_path(path) == host.real_path(path)
        assert inside.open_error(path, "read") is None
    dangling = str(tmp_path / "nowhere")
    inside = InsideHost(host, ask(shell, ("look", dangling)), {})
    assert inside.link_status(dangling).kind == "link"
    with pytest.raises(FileNotFoundError):
        inside.status(dangling)


def test_contents_come_as_they_are(shell: list[str], tmp_path: Path) -> None:
    path = tmp_path / "library.so"
    path.write_bytes(b"\x7fELF\0\1\2\nOCL_ICD\0\xff\n")
    found = ask(shell, ("bytes", str(path)), ("folder", str(tmp_path)), ("text", str(tmp_path)))

    assert found["bytes", str(path)].body == path.read_bytes()
    assert found["folder", str(tmp_path)].body == b"library.so\n"
    assert found["text", str(tmp_path)].word == "folder"


def test_a_name_is_never_code(shell: list[str], tmp_path: Path) -> None:
    harmless = tmp_path / "made"
    path = str(tmp_path / f"$(touch {harmless})`touch {harmless}`; touch {harmless}")
    ask(shell, ("look", path), ("text", path), ("open", path), ("folder", path), ("reads", path))

    assert not harmless.exists()


def test_devices_open_or_say_why_not(shell: list[str], tmp_path: Path) -> None:
    path, text = tmp_path / "renderD128", tmp_path / "text"
    text.touch()
    found = ask(
        shell,
        *(("open", name) for name in ("/dev/null", str(path), str(text))),
        ("look", "/dev/null"),
    )
    status = looked(found["look", "/dev/null"].body)

    assert errno_of(found["open", "/dev/null"].body) is None
    assert found["open", str(path)].word == "absent"
    assert found["open", str(text)].word == "other"
    assert not path.exists()  # to open for reading and writing makes what is not there
    assert status is not None
    assert status.link.kind == "character-device"
    assert status.link.device == "1:3"


@pytest.mark.skipif(os.geteuid() == 0, reason="root is refused nothing")
def test_what_is_refused_is_denied_and_not_absent(shell: list[str], tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "file").touch()
    closed.chmod(0)
    found = ask(shell, ("look", str(closed / "file")), ("folder", str(closed)))
    closed.chmod(0o700)

    assert {answer.word for answer in found.values()} == {"denied"}


@pytest.mark.parametrize(
    ("said", "errno"),
    [
        ("sh: 1: cannot open /dev/dri/renderD128: Permission denied", "EACCES"),
        ("sh: line 1: /dev/dri/renderD128: Operation not permitted", "EPERM"),
        ("sh: can't create /dev/kfd: No such device or address", "ENXIO"),
        ("", None),
    ],
)
def test_the_words_of_shells_are_errnos(said: str, errno: str | None) -> None:
    assert errno_of(said.encode()) == errno


def test_other_words_are_no_answer() -> None:
    with pytest.raises(ValueError, match="out of memory"):
        errno_of(b"sh: out of memory")


@pytest.mark.parametrize(
    "printed", [b"", b"\x01look found", b"\x01look found /x\nhalf", b"\xff\x01\n\x01end\n", b"\x01"]
)
def test_damaged_answers_are_left_out(printed: bytes) -> None:
    assert read_answers(printed) == {}


def test_what_ls_writes_otherwise_is_not_understood() -> None:
    assert looked(b"total 0\n\n\n") is None


def test_what_nobody_asked_is_wanted_and_unknown() -> None:
    inside = InsideHost(LiveHost(), {}, {})
    with pytest.raises(OSError, match="outside the container"):
        inside.read("/etc/os-release")

    assert list(inside.wanted) == [("text", "/etc/os-release")]


def test_tools_are_asked_through_the_host() -> None:
    tool: Tool = "snap"
    inside = InsideHost(LiveHost(), {}, {})

    assert inside.ask_tool(tool, ("--nonsense",), 5).ended in ("absent", "exit")


def _without_size(status: FileStatus) -> tuple[str, int, int, int]:
    return status.kind, status.mode, status.uid, status.gid
