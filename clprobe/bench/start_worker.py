# SPDX-License-Identifier: MIT
"""`python -m clprobe.bench.start_worker FD`: worker.py behind a guardian, which it leaves here."""

from clprobe.probe.guardian import stand_guard


def main() -> None:
    """Start the guardian, then measure."""
    stand_guard()
    # NumPy and pyopencl take time, and start threads, which no fork may follow.
    from clprobe.bench.worker import main as measure  # noqa: PLC0415

    measure()


if __name__ == "__main__":
    main()
