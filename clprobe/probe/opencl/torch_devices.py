# SPDX-License-Identifier: MIT
"""Asks PyTorch for its devices, inside the child: its import loads drivers as any program does.

Part of the child (opencl_worker.py): nothing but the standard library, and torch itself.
"""

import importlib.util

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_DEVICES = 16


def ask_torch(report: "Callable[..., None]", device_type: str) -> None:
    """Report the devices of one type, `xpu`, `cuda` or `ocl`, and PyTorch's error without any."""
    report(stage="load")
    import torch  # noqa: PLC0415 - the one role that needs it

    if device_type == "ocl" and importlib.util.find_spec("pytorch_ocl"):
        import pytorch_ocl  # type: ignore[import-not-found]  # noqa: F401, PLC0415 - registers the device
    report(stage="devices")
    for index in range(_MOST_DEVICES):
        name = f"{device_type}:{index}"
        report(asking=name)
        try:
            # Real work, and the sum read back: a name alone proves little.
            right = float((torch.ones(4, device=name) + 1).sum().cpu()) == 8.0
        except Exception as error:  # noqa: BLE001 - whatever PyTorch raises is its answer
            report(torch_end=name, error=_first_line(error))
            return
        report(torch_device=name, right=right)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"
