# SPDX-License-Identifier: MIT
"""A driver that is registered twice is one driver."""

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.codec import snapshot_from_text

TWICE = """
icds:
  - {path: /etc/OpenCL/vendors/a.icd, searched_by: [/lib/libOpenCL.so.1],
     library: {path: /lib/libpocl.so.2, real_path: /lib/libpocl.so.2.12.0}, answer: ANSWER}
  - {path: libpocl.so.2, file_type: library, searched_by: [/lib/libOpenCL.so.1],
     library: {path: /lib/libpocl.so.2.12.0, real_path: SECOND}, answer: ANSWER}
""".replace(
    "ANSWER",
    "{stage: queries, outcome: ok, platforms:"
    " [{name: Portable Computing Language, devices: [{name: cpu-one, type: cpu}]}]}",
)


def names(text: str) -> list[str | None]:
    diagnosis = diagnose(snapshot_from_text(text, name="twice"), Knowledge.load())
    return [device.name for device in diagnosis.devices]


def test_two_names_of_one_library_give_its_device_once() -> None:
    assert names(TWICE.replace("SECOND", "/lib/libpocl.so.2.12.0")) == ["cpu-one"]


def test_two_libraries_give_a_device_each() -> None:
    assert names(TWICE.replace("SECOND", "/opt/libpocl.so.2.15.0")) == ["cpu-one", "cpu-one"]
