# SPDX-License-Identifier: MIT
"""Built programs on disk: what is read back, what is not trusted, what is removed."""

import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from clprobe.tensor import Array, Device
from clprobe.tensor.binary_cache import SWITCH, BinaryCache, default_folder, key_of
from clprobe.tensor.ops.elementwise import apply


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "clprobe" / "kernels"


@pytest.fixture
def negate(device: Device, folder: Path) -> Callable[[], list[float]]:
    """Return a function that negates two numbers on a newly opened device that uses the folder."""

    def run() -> list[float]:
        with Device.open(device.cl_device, cache=BinaryCache(folder)) as opened:
            x = Array.from_numpy(np.array([1, -2], np.float32), opened)
            return [float(value) for value in apply("negate", x).numpy()]

    return run


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_what_is_stored_is_loaded_again(folder: Path) -> None:
    cache = BinaryCache(folder)

    cache.store("key", b"binary")

    assert cache.load("key") == b"binary"
    assert cache.load("other") is None


def test_a_program_that_was_built_before_is_not_built_again(
    folder: Path, negate: Callable[[], list[float]]
) -> None:
    assert negate() == [-1, 2]
    (stored,) = files(folder)
    # Storing replaces the file by another one.
    file = stored.stat().st_ino

    assert negate() == [-1, 2]

    assert [each.stat().st_ino for each in files(folder)] == [file]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: b"",
        lambda content: content[:-1],
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: content + b"x",
        lambda _: b"a binary of something else",
    ],
    ids=["empty", "cut", "flipped", "longer", "foreign"],
)
def test_a_damaged_file_is_replaced(
    folder: Path, negate: Callable[[], list[float]], spoil: Callable[[bytes], bytes]
) -> None:
    negate()
    (stored,) = files(folder)
    content = stored.read_bytes()
    stored.write_bytes(spoil(content))

    assert BinaryCache(folder).load(stored.name) is None
    assert negate() == [-1, 2]
    assert BinaryCache(folder).load(stored.name) is not None


def test_a_whole_file_under_another_name_is_not_taken(folder: Path) -> None:
    cache = BinaryCache(folder)
    cache.store("key", b"binary")
    (folder / "key").rename(folder / "other")

    assert cache.load("other") is None


def test_a_binary_that_the_driver_refuses_is_replaced(
    folder: Path, negate: Callable[[], list[float]]
) -> None:
    negate()
    (stored,) = files(folder)
    refused = b"whole, but no program"
    BinaryCache(folder).store(stored.name, refused)

    assert negate() == [-1, 2]
    assert BinaryCache(folder).load(stored.name) not in (None, refused)


def test_the_folder_is_private_and_one_that_is_not_is_left_alone(folder: Path) -> None:
    cache = BinaryCache(folder)
    cache.store("key", b"binary")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    folder.chmod(0o770)

    assert cache.load("key") is None
    cache.store("second", b"binary")
    assert [file.name for file in files(folder)] == ["key"]


def test_a_link_in_place_of_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    BinaryCache(elsewhere).store("key", b"binary")
    folder.parent.mkdir()
    folder.symlink_to(elsewhere)

    assert BinaryCache(folder).load("key") is None


def test_the_least_recently_used_are_removed_beyond_the_limit(folder: Path) -> None:
    size = 1000
    cache = BinaryCache(folder, max_bytes=3 * size)
    for name in ("first", "second", "third"):
        cache.store(name, bytes(size // 2))
    cache.load("first")

    for name in ("fourth", "fifth", "sixth"):
        cache.store(name, bytes(size // 2))

    assert sum(file.stat().st_size for file in files(folder)) <= 3 * size
    assert cache.load("second") is None
    assert cache.load("sixth") is not None


def test_a_disk_that_refuses_everything_does_not_stop_the_work(
    tmp_path: Path, device: Device
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")

    with Device.open(device.cl_device, cache=BinaryCache(blocked / "kernels")) as opened:
        assert apply("negate", Array.full(opened, (2,), 1.0)).numpy().tolist() == [-1, -1]


def test_the_key_depends_on_source_options_and_device(device: Device) -> None:
    keys = {
        key_of(device.cl_device, "source", ["-DA=1"]),
        key_of(device.cl_device, "source", ["-DA=2"]),
        key_of(device.cl_device, "source2", ["-DA=1"]),
        key_of(device.cl_device, "source", ["-DA=1", "-DB=1"]),
    }

    assert len(keys) == 4


def test_the_environment_moves_the_cache_and_turns_it_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "clprobe" / "kernels"

    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_folder() == Path.home() / ".cache" / "clprobe" / "kernels"

    monkeypatch.setenv(SWITCH, "0")
    assert default_folder() is None
    assert BinaryCache(None).load("key") is None
