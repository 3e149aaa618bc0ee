# SPDX-License-Identifier: MIT
"""needs.yaml: mistakes are named with file, line, value and remedy; the example and schema fit."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from clprobe.knowledge.tables import Tables
from clprobe.model.errors import ClprobeError
from clprobe.needs.reading import read_needs
from clprobe.needs.sizes import bytes_of, in_words
from clprobe.report.schemas import FOLDER

TABLES = Tables.load()
ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "clprobe" / "needs" / "example.yaml"
SCHEMA = json.loads((FOLDER / "clprobe.needs-1.json").read_text("utf-8"))

MISTAKES = {
    "device: {type: gpuu}": (1, "'gpuu'", "gpu"),
    "device:\n  opencl: 3.0": (2, "3.0", ">=3.0"),
    'device:\n  opencl: "3.0"': (2, "'3.0'", ">=3.0"),
    'device:\n  driver: ">=26, <24"': (2, ">=26, <24", "range"),
    'device:\n  driver: ">=x"': (2, "'x'", "range"),
    "device:\n  global_memory: 2 GiBi": (2, "2 GiBi", "2 GiB"),
    "device:\n  local_memory: -1": (2, "-1", "bytes"),
    "device:\n  local_memory: 0": (2, "0", "bytes"),
    "device:\n  compute_units: 0": (2, "0", ""),
    "device:\n  generation: Gen95": (2, "Gen95", "Gen9.5"),
    "device:\n  any:\n    - {generation: [Gen9, Xe9]}": (3, "Xe9", ""),
    "device:\n  vendor: intle": (2, "intle", "intel"),
    "device:\n  features: [fp16, fp63]": (2, "fp63", "fp64"),
    "device:\n  extensions: [fp16]": (2, "'fp16'", "cl_khr_fp16"),
    "device:\n  memory: 2 GiB": (2, "memory", "global_memory"),
    "device:\n  platform: ''": (2, "empty", ""),
    "device:\n  computes: false": (2, "computes", ""),
    "count: 0": (1, "0", ""),
    "counts: 1": (1, "counts", "count"),
    "label: 'a b'\ncount: 1": (1, "'a b'", "letters"),
    "schema: clprobe.needs/2\ncount: 1": (1, "clprobe.needs/2", "clprobe.needs/1"),
    "device: {type: gpu}\nany:\n  - {}": (3, "nothing", "device"),
    "device:\n  any:\n    - {}": (3, "nothing", ""),
    "description: nothing": (1, "nothing", "device"),
    "": (1, "nothing", "README"),
    "- device": (1, "list", "README"),
    "count: 1\ncount: 2": (2, "twice", "README"),
    "device: {type: gpu": (2, "expected", "README"),
}


def written(folder: Path, text: str) -> Path:
    path = folder / "needs.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_named_with_its_line_value_and_remedy(text: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    line, value, remedy = MISTAKES[text]

    with pytest.raises(ClprobeError) as raised:
        read_needs(path, TABLES)

    assert raised.value.message.startswith(f"{path}:{line}: ")
    assert value in raised.value.message
    assert remedy in raised.value.hint
    assert raised.value.hint


def test_needs_that_go_too_deep_are_refused(tmp_path: Path) -> None:
    text = "".join(f"{'  ' * n}{'- ' if n else ''}all:\n" for n in range(30))
    with pytest.raises(ClprobeError, match="deeper"):
        read_needs(written(tmp_path, text), TABLES)


@pytest.mark.parametrize("path", [EXAMPLE, ROOT / "README.md"], ids=lambda path: path.name)
def test_what_is_shown_as_an_example_reads_and_fits_the_schema(path: Path, tmp_path: Path) -> None:
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        start = text.index("# yaml-language-server: $schema=clprobe/schemas/clprobe.needs-1.json")
        text = text[start : text.index("```", start)]

    needs = read_needs(written(tmp_path, text), TABLES)

    assert needs.device is not None
    assert needs.device.type == "gpu"
    Draft202012Validator(SCHEMA).validate(yaml.safe_load(text))


@pytest.mark.parametrize("text", ["device: {type: gpuu}", "device: {memory: 1}", "count: 0"])
def test_the_schema_refuses_what_reading_refuses(text: str) -> None:
    assert not Draft202012Validator(SCHEMA).is_valid(yaml.safe_load(text))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2 GiB", 2 << 30),
        ("64KiB", 65536),
        ("1.5 MB", 1_500_000),
        (7, 7),
        ("7", 7),
        ("2 gib", 2 << 30),
    ],
)
def test_sizes_are_read(text: int | str, size: int) -> None:
    assert bytes_of(text) == size


def test_sizes_are_told_in_their_unit() -> None:
    assert [in_words(one) for one in (2 << 30, 65536, 12)] == ["2 GiB", "64 KiB", "12 bytes"]
