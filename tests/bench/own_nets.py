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
    """Three things that clprobe has not, one of them three times."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.SiLU(), nn.SiLU(), nn.SiLU())
        self.conv = nn.Conv2d(1, 1, 3, padding=1, padding_mode="circular")
        self.fc = nn.Linear(128, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.conv(self.body(x))
        return self.fc(torch.flatten(torch.cat([x, x], 1), 1))


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
        x = torch.flatten(x, 1)
        return x if x.sum() > 0 else -x


class Sized(nn.Module):
    """It cannot be made without an argument."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.last = nn.Linear(64, classes)


class Narrow(nn.Module):
    """It does not take the input that it claims to."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


class Broken(nn.Module):
    """It cannot even be made."""

    def __init__(self) -> None:
        raise FileNotFoundError("weights.pt")
