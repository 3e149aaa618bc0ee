# SPDX-License-Identifier: MIT
"""`clprobe cache` says what is left on this machine, and removes what is safe to remove."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clprobe.private_files import private_folder
from clprobe.report.schemas import published

README = (Path(__file__).resolve().parent.parent.parent / "README.md").read_text("utf-8")
_SAID = {
    "rules-*": re.search(r"A file of parsed rules has (\d+\.\d+) MB", README),
    "tables-*": re.search(r"one of tables (\d+\.\d+) MB", README),
    "derived-rules-*": re.search(r"one of checked rules (\d+\.\d+) MB", README),
}

_CACHED = {"rules-1.msgpack": b"rules", "kernels/one": b"kernel", "tuned/device.yaml": b"table"}


class _Home:
    """A home with a bit of everything in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.caches = folder, folder / ".cache"
        self.own = self.caches / "clprobe"
        for name, content in _CACHED.items():
            path = self.own / name
            with private_folder(path.parent, may_make=3) as cache:
                cache.write(path.name, content)
        self.others = [self.caches / "pocl/kcache/tempfile", self.caches / "pytools/one"]
        self.journal = folder / ".local/state/clprobe/one.json"
        for path in (*self.others, self.journal):
            path.parent.mkdir(parents=True)
            path.write_text("kept")

    def run(self, *options: str, status: int = 0, **variables: str) -> str:
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("XDG_") and name != "POCL_CACHE_DIR"
        }
        done = subprocess.run(
            [sys.executable, "-m", "clprobe", "cache", *options],
            env={**environment, "HOME": str(self.folder), **variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def document(self, *options: str, **more: Any) -> Any:
        document = json.loads(self.run(*options, "--json", **more))
        Draft202012Validator(published()["clprobe.cache/1"]).validate(document)
        return document

    def entries(self, *options: str, **more: Any) -> dict[str, Any]:
        found = self.document(*options, **more)["entries"]
        # The machine's own, of a test that runs beside this one, say nothing here.
        here = [one for one in found if one["path"].startswith(str(self.folder))]
        return {str(Path(one["path"]).relative_to(self.folder)): one for one in here}


@pytest.fixture
def home(tmp_path: Path) -> _Home:
    return _Home(tmp_path)


def test_the_list_names_all_that_is_left_with_size_and_use_and_changes_nothing(
    home: _Home,
) -> None:
    before = sorted(home.folder.rglob("*"))
    entries = home.entries()
    assert set(entries) == {
        *(".cache/clprobe/rules-1.msgpack", ".cache/clprobe/kernels", ".cache/clprobe/tuned"),
        *(".cache/pocl", ".cache/pytools", ".local/state/clprobe"),
    }
    assert {path for path, one in entries.items() if one["is_cleared"]} == {
        path for path in entries if path.startswith(".cache/clprobe")
    }
    assert not entries[".local/state/clprobe"]["safe_to_remove"]
    assert entries[".cache/pocl"]["remove_with"] == f"rm -r {home.caches / 'pocl'}"
    assert (entries[".cache/pocl"]["bytes"], entries[".cache/pocl"]["files"]) == (4, 1)
    assert sorted(home.folder.rglob("*")) == before


def test_clear_removes_caches_and_neither_journals_nor_what_is_of_others(home: _Home) -> None:
    listed = sum(one["bytes"] for one in home.entries().values() if one["is_cleared"])
    document = home.document("--clear")
    assert document["freed_bytes"] == listed
    assert not home.own.exists()
    assert [path.read_text() for path in (*home.others, home.journal)] == ["kept"] * 3
    assert home.document("--clear")["freed_bytes"] == 0


def test_people_are_told_what_goes_what_stays_and_how_to_remove_it(home: _Home) -> None:
    text = home.run()
    assert f"{home.own / 'kernels'}" in text
    assert "keep it" in text
    assert f"remove it with: rm -r {home.caches / 'pytools'}" in text
    assert "removed." in home.run("--clear")


def test_what_others_may_write_is_named_with_the_reason_and_left(home: _Home) -> None:
    (home.own / "kernels").chmod(0o777)
    entry = home.entries("--clear")[".cache/clprobe/kernels"]
    assert "others can write to" in entry["problem"]
    assert (home.own / "kernels" / "one").exists()
    assert not (home.own / "tuned").exists()


def test_a_link_in_the_place_of_a_cache_is_not_followed(home: _Home) -> None:
    precious = home.folder / "precious"
    (home.own / "kernels").rename(precious)
    (home.own / "kernels").symlink_to(precious)
    home.run("--clear")
    assert (precious / "one").exists()


def test_folders_of_env_go_when_their_shell_has_ended(home: _Home) -> None:
    ended, at_work = home.own / f"env-{2**30}", home.own / f"env-{os.getpid()}"
    for folder in (ended, at_work):
        folder.mkdir(mode=0o700)
        (folder / "a.icd").touch()
    home.run("--clear")
    assert not ended.exists()
    assert (at_work / "a.icd").exists()


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give files away")
def test_caches_of_somebody_else_are_named_and_left(home: _Home) -> None:
    for path in home.own.rglob("*"):
        os.chown(path, 65534, 65534)
    os.chown(home.own, 65534, 65534)
    entry = home.entries("--clear")[".cache/clprobe/tuned"]
    assert "belongs to user 65534" in entry["problem"]
    assert (home.own / "tuned" / "device.yaml").exists()


def test_the_readme_states_the_size_of_parsed_rules_and_each_place(home: _Home) -> None:
    home.run("--clear")
    subprocess.run(
        [sys.executable, "-m", "clprobe", "explain", "no gpu"],
        env={**os.environ, "XDG_CACHE_HOME": str(home.caches)},
        capture_output=True,
        timeout=120,
        check=True,
    )
    for pattern, said in _SAID.items():
        (path,) = home.own.glob(pattern)
        assert said is not None
        assert f"{path.stat().st_size / 1e6:.1f}" == said[1]
    assert all(
        f"~/{path}" in README
        for path in home.entries()
        if "rules" not in path and "tables" not in path
    )
