# SPDX-License-Identifier: MIT
"""Names and secrets planted wherever the probe can read appear in no document of any command."""

import json
import re
from pathlib import Path

import pytest
from fake_dri import acl_text, is_possible
from open_folders import let_everybody_in
from planted import CANARIES, OTHER_UID, UID, prepare, run_there

pytestmark = [pytest.mark.root, pytest.mark.slow]
_MARK = "=====next====="
_RAW = (
    "from clprobe.model.codec import snapshot_to_json;"
    "from clprobe.probe.collect import collect;"
    "print(snapshot_to_json(collect(timeout_s=8, run_kernels=True)))"
)
_COMMANDS = (
    "snapshot",
    "snapshot --output /dev/shm/s.yaml && cat /dev/shm/s.yaml",
    "doctor --exit-zero -v",
    "doctor --exit-zero -v --from /dev/shm/s.yaml",
    *(
        f"doctor --exit-zero -v --format {form}"
        for form in ("json", "markdown", "html", "sarif", "junit")
    ),
    "doctor --why icd-library-missing",
    "info",
    "info --json",
    "install-plan --json",
)
_AS_ROOT = ("snapshot", "doctor --exit-zero -v", "doctor --exit-zero -v --json")


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command printed on the private host; "raw": the snapshot before scrubbing."""
    if not is_possible():
        pytest.skip("others may not run this Python, or we may not make namespaces")
    folder = tmp_path_factory.mktemp("planted")
    let_everybody_in(folder)  # the private host's user, that is
    variables = prepare(folder, acl_text(OTHER_UID))
    as_root = {**variables, "AS_ROOT": "1", "SUDO_UID": str(UID), "SUDO_USER": "mallory"}
    return {
        **_printed(folder, variables, _COMMANDS),
        **{f"sudo {name}": text for name, text in _printed(folder, as_root, _AS_ROOT).items()},
    }


def _printed(folder: Path, variables: dict[str, str], commands: tuple[str, ...]) -> dict[str, str]:
    lines = [f'"$PYTHON" -c "{_RAW}"', *(f'"$PYTHON" -m clprobe {one}' for one in commands)]
    script = f"; echo {_MARK}; ".join(f"{{ {line}; }} 2>&1" for line in lines)
    printed = run_there(folder, variables, f"{script}; true")
    return dict(zip(("raw", *commands), printed.split(_MARK), strict=True))


@pytest.mark.parametrize("canary", CANARIES)
def test_every_secret_was_within_reach(canary: str, documents: dict[str, str]) -> None:
    assert canary in documents["raw"].lower() or canary == "tarantula"  # in /etc/passwd alone


@pytest.mark.parametrize("command", [*_COMMANDS, *(f"sudo {one}" for one in _AS_ROOT)])
def test_no_secret_is_printed(command: str, documents: dict[str, str]) -> None:
    text = documents[command].lower()
    assert [canary for canary in CANARIES if canary in text] == []
    assert "traceback" not in text
    assert len(text) > 500, text


def test_relations_remain(documents: dict[str, str]) -> None:
    taken = json.loads(documents["snapshot"].rpartition("clprobe: scrubbed")[0])
    node = taken["device_nodes"][0]
    assert taken["user"]["name"] == "user"
    assert re.fullmatch(r"user\d", node["owner"])
    assert node["group"] == "gpu-users"
    assert "gpu-users" in [group["name"] for group in taken["user"]["groups"]]
    icds = [icd["path"] for icd in taken["icds"]]
    assert "/home/user/vendors/gone.icd" in icds
    assert "/home/user/vendors/talk.icd" in icds
    assert taken["environment"]["LD_LIBRARY_PATH"] == (f"/home/user/lib:/home/{node['owner']}/lib")
    assert "i915.enable_guc=2" in taken["system"]["linux"]["command_line"]
    assert taken["scrubbed"]["user-name"] > 5
