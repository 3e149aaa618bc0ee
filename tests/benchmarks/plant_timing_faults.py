# SPDX-License-Identifier: MIT
"""Plants timing faults in a real driver, runs `clprobe bench --quick` over it, counts refusals.

    python tests/benchmarks/plant_timing_faults.py [--library /path/of/libpocl.so] [FAULT …]

By default in the PoCL inside pyopencl's wheel; a fault takes about 10 s.
"""

import argparse
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from timing_faults import FAULTS, bench, built, refusal


def main() -> None:
    """Plant the faults that are named, or all, and print what came of each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    parser.add_argument("--library", help="of the real driver")
    options = parser.parse_args()
    package = Path(find_spec("pyopencl").origin).parent
    library = options.library or str(next(package.glob(".libs/libpocl-*.so")))
    chosen = [one for one in FAULTS if not options.faults or one.name in options.faults]
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        driver = built(library, Path(folder))
        for fault in chosen:
            status, document = bench(driver, fault.name, fault.workloads)
            reason = refusal(document, status, fault)
            refused += bool(reason)
            said = "refused" if reason else "BELIEVED"
            print(f"{fault.name}: {said} (exit status {status}) {reason}", flush=True)  # noqa: T201
    print(f"{refused} of {len(chosen)} refused")  # noqa: T201


if __name__ == "__main__":
    main()
