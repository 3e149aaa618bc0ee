# SPDX-License-Identifier: MIT
"""clprobe: why OpenCL devices are missing, how to fix it, and whether they beat the CPU.

`snapshot()`, `diagnose()` and `plan()` do what the commands do, and return what these print: see
`clprobe.api`. Nothing is imported before it is used.
"""

from clprobe.version import __version__

TYPE_CHECKING = False  # what drivers' children import has no time for typing
if TYPE_CHECKING:
    from clprobe.api import (
        ClprobeError,
        Diagnosis,
        Finding,
        InstallPlan,
        Route,
        Snapshot,
        diagnose,
        plan,
        snapshot,
    )

__all__ = [
    "ClprobeError",
    "Diagnosis",
    "Finding",
    "InstallPlan",
    "Route",
    "Snapshot",
    "__version__",
    "diagnose",
    "plan",
    "snapshot",
]

if not TYPE_CHECKING:  # which would take any name for one that is there

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'clprobe' has no attribute {name!r}")
        from clprobe import api  # noqa: PLC0415 - only for whoever calls it

        value: object = getattr(api, name)
        globals()[name] = value
        return value
