# SPDX-License-Identifier: MIT
"""Repositories of third parties: one pinned key in its own file, for one source, over HTTPS."""

import re
import shutil
import subprocess

import pytest

from clprobe.commands.files import check_key
from clprobe.install.planner import plan
from clprobe.install.steps import add_repository
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
ORIGINS = TABLES.origins()
PINNED = sorted(key for key, origin in ORIGINS.items() if origin.fingerprint)


def planned(gpu, os):
    return plan(described(Stated(), TABLES, gpu=gpu, os=os), TABLES)


@pytest.mark.parametrize("key", PINNED)
def test_a_source_is_bound_to_a_key_whose_fingerprint_is_pinned(key):
    origin = ORIGINS[key]
    for release in origin.repositories:
        distribution = TABLES.distribution(*release.split("-"))
        steps = add_repository(origin, distribution)
        fetch = next(step for step in steps if step.argv[0] == "curl")
        assert "=https" in fetch.argv
        pinned = (origin.fingerprint, *origin.other_fingerprints)
        assert fetch.verify[-len(pinned) :] == pinned
        source = next(step for step in steps if "URIs:" in step.argv[-1])
        assert f"Signed-By: /etc/apt/keyrings/clprobe-{key}.asc" in source.argv[-1]
        assert re.findall(r"URIs: (\w+)://", source.argv[-1]) == ["https"]
        assert steps.index(fetch) < steps.index(source)
        words = " ".join(word for step in steps for word in step.argv)
        assert "trusted" not in words
        assert "|" not in words


def test_without_a_fingerprint_nothing_is_taken_and_that_is_said():
    vouched = {key for key, origin in ORIGINS.items() if origin.enabling}
    assert set(ORIGINS) - set(PINNED) - vouched == {"intel-oneapi"}
    made = planned("8086:5917", "ubuntu-24.04")
    said = [r.because for r in made.rejected if "fingerprint" in r.because]
    assert any(because.startswith("Intel's oneAPI repository") for because in said)
    for route in made.routes:
        assert not any("intel.com" in word for step in route.steps for word in step.argv)


def test_vendors_drivers_come_from_their_repositories_where_the_release_has_none():
    made = planned("1002:73bf", "ubuntu-24.04")
    amd = next(route for route in made.routes if route.backend == "amd-rocm")
    assert (amd.how, amd.status) == ("repository", "unverified")
    assert any("amdrocm-opencl10.0" in step.argv for step in amd.steps)


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    """Return the file of a new key, and its fingerprint."""
    if shutil.which("gpg") is None:
        pytest.skip("needs gpg")
    home = tmp_path_factory.mktemp("gnupg")
    home.chmod(0o700)

    def gpg(*words):
        return subprocess.run(
            ["gpg", "--homedir", home, "--batch", "--passphrase", "", *words],
            capture_output=True,
            timeout=60,
            check=True,
        ).stdout

    gpg("--quick-generate-key", "A repository <a@example.org>", "ed25519", "sign", "never")
    file = home / "key.asc"
    file.write_bytes(gpg("--armor", "--export"))
    found = re.findall(r"fpr:+([0-9A-F]{40}):", gpg("--with-colons", "--list-keys").decode())
    return file, found[0]


def answer(file, fingerprint):
    return subprocess.run(
        check_key(str(file), fingerprint), capture_output=True, text=True, check=False, timeout=60
    )


def test_the_right_key_passes(key):
    file, fingerprint = key
    assert answer(file, fingerprint).returncode == 0


def test_another_key_is_refused(key):
    file, fingerprint = key
    refused = answer(file, fingerprint[::-1])
    assert refused.returncode == 1
    assert fingerprint in refused.stderr


def test_a_further_key_in_the_file_is_refused(key, tmp_path):
    file, fingerprint = key
    home = tmp_path / "other"
    home.mkdir(mode=0o700)
    words = ["gpg", "--homedir", home, "--batch", "--passphrase", ""]
    make = [*words, "--quick-generate-key", "Another <b@example.org>", "ed25519", "sign", "never"]
    subprocess.run(make, capture_output=True, timeout=60, check=True)
    subprocess.run([*words, "--import", file], capture_output=True, timeout=60, check=True)
    both = tmp_path / "both.asc"
    exported = subprocess.run(
        [*words, "--armor", "--export"], capture_output=True, timeout=60, check=True
    )
    both.write_bytes(exported.stdout)
    assert answer(both, fingerprint).returncode == 1


def test_what_is_no_key_is_refused(tmp_path):
    file = tmp_path / "page.html"
    file.write_text("<html>404</html>")
    assert answer(file, ORIGINS["nvidia-cuda"].fingerprint).returncode != 0


def test_wheels_are_pinned_by_version_and_not_by_hash():
    made = plan(
        described(Stated(), TABLES, gpu="8086:0416", os="ubuntu-24.04"),
        TABLES,
        "pytorch",
    )
    installs = [
        step.argv for step in made.routes[0].steps if step.argv[1:4] == ("-m", "pip", "install")
    ]
    assert any("==" in word for argv in installs for word in argv)
    assert not any("hash" in word for argv in installs for word in argv)
