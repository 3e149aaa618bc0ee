# SPDX-License-Identifier: MIT
"""torch on OpenCL through pytorch_dlprim, where that was built."""

from typing import Any

import pytorch_ocl
import torch
import torch_peer
from works import Prepared, Work, serve


def prepare(work: Work) -> Prepared:
    """Let torch_peer.py prepare the same on the first OpenCL device."""
    return torch_peer.prepare(work, torch.device("ocl:0"), _wait)


def _wait(*_: Any) -> None:
    torch.ocl.synchronize()


if __name__ == "__main__":
    assert pytorch_ocl
    serve(prepare)
