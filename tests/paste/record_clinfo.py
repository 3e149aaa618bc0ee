# SPDX-License-Identifier: MIT
"""Records clinfo/: what every OpenCL implementation of this machine shows in every format.

`python tests/paste/record_clinfo.py [CLINFO…]`: the first clinfo records all implementations, more
of them (other versions, built from its source) record a few. The live facts lie beside the texts.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
from clinfo_hosts import FORMS, clinfo_output, environment_of, implementations

sys.path.append(str(Path(__file__).resolve().parent.parent / "icds"))
from loader_answer import live_answer

from clprobe.model.unknown import Unknown

CORPUS = Path(__file__).parent / "clinfo"
_ALSO_BY_OTHERS = ("debian-pocl-two", "debian", "intel-tgllp")
_CHANGING = Unknown("it changes from call to call")


def record(programs):
    for name, (libraries, _) in implementations().items():
        if not libraries:
            print(f"{name}: not installed", file=sys.stderr)  # noqa: T201 - progress of a script
            continue
        folder = CORPUS / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with environment_of(name) as environment:
            before = live_answer(environment)
            for place, program in enumerate(programs):
                if place == 0 or name in _ALSO_BY_OTHERS:
                    _record_program(folder, program, environment)
            after = live_answer(environment)
        live = msgspec.json.encode(_steady(before, after))
        (folder / "live.json").write_bytes(msgspec.json.format(live) + b"\n")


def _record_program(folder, program, environment):
    asked = subprocess.run([program, "--version"], capture_output=True, timeout=60, check=False)
    version = asked.stdout.decode().split()[-1]
    for form in FORMS:
        text = clinfo_output(program, form, environment)
        (folder / f"{version}.{form}.txt").write_text(text, encoding="utf-8")


def _steady(before, after):
    """Return the answer without what differs between two calls, such as the clock's frequency."""
    platforms = tuple(
        msgspec.structs.replace(
            platform,
            devices=tuple(
                _steady_device(*pair) for pair in zip(platform.devices, other.devices, strict=True)
            ),
        )
        for platform, other in zip(before.platforms, after.platforms, strict=True)
    )
    return msgspec.structs.replace(before, platforms=platforms)


def _steady_device(before, after):
    changes = {
        name: _CHANGING
        for name in before.__struct_fields__
        if getattr(before, name) != getattr(after, name)
    }
    return msgspec.structs.replace(before, **changes)


if __name__ == "__main__":
    record(sys.argv[1:] or ["clinfo"])
