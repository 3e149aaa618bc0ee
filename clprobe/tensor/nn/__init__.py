# SPDX-License-Identifier: MIT
"""Layers: parameters with names, and a forward pass; names, shapes and order are torch's."""

from clprobe.tensor.nn.layers import Conv2d, Flatten, Linear, MaxPool2d, ReLU, Sequential
from clprobe.tensor.nn.module import Module

__all__ = ["Conv2d", "Flatten", "Linear", "MaxPool2d", "Module", "ReLU", "Sequential"]
