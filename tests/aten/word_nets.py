# SPDX-License-Identifier: MIT
"""Nets over words: a GPT of two layers, and an LSTM."""

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Causal attention and an MLP; GPT-2's block."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.parts, self.joined = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.inside = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows, length, width = x.shape
        parts = self.parts(self.first(x)).split(width, 2)
        query, key, value = (
            each.view(rows, length, self.heads, width // self.heads).transpose(1, 2)
            for each in parts
        )
        dropout = self.dropout if self.training else 0.0
        seen = functional.scaled_dot_product_attention(
            query, key, value, dropout_p=dropout, is_causal=True
        )
        x = x + self.joined(seen.transpose(1, 2).reshape(x.shape))
        return x + self.inside(self.second(x))


class Gpt(nn.Module):
    """Radford et al. 2019's net, with two layers; first and last layer share their weights."""

    def __init__(
        self, words: int, length: int, width: int, heads: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads, dropout) for _ in range(2)))
        self.norm, self.last = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.last.weight = self.words.weight
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.words(x) + self.places(torch.arange(x.shape[1]))
        return self.last(self.norm(self.blocks(y))).flatten(0, 1)


class Lstm(nn.Module):
    """An LSTM that says what follows the words it has read."""

    def __init__(self, words: int, width: int, inner: int) -> None:
        super().__init__()
        self.words, self.inside = (
            nn.Embedding(words, width),
            nn.LSTM(width, inner, batch_first=True),
        )
        self.last = nn.Linear(inner, words)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.inside(self.words(x))[0][:, -1])
