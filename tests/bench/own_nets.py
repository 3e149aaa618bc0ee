# SPDX-License-Identifier: MIT
"""Nets as users write them, to be named to bench as own_nets:Plain and so on."""

import torch
from torch import nn
from torch.nn import functional

input_shape = (1, 8, 8)


class Plain(nn.Module):
    """A small classifier in the usual style."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout(0.5)
        self.body = nn.Sequential(nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(functional.relu(self.conv(x)))
        return self.body(self.drop(x.view(x.size(0), -1)))


class Residual(nn.Module):
    """A shortcut around a layer, and an input shape of its own."""

    input_shape = (12,)

    def __init__(self) -> None:
        super().__init__()
        self.inside = nn.Linear(12, 12)
        self.last = nn.Linear(12, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(torch.relu(x + self.inside(x)))


class Unsupported(nn.Module):
    """Three things that clprobe has not."""

    def __init__(self) -> None:
        super().__init__()
        self.act = nn.GELU()
        self.fc = nn.Linear(64, 5, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.fc(self.act(torch.flatten(x, 1))))


class NoClassifier(nn.Module):
    """Its output is an image."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


class Branching(nn.Module):
    """What it does depends on the values."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if x.sum() > 0 else -x


class Broken(nn.Module):
    """It cannot even be made."""

    def __init__(self) -> None:
        raise FileNotFoundError("weights.pt")
