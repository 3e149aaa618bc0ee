# SPDX-License-Identifier: MIT
"""Nets over words, sounds, points and graphs as their users write them, small."""

from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional

PADDING = 0


class Bert(nn.Module):
    """Devlin et al. 2018's encoder as the transformers package writes it, with a padding mask."""

    def __init__(self, words: int = 23, length: int = 9, width: int = 12, classes: int = 4) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width, padding_idx=PADDING)
        self.places, self.kinds = nn.Embedding(length, width), nn.Embedding(2, width)
        self.norm, self.drop = nn.LayerNorm(width, eps=1e-12), nn.Dropout(0.1)
        self.register_buffer("positions", torch.arange(length).expand(1, -1))
        self.layers = nn.ModuleList(_BertLayer(width, 3) for _ in range(2))
        self.pooler, self.last = nn.Linear(width, width), nn.Linear(width, classes)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        mask = (ids != PADDING).float()
        hidden = 1.0 - mask[:, None, None, :]
        hidden = hidden.masked_fill(hidden.bool(), torch.finfo(torch.float32).min)
        kinds = torch.zeros_like(ids)
        x = self.words(ids) + self.kinds(kinds) + self.places(self.positions[:, : ids.shape[1]])
        x = self.drop(self.norm(x))
        for layer in self.layers:
            x = layer(x, hidden)
        return self.last(torch.tanh(self.pooler(x[:, 0])))


class _BertLayer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.drop = nn.Dropout(0.1)

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:-1], self.heads, self.size).permute(0, 2, 1, 3)

    def forward(self, x: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        query, key, value = (self._split(one(x)) for one in (self.query, self.key, self.value))
        scores = torch.matmul(query, key.transpose(-1, -2)) / self.size**0.5
        shares = self.drop(torch.softmax(scores + hidden, dim=-1))
        seen = torch.matmul(shares, value).permute(0, 2, 1, 3).contiguous()
        x = self.first(x + self.drop(self.out(seen.view(x.shape))))
        return self.second(x + self.drop(self.narrow(functional.gelu(self.wide(x)))))


class Sentiment(nn.Module):
    """Torch's own encoder, told what is padding, and the mean over what is none."""

    def __init__(self, words: int = 23, width: int = 12, classes: int = 4) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width, padding_idx=PADDING)
        layer = nn.TransformerEncoderLayer(width, 3, 24, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.last = nn.Linear(width, classes)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        padding = ids == PADDING
        x = self.encoder(self.words(ids), src_key_padding_mask=padding)
        kept = (~padding).unsqueeze(-1).to(x.dtype)
        return self.last((x * kept).sum(1) / kept.sum(1).clamp(min=1.0))


class Llama(nn.Module):
    """Root-mean-square norms, rotated places, gated MLPs (Touvron et al. 2023)."""

    def __init__(self, words: int = 23, length: int = 9, width: int = 16, heads: int = 2) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.words, self.last = nn.Embedding(words, width), nn.Linear(width, words, bias=False)
        self.first, self.second, self.norm = (nn.RMSNorm(width, eps=1e-6) for _ in range(3))
        self.parts, self.out = (nn.Linear(width, n * width, bias=False) for n in (3, 1))
        self.gate, self.up = (nn.Linear(width, 2 * width, bias=False) for _ in range(2))
        self.down = nn.Linear(2 * width, width, bias=False)
        rates = 1.0 / 10000 ** (torch.arange(0, self.size, 2).float() / self.size)
        self.register_buffer("angles", torch.outer(torch.arange(length).float(), rates))

    def _rotated(self, x: torch.Tensor) -> torch.Tensor:
        angles = torch.cat([self.angles, self.angles], -1)[: x.shape[-2]]
        left, right = x.chunk(2, -1)
        return x * angles.cos() + torch.cat([-right, left], -1) * angles.sin()

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.words(ids)
        rows, length, width = x.shape
        parts = self.parts(self.first(x)).view(rows, length, 3, self.heads, self.size)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        scores = self._rotated(query) @ self._rotated(key).mT * self.size**-0.5
        later = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)
        shares = scores.masked_fill(later, float("-inf")).softmax(-1)
        x = x + self.out((shares @ value).transpose(1, 2).reshape(rows, length, width))
        y = self.second(x)
        x = x + self.down(functional.silu(self.gate(y)) * self.up(y))
        return self.last(self.norm(x)).flatten(0, 1)


class Tagger(nn.Module):
    """A GRU that reads both ways and says a tag for each word; padding is not trained on."""

    def __init__(self, words: int = 23, width: int = 8, inner: int = 7, tags: int = 5) -> None:
        super().__init__()
        self.words, self.drop = nn.Embedding(words, width, padding_idx=PADDING), nn.Dropout(0.3)
        self.read = nn.GRU(width, inner, num_layers=2, bidirectional=True, batch_first=True)
        self.last = nn.Linear(2 * inner, tags)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        seen, _ = self.read(self.drop(self.words(ids)))
        return self.last(seen).transpose(1, 2)


def tagging_loss(output: torch.Tensor, tags: torch.Tensor) -> torch.Tensor:
    """Return the mean over the words that have a tag; -100 is none."""
    return functional.cross_entropy(output, tags, ignore_index=-100, label_smoothing=0.1)


class WaveNet(nn.Module):
    """Causal, ever wider dilated convolutions with gates (van den Oord et al. 2016)."""

    def __init__(self, levels: int = 16, width: int = 8, classes: int = 16) -> None:
        super().__init__()
        self.levels = levels
        self.enter = nn.Conv1d(levels, width, 1)
        self.dilations = (1, 2, 4)
        self.filters, self.gates = (
            nn.ModuleList(nn.Conv1d(width, width, 2, dilation=each) for each in self.dilations)
            for _ in range(2)
        )
        self.residuals, self.skips = (
            nn.ModuleList(nn.Conv1d(width, width, 1) for _ in self.dilations) for _ in range(2)
        )
        self.end = nn.Sequential(
            nn.ReLU(), nn.Conv1d(width, width, 1), nn.ReLU(), nn.Conv1d(width, classes, 1)
        )

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        x = self.enter(functional.one_hot(samples, self.levels).float().transpose(1, 2))
        total: torch.Tensor | float = 0.0
        layers = zip(self.filters, self.gates, self.residuals, self.skips, strict=True)
        for dilation, (kept, gate, residual, skip) in zip(self.dilations, layers, strict=True):
            before = functional.pad(x, (dilation, 0))
            y = torch.tanh(kept(before)) * torch.sigmoid(gate(before))
            total = total + skip(y)
            x = x + residual(y)
        return self.end(total)


class PointNet(nn.Module):
    """Points turned, seen alike, and the most of each feature (Qi et al. 2017)."""

    def __init__(self, classes: int = 6) -> None:
        super().__init__()
        self.turn, self.turned = _shared(3, 8, 16), nn.Linear(16, 9)
        self.see, self.wide = _shared(3, 12), _shared(12, 24)
        self.head = nn.Sequential(
            nn.Linear(24, 16),
            nn.BatchNorm1d(16),
            nn.ReLU(),
            nn.Dropout(0.3),
            nn.Linear(16, classes),
        )

    def forward(self, points: torch.Tensor) -> torch.Tensor:
        x = points.transpose(2, 1)
        turn = self.turned(torch.max(self.turn(x), 2, keepdim=True)[0].view(-1, 16))
        turn = turn.view(-1, 3, 3) + torch.eye(3).repeat(x.shape[0], 1, 1)
        x = torch.bmm(points, turn).transpose(2, 1)
        x = self.wide(self.see(x)).max(dim=2).values
        return functional.log_softmax(self.head(x), dim=1)


def _shared(*widths: int) -> nn.Module:
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        layers += [nn.Conv1d(inputs, outputs, 1), nn.BatchNorm1d(outputs), nn.ReLU()]
    return nn.Sequential(*layers)


class Gcn(nn.Module):
    """Two graph convolutions over one graph's edges (Kipf & Welling 2017), as PyG spreads them."""

    def __init__(self, nodes: int = 14, inputs: int = 6, width: int = 8, classes: int = 4) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(3)
        edges = torch.randint(0, nodes, (2, 40), generator=generator)
        own = torch.arange(nodes).expand(2, -1)
        self.register_buffer("edges", torch.cat([edges, own], 1))
        self.first, self.second = nn.Linear(inputs, width), nn.Linear(width, classes)
        self.attend = nn.Parameter(torch.randn(width) * 0.3)

    def _spread(self, x: torch.Tensor) -> torch.Tensor:
        source, target = self.edges
        degree = torch.zeros(len(x)).scatter_add_(0, target, torch.ones(target.shape[0]))
        scale = degree.pow(-0.5)
        scale = scale.masked_fill(scale == float("inf"), 0)
        weight = (scale[source] * scale[target]).unsqueeze(1)
        return torch.zeros_like(x).index_add(0, target, x[source] * weight)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        x = functional.leaky_relu(self._spread(self.first(features)), 0.2)
        x = x * torch.sigmoid((x * self.attend).sum(-1, keepdim=True))
        x = functional.normalize(x, dim=-1)
        return functional.log_softmax(self._spread(self.second(x)), dim=-1)


def masked_loss(output: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the mean over the nodes that are trained on, the first half.

    Cut out by truth, as output[known], they are as many as the values say, and torch makes no graph
    of that.
    """
    known = torch.arange(len(labels)) < len(labels) // 2
    return functional.nll_loss(output, labels.masked_fill(~known, -100))
