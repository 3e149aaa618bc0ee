# SPDX-License-Identifier: MIT
"""A proof is believed as long as nothing has changed that it rests on."""

import json
from pathlib import Path

import proofs
import pytest


@pytest.fixture(autouse=True)
def _own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "_FILE", tmp_path / "proofs.json")
    monkeypatch.setattr(proofs, "RENEW", False)


def ran(compiler: str = "one 1.0") -> bool:
    try:
        with proofs.proof("test", compiler):
            return True
    except pytest.skip.Exception:
        return False


def test_what_was_proved_is_not_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ran()
    assert ran(), "nothing is remembered unless asked"
    monkeypatch.setattr(proofs, "RENEW", True)
    assert ran()
    assert ran(), "asked to renew, it is proved each time"
    monkeypatch.setattr(proofs, "RENEW", False)
    assert not ran()
    assert ran("one 1.1")


def test_what_failed_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "RENEW", True)
    with pytest.raises(AssertionError), proofs.proof("test", "one 1.0"):
        raise AssertionError
    monkeypatch.setattr(proofs, "RENEW", False)
    assert ran()


@pytest.mark.parametrize(
    "name",
    ["kernels/matmul/subgroup.cl", "clprobe/tensor/ops/matmul.py", "tests/kernels/asked_for.py",
     "tests/tensor/every_operation.py"],
)  # fmt: skip
def test_a_changed_file_asks_for_a_new_proof(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "RENEW", True)
    assert ran()
    monkeypatch.setattr(proofs, "RENEW", False)
    changed = {**proofs.files(), name: proofs.files()[name] + b"\n"}
    monkeypatch.setattr(proofs, "files", lambda: changed)
    assert ran()


def test_the_proofs_that_are_kept_name_tests() -> None:
    kept = json.loads(Path(proofs.__file__).with_name("proofs.json").read_text("utf-8"))
    folder = Path(proofs.__file__).parent
    for name in kept:
        file, _, test = name.partition("::")
        assert f"def {test.partition('[')[0]}(" in (folder / file).read_text("utf-8")
