# SPDX-License-Identifier: MIT
"""The import contracts of pyproject.toml, and what start-up may load."""

import ast
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest
from vulture import Vulture

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"numpy", "pyopencl", "torch"}
MOST_FILES_IN_A_FOLDER = 35
# What others call by these names, a ladder's YAML say, and what is kept so that something else
# lives on.
CALLED_BY_OTHERS = {
    *("format_epilog", "writelines", "writable", "unraisablehook", "test_rules", "docs"),
    *("_boxed_call", "__getattr__", "ActionModule"),
}
BUILT_IN = {"dict", "frozenset", "list", "set", "tuple"}
NETWORK = {"aiohttp", "ftplib", "http", "httpx", "requests", "smtplib", "socket", "ssl", "urllib3"}


def test_the_import_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run(
        [linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )

    assert result.returncode == 0, result.stdout + result.stderr


def test_no_import_is_circular() -> None:
    graph = grimp.build_graph("clprobe", cache_dir=None)

    TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    ).prepare()  # a CycleError names the circle


def test_nothing_is_there_that_nothing_uses() -> None:
    # What is registered is called by the type of its argument, or by an operation's name.
    registers = ["@commands_of.register", "@typed.register", "@in_shell.register", "@ENTRIES.of"]
    search = Vulture(ignore_decorators=registers)
    search.scavenge([str(ROOT / folder) for folder in ("clprobe", "tests", ".ci")])
    # What is only told by name, such as a field of a document, counts as a variable.
    kinds = {"attribute", "class", "function", "import", "method", "property", "unreachable_code"}
    unused = {one for one in search.get_unused_code(min_confidence=60) if one.typ in kinds}

    product = {one for one in unused if ROOT / "clprobe" in one.filename.parents}
    assert {str(one) for one in product if one.name not in CALLED_BY_OTHERS} == set()
    assert {one.name for one in product} >= CALLED_BY_OTHERS  # each of them is still needed here


def test_no_folder_holds_more_files_than_one_can_survey() -> None:
    files = Counter(path.parent for path in (ROOT / "clprobe").rglob("*.py"))

    assert {folder for folder, count in files.items() if count > MOST_FILES_IN_A_FOLDER} == set()


@pytest.mark.parametrize("arguments", [["--help"], ["doctor", "--json"]], ids=" ".join)
def test_light_commands_load_no_numpy_pyopencl_or_torch(arguments: list[str]) -> None:
    loaded = modules_loaded_by(arguments)

    assert not loaded & HEAVY


def test_help_loads_no_rich_and_no_yaml() -> None:
    assert not modules_loaded_by(["--help"]) & {"rich", "yaml", "msgspec"}


def test_no_field_quotes_a_part_of_its_type() -> None:
    """Python 3.10 leaves `tuple["Later", ...]` as it stands, which msgspec then cannot decode."""
    fields = {
        f"{path.relative_to(ROOT)}: {ast.unparse(node)}": node.annotation
        for path in (ROOT / "clprobe").rglob("*.py")
        for outer in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(outer, ast.ClassDef)
        for node in outer.body
        if isinstance(node, ast.AnnAssign)
    }

    assert len(fields) > 1000
    assert [name for name, annotation in fields.items() if _quotes_a_part(annotation)] == []


def _quotes_a_part(annotation: ast.expr) -> bool:
    """Tell whether an argument of tuple and the like is quoted; types of `typing` read it."""
    for part in ast.walk(annotation):
        if isinstance(part, ast.Subscript) and ast.unparse(part.value) in BUILT_IN:
            arguments = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
            if any(isinstance(getattr(one, "value", None), str) for one in arguments):
                return True
    return False


def test_no_module_of_clprobe_can_open_a_connection() -> None:
    imported = {
        (str(path.relative_to(ROOT)), name)
        for path in (ROOT / "clprobe").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in _imported(node)
    }

    assert ("clprobe/cli/extras.py", "urllib.parse") in imported  # which opens none
    assert [
        one
        for one in imported
        if one[1].partition(".")[0] in NETWORK or one[1] in ("urllib", "urllib.request")
    ] == []


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [str(node.module)] if isinstance(node, ast.ImportFrom) else []


def modules_loaded_by(arguments: list[str]) -> set[str]:
    """Return the top-level modules in the process after `clprobe ARGUMENTS`."""
    program = (
        "import sys, atexit\n"
        "from clprobe.cli.main import main\n"
        "atexit.register(lambda: print('LOADED', *sys.modules, file=sys.stderr))\n"
        f"main({arguments!r})\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    line = next(line for line in result.stderr.splitlines() if line.startswith("LOADED"))
    return {name.partition(".")[0] for name in line.split()[1:]}
