# SPDX-License-Identifier: MIT
"""Layers: parameters with names, and a forward pass; names, shapes and order are torch's."""

from clprobe.tensor.nn.layers import (
    Conv2d,
    ConvTranspose2d,
    Flatten,
    Linear,
    MaxPool2d,
    Module,
    ReLU,
    Residual,
    Sequential,
)
from clprobe.tensor.nn.norm import (
    AvgPool2d,
    BatchNorm1d,
    BatchNorm2d,
    Dropout,
    GlobalAvgPool2d,
    LayerNorm,
    LogSoftmax,
    Softmax,
)
from clprobe.tensor.ops.dropout import RandomStream

__all__ = [
    "AvgPool2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "Conv2d",
    "ConvTranspose2d",
    "Dropout",
    "Flatten",
    "GlobalAvgPool2d",
    "LayerNorm",
    "Linear",
    "LogSoftmax",
    "MaxPool2d",
    "Module",
    "RandomStream",
    "ReLU",
    "Residual",
    "Sequential",
    "Softmax",
]
