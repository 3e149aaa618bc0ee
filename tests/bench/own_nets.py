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
    """It draws random numbers, which no two sides do alike."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(64, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.flatten(functional.dropout(x, 0.3), 1))


class Reading(nn.Module):
    """Its attention and its recurrent layers drop by themselves."""

    input_shape = (5, 8)

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.read = nn.GRU(8, 6, num_layers=2, dropout=0.3, batch_first=True)
        self.last = nn.Linear(6, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.read(self.layer(x))[0][:, -1])


class Unusual(nn.Module):
    """It holds an operation that clprobe has no kernel for."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(64, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.cumsum(torch.flatten(x, 1), 1) / 64)


class Segments(nn.Module):
    """Its output is a class for each pixel."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.up = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 3, 3, padding=1)
        self.norm = nn.GroupNorm(2, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inside = functional.silu(self.norm(self.conv(functional.max_pool2d(x, 2))))
        return self.up(functional.interpolate(inside, scale_factor=2, mode="bilinear"))


class Words(nn.Module):
    """It takes numbers of words and gives the next one; its two ends share their weights."""

    input_shape = (6,)

    def __init__(self) -> None:
        super().__init__()
        self.words, self.inside = nn.Embedding(17, 8), nn.LSTM(8, 8, batch_first=True)
        self.last = nn.Linear(8, 17, bias=False)
        self.last.weight = self.words.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.inside(self.words(x))[0])


class Value(nn.Module):
    """It gives one number."""

    input_shape = (5,)

    def __init__(self) -> None:
        super().__init__()
        self.last = nn.Linear(5, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(x)


class TwoOutputs(nn.Module):
    """Its output is no tensor."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x, x


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
