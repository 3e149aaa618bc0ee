# SPDX-License-Identifier: MIT
"""Makes clprobe.pyz: one file that any Python from 3.10 on runs, without installing anything.

    python3 .ci/single_file.py clprobe.pyz               for all Pythons, with pip's index
    python3 .ci/single_file.py --wheel FILE clprobe.pyz  with a wheel that was built before
    python3 .ci/single_file.py --here clprobe.pyz        for tests: from packages of this Python
    python3 .ci/single_file.py --sbom clprobe.cdx.json   what the first packs; cyclonedx-bom

In it are clprobe's wheel, its dependencies as `single_file/requirements.txt` pins them, and the
rules as they are parsed. `single_file/start.py` unpacks it. The same sources give the same bytes on
one machine; SOURCE_DATE_EPOCH sets the time of the files in it. Needs pip, and msgspec for the
Python that runs it.
"""

import argparse
import hashlib
import importlib.metadata
import io
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ROOT / ".ci/single_file"
PINS = PARTS / "requirements.txt"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
PLATFORMS = tuple(
    f"{libc}_{machine}"
    for libc in ("manylinux_2_28", "musllinux_1_2")
    for machine in ("x86_64", "aarch64")
)
MOST_BYTES = 8_000_000
MOST = 9 | lzma.PRESET_EXTREME
PIP_LIMIT_S = 600
# A zip file cannot tell of earlier times.
EPOCH = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315_532_800)
# Of others: what is compiled, typed or a program, and what only an installer writes.
_LEFT_OUT = re.compile(
    r"/__pycache__/|\.data/|\.(so|pyc|pyi|pyx|c|h)$|/(RECORD|direct_url\.json|REQUESTED|INSTALLER)$"
)
_START = b"#!/usr/bin/env python3\n"


def main() -> None:
    """Write the file that is asked for, and say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--wheel", type=Path, help="clprobe's wheel; without it one is built")
    parser.add_argument("--here", action="store_true", help="for this Python, from its packages")
    parser.add_argument("--sbom", action="store_true", help="list in CycloneDX what is packed")
    options = parser.parse_args()
    if options.sbom:
        write_list(options.output)
        return
    with tempfile.TemporaryDirectory() as folder:
        wheels, tree = Path(folder, "wheels"), Path(folder, "tree")
        wheels.mkdir()
        wheel = options.wheel or build_wheel(wheels)
        unpack(wheel, tree)
        if options.here:
            cores = copy_installed(tree)
        else:
            download(wheels)
            cores = unpack_pinned(wheels, tree)
        parse_rules(tree, cores)
        write(options.output, packed(tree, preset=0 if options.here else MOST), cores)
    size = options.output.stat().st_size
    print(f"{options.output}: {size / 1e6:.1f} MB", file=sys.stderr)  # noqa: T201
    if size > MOST_BYTES:
        sys.exit(f"{options.output} is larger than {MOST_BYTES / 1e6:.0f} MB.")


def write_list(output: Path) -> None:
    """Write what is packed, with hashes, as cyclonedx-bom of this Python tells it of the pins."""
    command = (sys.executable, "-W", "ignore", "-m", "cyclonedx_py", "requirements", str(PINS))
    options = ("--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible")
    done = subprocess.run(
        [*command, *options], check=True, timeout=PIP_LIMIT_S, stdout=subprocess.PIPE
    )
    bill = json.loads(done.stdout)
    # Neither is in pyproject.toml, nor in a file of pins.
    root = bill["metadata"]["component"]
    found = re.search('__version__ = "(.+)"', (ROOT / "clprobe/version.py").read_text("utf-8"))
    root["version"] = found[1] if found else sys.exit("clprobe/version.py has no version.")
    needed = sorted(part["bom-ref"] for part in bill["components"])
    others = [part for part in bill["dependencies"] if part["ref"] != root["bom-ref"]]
    bill["dependencies"] = [{"ref": root["bom-ref"], "dependsOn": needed}, *others]
    output.write_text(json.dumps(bill, indent=2, sort_keys=True) + "\n", "utf-8")


def pip(*arguments: object) -> None:
    """Run this Python's pip."""
    quiet = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "-q")
    subprocess.run([*quiet, *map(str, arguments)], check=True, timeout=PIP_LIMIT_S)


def build_wheel(folder: Path) -> Path:
    """Return the wheel of this checkout."""
    pip("wheel", "--no-deps", "-w", folder, ROOT)
    return next(folder.glob("clprobe-*.whl"))


def download(folder: Path) -> None:
    """Fetch the wheels that are pinned; pip compares their hashes."""
    fetch = ("download", "--no-deps", "--require-hashes", "--only-binary=:all:", "-d", folder)
    pinned = PINS.read_text("utf-8").partition("msgspec==")
    pure, compiled = folder / "pure.txt", folder / "compiled.txt"
    pure.write_text(pinned[0])
    compiled.write_text(f"{pinned[1]}{pinned[2]}")
    any_of = ("--platform=manylinux2014_x86_64", "--platform=manylinux_2_28_x86_64")
    pip(*fetch, "--python-version=3.13", "--implementation=cp", *any_of, "-r", pure)
    for python in PYTHONS:
        for platform in PLATFORMS:
            older = platform.replace("manylinux_2_28", "manylinux2014")
            for_it = (f"--platform={platform}", f"--platform={older}", f"--python-version={python}")
            pip(*fetch, *for_it, "--implementation=cp", "-r", compiled)


def unpack(wheel: Path, tree: Path) -> None:
    """Unpack what is of use in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            is_ours = name.startswith("clprobe/")
            if is_ours or not (_LEFT_OUT.search(name) or name.endswith("/")):
                archive.extract(name, tree)


def unpack_pinned(wheels: Path, tree: Path) -> dict[str, bytes]:
    """Unpack the dependencies, and return what is compiled of msgspec by file name."""
    cores = {}
    for wheel in sorted(wheels.glob("*.whl")):
        if wheel.name.startswith("msgspec-"):
            with zipfile.ZipFile(wheel) as archive:
                core = next(name for name in archive.namelist() if name.endswith(".so"))
                cores[_core_name(wheel.name, Path(core).name)] = archive.read(core)
        if not wheel.name.startswith("clprobe-"):
            unpack(wheel, tree)
    return cores


def _core_name(wheel: str, core: str) -> str:
    """Return the name with the C library in it, which Python 3.10 leaves out, see unpacking.py."""
    return core.replace("-linux-gnu", "-linux-musl") if "musllinux" in wheel else core


def copy_installed(tree: Path) -> dict[str, bytes]:
    """Copy the same packages from where this Python has them."""
    core = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    cores = {}
    for name in re.findall(r"^([\w-]+)==", PINS.read_text("utf-8"), re.MULTILINE):
        for file in _files_of(name):
            place = str(file)
            if file.name == core:
                cores[core] = file.locate().read_bytes()
            if not place.startswith("..") and not _LEFT_OUT.search(f"/{place}"):
                (tree / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), tree / place)
    return cores


def _files_of(name: str) -> list[importlib.metadata.PackagePath]:
    try:
        return list(importlib.metadata.files(name) or ())
    except importlib.metadata.PackageNotFoundError:
        if name == "tomli" and sys.version_info >= (3, 11):
            return []  # which has tomllib
        raise


def parse_rules(tree: Path, cores: dict[str, bytes]) -> None:
    """Add what the rules parse to, as clprobe in the tree parses them."""
    name = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    core = tree / "msgspec" / name
    core.write_bytes(cores[name])
    subprocess.run(
        [sys.executable, "-I", str(PARTS / "parse_rules.py"), str(tree)],
        check=True,
        timeout=PIP_LIMIT_S,
    )
    core.unlink()


def packed(tree: Path, preset: int) -> bytes:
    """Return the tree as an archive that tells nothing of when and by whom it was made."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(path for path in tree.rglob("*") if path.is_file()):
            entry = tarfile.TarInfo(str(path.relative_to(tree)))
            content = path.read_bytes()
            entry.size, entry.mtime, entry.mode = len(content), EPOCH, 0o644
            archive.addfile(entry, io.BytesIO(content))
    # Deflate looks back 32 KiB, which makes it half as large again.
    return lzma.compress(whole.getvalue(), preset=preset)


def write(output: Path, modules: bytes, cores: dict[str, bytes]) -> None:
    """Write the file: its start, the archive, and a msgspec for each Python."""
    digest = hashlib.sha256(modules)
    for core in sorted(cores):
        digest.update(cores[core])
    with output.open("wb") as file:
        file.write(_START)
        with zipfile.ZipFile(file, "w") as archive:
            for name, source in _sources(digest.hexdigest()):
                _add(archive, name, source)
            for core, content in sorted(cores.items()):
                _add(archive, core, content)
            _add(archive, "modules.tar.xz", modules, zipfile.ZIP_STORED)
    output.chmod(0o755)


def _sources(digest: str) -> Iterator[tuple[str, bytes]]:
    yield "__main__.py", (PARTS / "start.py").read_bytes().replace(b"@CONTENT@", digest.encode())
    yield "private_folders.py", (ROOT / "clprobe/private_folders.py").read_bytes()
    for name in ("signatures.py", "unpacking.py"):
        yield name, (PARTS / name).read_bytes()


def _add(
    archive: zipfile.ZipFile, name: str, content: bytes, method: int = zipfile.ZIP_DEFLATED
) -> None:
    entry = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
    entry.compress_type, entry.external_attr = method, 0o644 << 16
    archive.writestr(entry, content, compresslevel=9)


if __name__ == "__main__":
    main()
