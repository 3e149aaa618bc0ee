# SPDX-License-Identifier: MIT
"""Nets of the kinds that people train, small, each with an input and a target."""

import torch
from torch import nn
from torch.nn import functional


class Residual(nn.Module):
    """Convolutions without bias, batch-norm in place, a strided shortcut, pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1),
        )  # fmt: skip
        self.inside = nn.Sequential(nn.Conv2d(8, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8))
        self.last = nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        x = functional.relu_(x + self.inside(x))
        return self.last(functional.adaptive_avg_pool2d(x, 1).flatten(1))


class Segments(nn.Module):
    """A U-Net of one level, with group-norm, SiLU and an enlarged image."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.SiLU())
        self.inside = nn.Conv2d(8, 8, 3, padding=1)
        self.up = nn.Conv2d(16, 4, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        whole = self.down(x)
        inside = self.inside(functional.max_pool2d(whole, 2))
        large = functional.interpolate(inside, scale_factor=2, mode="bilinear")
        return self.up(torch.cat([large, whole], 1))


class Words(nn.Module):
    """Attention over words, whose first and last layer share their weights."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(13, 8), nn.Embedding(6, 8)
        self.norm, self.heads = nn.LayerNorm(8), nn.Linear(8, 24, bias=False)
        self.inside = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
        self.last = nn.Linear(8, 13, bias=False)
        self.last.weight = self.words.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, length = x.shape
        y = self.words(x) + self.places(torch.arange(length))
        parts = self.heads(self.norm(y)).split(8, 2)
        query, key, value = (each.view(rows, length, 2, 4).transpose(1, 2) for each in parts)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        y = y + seen.transpose(1, 2).reshape(rows, length, 8)
        return self.last(y + self.inside(y)).flatten(0, 1)


class Recurrent(nn.Module):
    """An LSTM."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = nn.LSTM(4, 6, batch_first=True)
        self.last = nn.Linear(6, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.inside(x)[0][:, -1])


class Dropping(nn.Module):
    """Dropout between two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.drop, self.last = nn.Linear(6, 64), nn.Dropout(0.5), nn.Linear(64, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.drop(self.first(x)))


def cross_entropy(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(output, target.flatten() if output.dim() == 2 else target)


NETS = {
    "residual": (Residual, (4, 3, 17, 16), (4,), 5),
    "segments": (Segments, (2, 3, 8, 8), (2, 8, 8), 4),
    "words": (Words, (3, 6), (3, 6), 13),
    "recurrent": (Recurrent, (4, 5, 4), (4,), 3),
}


def made(name: str) -> tuple[nn.Module, list[tuple[torch.Tensor, torch.Tensor]]]:
    """Return a net and five batches."""
    torch.manual_seed(5)
    make, given, labels, classes = NETS[name]
    batches = [
        (
            torch.randint(0, classes, given) if name == "words" else torch.randn(given),
            torch.randint(0, classes, labels),
        )
        for _ in range(5)
    ]
    return make(), batches
