# SPDX-License-Identifier: MIT
"""How long doctor takes for many machines, and the most memory that all its processes take.

    python tests/benchmarks/fleet_times.py [--machines 10000] [--folder FOLDER]

Writes the snapshots (tests/hosts/varied.py), one of them damaged, then has them summed up as text
and as a page. Exit status 1: that took over 60 s or 500 MB, or the damaged one was not named.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hosts"))
from peak_memory import peak_bytes
from varied import write_fleet

_MOST_S, _MOST_BYTES = 60.0, 500_000_000
_FORMS = ("text", "html")


def main() -> int:
    """Measure each format once."""
    parser = argparse.ArgumentParser(description="Time doctor on many machines.")
    parser.add_argument("--machines", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="where the snapshots are or go; else a new one")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fleet-") as made:
        folder = chosen.folder or Path(made)
        if not any(folder.glob("*.json")):
            started = time.monotonic()
            write_fleet(folder, chosen.machines)
            (folder / "machine-damaged.json").write_text('{"schema": "clprobe.snapshot/1", "gpus"')
            print(f"{chosen.machines} snapshots written in {time.monotonic() - started:.0f} s")  # noqa: T201
        return max([_measured(folder, form) for form in _FORMS])


def _measured(folder: Path, form: str) -> int:
    with tempfile.TemporaryDirectory(prefix="fleet-page-") as made:
        page = Path(made, "page")
        line = f'exec "$1" -m clprobe doctor "$2" --format {form} > "$3"'
        argv = ["sh", "-c", line, "sh", sys.executable, str(folder), str(page)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        peak, took_s, status = peak_bytes(argv)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        text = page.read_text("utf-8")
    fine = took_s <= _MOST_S and peak <= _MOST_BYTES and "machine-damaged.json" in text
    print(  # noqa: T201
        f"{form}: {took_s:.1f} s, {cpu_s:.1f} s of processors, {peak / 1e6:.0f} MB, "
        f"exit status {status}, {len(text):,} characters{'' if fine else ': NOT AS DEMANDED'}"
    )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
