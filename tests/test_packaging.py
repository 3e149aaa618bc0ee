# SPDX-License-Identifier: MIT
"""rules/ and kernels/ travel with the package, however it is installed."""

import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from packaging.metadata import Metadata

from clprobe.resources import kernels_path, rules_path
from clprobe.watch.counting.compiling import library_name, why_not_here

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "-w", folder, ROOT)
    return next(folder.glob("*.whl"))


def pip(command: str, *arguments: object, path: str = os.environ["PATH"]) -> None:
    """Run pip with the programs in `path`."""
    subprocess.run(
        [sys.executable, "-m", "pip", command, "-q", "--no-deps", *map(str, arguments)],
        env={**os.environ, "PATH": path},
        check=True,
        timeout=300,
    )


def test_a_checkout_finds_its_rules_and_kernels() -> None:
    assert rules_path() == ROOT / "rules"
    assert kernels_path() == ROOT / "kernels"


def test_the_wheel_holds_every_rule_kernel_schema_and_data_file(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    wanted = {
        f"clprobe/_data/{path.relative_to(ROOT)}"
        for folder in ("rules", "kernels")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    wanted |= {f"clprobe/schemas/{path.name}" for path in (ROOT / "clprobe/schemas").iterdir()}
    assert wanted
    assert wanted <= names


def test_an_installed_wheel_answers_from_its_own_data(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)

    program = "from clprobe import resources; print(resources.rules_path())"
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert result.stdout.strip() == str(tmp_path / "clprobe" / "_data" / "rules")


def libraries(wheel: Path) -> list[str]:
    """Return the compiled libraries in a wheel."""
    names = zipfile.ZipFile(wheel).namelist()
    return [name for name in names if name.endswith(".so")]


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.skipif(why_not_here() is not None, reason="kernels are not counted here")
def test_the_wheel_holds_the_counter_of_its_sources_for_this_platform(wheel: Path) -> None:
    assert libraries(wheel) == [f"clprobe/watch/counting/{library_name()}"]
    assert f"-py3-none-manylinux_2_17_{os.uname().machine}" in wheel.name


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.skipif(why_not_here() is not None, reason="kernels are not counted here")
def test_the_counter_needs_no_library_as_its_platform_tag_says(wheel: Path) -> None:
    (library,) = libraries(wheel)
    sections = ELFFile(io.BytesIO(zipfile.ZipFile(wheel).read(library)))

    tags = sections.get_section_by_name(".dynamic").iter_tags()
    assert [tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"] == []
    assert sections.get_section_by_name(".gnu.version_r") is None


def test_a_wheel_made_twice_is_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    pip("wheel", "-w", tmp_path, ROOT)

    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_an_index_finds_all_that_it_shows(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        metadata = Metadata.from_email(archive.read(name), validate=True)

    assert metadata.license_expression == "MIT AND CC-BY-4.0"
    assert metadata.license_files == ["LICENSE", "LICENSES/CC-BY-4.0.txt"]
    assert metadata.description_content_type == "text/markdown"
    assert metadata.description is not None
    assert metadata.description.startswith("# clprobe\n")
    assert {"Changelog", "Documentation", "Homepage", "Issues", "Source"} <= {
        *(metadata.project_urls or ())
    }
    releases = {
        one.rpartition(" ")[2] for one in metadata.classifiers or () if "Python :: 3." in one
    }
    assert releases == {"3.10", "3.11", "3.12", "3.13"}
    assert metadata.summary
    assert metadata.author
    assert metadata.keywords


def test_the_oldest_msgspec_that_the_metadata_allows_will_do(tmp_path: Path) -> None:
    """Debian 13 packages it."""
    (least,) = re.findall(r'"msgspec>=(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"))
    try:
        pip("install", "--only-binary=:all:", "--target", tmp_path, f"msgspec=={least}")
    except subprocess.CalledProcessError:
        pytest.skip(f"msgspec {least} is not to be had for this Python")
    variables = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "XDG_CACHE_HOME": str(tmp_path)}
    program = "import msgspec; print(msgspec.__version__); import clprobe.report.schemas as schemas"

    for command in (("-c", f"{program}; schemas.files()"), ("-m", "clprobe", "rules", "validate")):
        done = subprocess.run(
            [sys.executable, *command],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        assert done.stdout.startswith(f"{least}.") or " rules valid" in done.stdout


@pytest.mark.skipif(find_spec("twine") is None, reason="twine is not installed")
def test_twine_would_upload_it(wheel: Path) -> None:
    check = [sys.executable, "-m", "twine", "check", "--strict", str(wheel)]
    subprocess.run(check, check=True, timeout=60)


@pytest.mark.skipif(find_spec("reuse") is None, reason="reuse is not installed")
def test_every_file_tells_its_licence_as_reuse_asks() -> None:
    command = [sys.executable, "-m", "reuse", "lint", "--quiet"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300)


def test_without_a_compiler_the_wheel_is_a_pure_one(tmp_path: Path) -> None:
    pip("wheel", "-w", tmp_path, ROOT, path="/nonexistent")

    (pure,) = tmp_path.glob("*.whl")
    assert libraries(pure) == []
    assert pure.name.endswith("-py3-none-any.whl")


def test_an_editable_installation_needs_no_compiler(tmp_path: Path) -> None:
    pip("install", "--target", tmp_path, "-e", ROOT, path="/nonexistent")

    assert str(ROOT) in "".join(path.read_text() for path in tmp_path.glob("*.pth"))
    assert list((ROOT / "clprobe").rglob("*.so")) == []
