# SPDX-License-Identifier: MIT
"""A driver below a folder that the user may not search: the folder is named, nothing is closed."""

import json

import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.codec import snapshot_from_text

KNOWLEDGE = Knowledge.load()


def remedies_for(folder, mode="0700", file_mode="0755", uid=0):
    closed = [{"path": folder, "uid": uid, "gid": uid, "mode": mode}] if mode else []
    library = {
        "path": f"{folder}/lib/libx.so",
        "open_error": "EACCES",
        "access": {
            "uid": 0, "gid": 0, "mode": file_mode,
            "closed_folders": closed,
        },
    }  # fmt: skip
    document = {
        "user": {"uid": 65534, "name": "nobody", "groups": [{"gid": 65534}]},
        "icds": [
            {
                "path": "/etc/OpenCL/vendors/x.icd",
                "searched_by": ["/lib/libOpenCL.so.1"],
                "library": library,
            }
        ],
    }
    made = diagnose(snapshot_from_text(json.dumps(document), name="test"), KNOWLEDGE)
    found = next(one for one in made.findings if one.id == "icd-library-not-readable")
    return found.remedies


def test_a_closed_folder_of_the_system_is_opened_and_gets_its_own_mode_back():
    (remedy,) = remedies_for("/opt/driver", "0750")
    assert remedy.argv == ("chmod", "a+x", "/opt/driver")
    assert remedy.undo == ("chmod", "0750", "/opt/driver")
    assert remedy.needs_root


@pytest.mark.parametrize(("folder", "uid"), [("/root", 0), ("/home/ann", 1000), ("/opt/own", 1000)])
def test_a_private_folder_is_named_and_not_opened(folder, uid):
    (remedy,) = remedies_for(folder, uid=uid)
    assert remedy.argv is None
    assert folder in remedy.title


def test_where_the_file_itself_is_closed_it_gets_its_own_mode_back():
    (remedy,) = remedies_for("/opt/driver", None, "0640")
    assert remedy.argv == ("chmod", "a+r", "/opt/driver/lib/libx.so")
    assert remedy.undo == ("chmod", "0640", "/opt/driver/lib/libx.so")
