# SPDX-License-Identifier: MIT
"""U-Nets (Ronneberger et al. 2015) of two kinds, for images whose sides are multiples of 4."""

from typing import Literal

import torch
from torch import nn
from torch.nn import functional

Kind = Literal["batch", "group"]
"""With batch-norm, ReLU and transposed convolutions, or group-norm, SiLU and bilinear ones."""


class UNet(nn.Module):
    """Three levels; those of one size are put beside each other on the way up."""

    def __init__(self, width: int, kind: Kind) -> None:
        super().__init__()
        self.downs = nn.ModuleList([_twice(3, width, kind), _twice(width, 2 * width, kind)])
        self.inside = _twice(2 * width, 4 * width, kind)
        self.larger = nn.ModuleList([_larger(4 * width, kind), _larger(2 * width, kind)])
        self.ups = nn.ModuleList(
            [_twice(4 * width, 2 * width, kind), _twice(2 * width, width, kind)]
        )
        self.last = nn.Conv2d(width, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        sides = []
        for down in self.downs:
            sides.append(down(x))
            x = functional.max_pool2d(sides[-1], 2)
        x = self.inside(x)
        for larger, up in zip(self.larger, self.ups, strict=True):
            x = up(torch.cat([larger(x), sides.pop()], 1))
        return self.last(x)


def _twice(inputs: int, outputs: int, kind: Kind) -> nn.Sequential:
    layers: list[nn.Module] = []
    for channels in (inputs, outputs):
        layers.append(nn.Conv2d(channels, outputs, 3, padding=1, bias=kind == "group"))
        if kind == "batch":
            layers += [nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]
        else:
            layers += [nn.GroupNorm(4, outputs), nn.SiLU()]
    return nn.Sequential(*layers)


def _larger(channels: int, kind: Kind) -> nn.Module:
    if kind == "batch":
        return nn.ConvTranspose2d(channels, channels // 2, 2, 2)
    enlarged = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
    return nn.Sequential(enlarged, nn.Conv2d(channels, channels // 2, 3, padding=1))
