# SPDX-License-Identifier: MIT
"""A small deep-learning framework on OpenCL: tensors, a tape, layers and an optimiser."""

from clprobe.tensor import functions, nn, ops, optim
from clprobe.tensor.array import Array
from clprobe.tensor.autocast import autocast
from clprobe.tensor.choose import choose
from clprobe.tensor.device import Device, Recorded
from clprobe.tensor.errors import BuildError, DeviceError, DtypeError, OutOfMemoryError, ShapeError
from clprobe.tensor.limits import Limits
from clprobe.tensor.loss_scale import LossScale
from clprobe.tensor.tensor import (
    Tensor,
    conv2d,
    conv_transpose2d,
    linear,
    max_pool2d,
    softmax_cross_entropy,
)

__all__ = [
    "Array",
    "BuildError",
    "Device",
    "DeviceError",
    "DtypeError",
    "Limits",
    "LossScale",
    "OutOfMemoryError",
    "Recorded",
    "ShapeError",
    "Tensor",
    "autocast",
    "choose",
    "conv2d",
    "conv_transpose2d",
    "functions",
    "linear",
    "max_pool2d",
    "nn",
    "ops",
    "optim",
    "softmax_cross_entropy",
]
