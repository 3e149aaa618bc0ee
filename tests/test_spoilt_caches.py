# SPDX-License-Identifier: MIT
"""Whatever becomes of a file that clprobe wrote, it is not believed, and is written anew."""

import os
import random
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from spoilt_files import KINDS, KINDS_AS_ROOT, mend, spoil

from clprobe.derived import derived
from clprobe.parsed_files import ParsedFiles

MUTATIONS = int(os.environ.get("CLPROBE_MUTATIONS", "200"))
RIGHT = {"title": "Add yourself to the group", "argv": ["sudo", "usermod", "-aG", "render"] * 20}
HAS_OPENCL = find_spec("pyopencl") is not None
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give files away")


class _Rules:
    """The rules database, parsed."""

    def __init__(self, folder: Path) -> None:
        self._root = folder / "rules"
        self._root.mkdir()
        (self._root / "one.yaml").touch()
        (folder / "cache").mkdir()
        self.path = folder / "cache" / "clprobe" / "rules-1.msgpack"

    def use(self) -> bool:
        """Do as a run does; return whether the file was believed."""
        parsed: list[Path] = []
        files = ParsedFiles(self._root, self.path)
        content = files.parsed(self._root / "one.yaml", lambda path: parsed.append(path) or RIGHT)
        assert content == RIGHT
        files.save()
        return not parsed


class _Derived:
    """What was computed from the rules database."""

    def __init__(self, folder: Path) -> None:
        self._source = folder / "source"
        self._source.touch()
        (folder / "cache").mkdir()
        self.path = folder / "cache" / "clprobe" / "derived-1.msgpack"

    def use(self) -> bool:
        """Do as a run does; return whether the file was believed."""
        made: list[Any] = []
        found = derived("1", Any, [self._source], lambda: made.append(RIGHT) or RIGHT, self.path)
        assert found == RIGHT
        return not made


class _Kernels:
    """Compiled kernels."""

    def __init__(self, folder: Path) -> None:
        from clprobe.tensor.binary_cache import BinaryCache  # noqa: PLC0415 - needs pyopencl

        self.path = folder / "clprobe" / "kernels" / ("0" * 64)
        self._cache = BinaryCache(self.path.parent)
        self._binary = bytes(range(256)) * 8

    def use(self) -> bool:
        """Do as a run does; return whether the file was believed."""
        found = self._cache.load(self.path.name)
        assert found in (None, self._binary)
        if found is None:
            self._cache.store(self.path.name, self._binary)
        return found is not None


class _Tables:
    """Tables of the fastest configurations."""

    def __init__(self, folder: Path) -> None:
        from clprobe.resources import kernels_path  # noqa: PLC0415 - as below
        from clprobe.tensor.ops.variants import (  # noqa: PLC0415 - needs pyopencl
            Product,
            load_variants,
        )
        from clprobe.tensor.tuning import table  # noqa: PLC0415 - as above

        self._table, self._folder = table, folder / "tuned"
        # Without the shipped tables, which take long to read.
        self._kernels = folder / "kernels"
        shutil.copytree(kernels_path(), self._kernels, ignore=lambda *_: {"tuned"})
        self._device: Any = SimpleNamespace(
            platform=SimpleNamespace(name="none"), name="a device", driver_version="1"
        )
        variant = load_variants(self._kernels / "matmul" / "variants.yaml")[0]
        self._found = [table.Tuned(Product(rows=8, columns=8, depth=8), variant, 1.0)]
        self.path = table.path_of(self._device, self._folder)

    def use(self) -> bool:
        """Do as a run does, and tune where nothing is known; return whether it was believed."""
        tables = self._table.load_tables(self._device, self._kernels, self._folder)
        assert tables.entries in ([], self._found)
        if not tables.entries:
            if os.path.lexists(self.path):
                assert any(str(self.path) in complaint for complaint in tables.ignored)
            # As bench does: a table that cannot be kept is no reason to stop.
            with suppress(PermissionError):
                self._table.save(self._device, self._kernels, self._found, self._folder)
        return bool(tables.entries)


CACHES = [
    pytest.param(_Rules, id="rules"),
    pytest.param(_Derived, id="derived"),
    *(
        pytest.param(
            cache, id=name, marks=pytest.mark.skipif(not HAS_OPENCL, reason="needs pyopencl")
        )
        for name, cache in (("kernels", _Kernels), ("tables", _Tables))
    ),
]


@contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    """Turn a hang into a failure; the limit is far above what any load could need."""

    def fail(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("make", CACHES)
def test_none_of_many_mutations_is_believed_and_each_is_mended(
    make: Callable[[Path], Any], tmp_path: Path
) -> None:
    cache, chance, kinds = make(tmp_path), random.Random(20261122), Counter[str]()  # noqa: S311 - a seed
    possible = [*KINDS, *(KINDS_AS_ROOT if os.geteuid() == 0 else [])]
    cache.use()
    assert cache.use()
    for number in range(MUTATIONS):
        # Each kind at least once, and flips most often.
        kind = possible[number] if number < len(possible) else chance.choice([*possible, "flip"])
        if not spoil(cache.path, kind, chance):
            continue
        with _at_most(60):
            assert not cache.use(), kind
            if kind == "foreign folder":
                assert not cache.use()
                mend(cache.path)
                cache.use()
            assert cache.use(), kind
        names = [path.name for path in cache.path.parent.iterdir()]
        assert set(names) <= {cache.path.name, "copy"}, kind
        cache.path.with_name("copy").unlink(missing_ok=True)
        kinds[kind] += 1
    assert sum(kinds.values()) > MUTATIONS * 0.9
    print(f"\n{make.__name__}: {sum(kinds.values())} mutations, {len(kinds)} kinds")  # noqa: T201


@pytest.mark.parametrize("make", CACHES)
def test_a_flip_of_any_one_bit_is_noticed(make: Callable[[Path], Any], tmp_path: Path) -> None:
    cache = make(tmp_path)
    cache.use()
    whole = cache.path.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 300)):
        spoilt = bytearray(whole)
        spoilt[place] ^= 1 << place % 8
        cache.path.write_bytes(spoilt)
        assert not cache.use(), place


@pytest.mark.root
@needs_root
@pytest.mark.parametrize("make", CACHES)
def test_a_folder_below_one_of_somebody_else_is_not_believed(
    make: Callable[[Path], Any], tmp_path: Path
) -> None:
    cache = make(tmp_path)
    cache.use()
    assert cache.use()

    os.chown(tmp_path, 65534, 65534)

    assert not cache.use()
    before = cache.path.read_bytes()
    cache.path.write_bytes(before + b"x")
    assert not cache.use()
    assert cache.path.read_bytes() == before + b"x"
