# SPDX-License-Identifier: MIT
"""Further nets, written without a look at the table: each with its batches and its loss."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from further_image_nets import (
    ConvNext,
    DenseNet,
    EfficientNet,
    FixedVae,
    Generator,
    Mixer,
    SqueezeNet,
)
from further_nets import (
    PADDING,
    Bert,
    Gcn,
    Llama,
    PointNet,
    Sentiment,
    Tagger,
    WaveNet,
    masked_loss,
    tagging_loss,
)
from known_nets import BATCHES, Batch, Loss
from small_nets import cross_entropy
from torch import nn
from torch.nn import functional

_WORDS, _LENGTH = 23, 9


@dataclass(frozen=True)
class Further:
    """A net, what makes one batch, and the loss that it is trained by."""

    make: Callable[[], nn.Module]
    batch: Callable[[], Batch]
    loss: Loss = cross_entropy

    def made(self) -> tuple[nn.Module, list[Batch]]:
        """Return the net without dropout and its batches, the same ones each time."""
        torch.manual_seed(5)
        net = self.make()
        _silence_dropout(net)
        return net, [self.batch() for _ in range(BATCHES)]


def _silence_dropout(net: nn.Module) -> None:
    for layer in net.modules():
        if isinstance(layer, nn.Dropout):
            layer.p = 0.0
        elif isinstance(layer, nn.MultiheadAttention):
            layer.dropout = 0.0


def _images(side: int, classes: int = 7) -> Callable[[], Batch]:
    return lambda: (torch.randn(4, 3, side, side), torch.randint(0, classes, (4,)))


def _padded() -> torch.Tensor:
    """Return sentences of several lengths."""
    lengths = torch.tensor([_LENGTH, 5, 7, 2])
    words = torch.randint(1, _WORDS, (4, _LENGTH))
    return words.masked_fill(torch.arange(_LENGTH) >= lengths[:, None], PADDING)


def _sentences() -> Batch:
    return _padded(), torch.randint(0, 4, (4,))


def _tagged() -> Batch:
    words = _padded()
    return words, torch.randint(0, 5, words.shape).masked_fill(words == PADDING, -100)


def _following() -> Batch:
    words = torch.randint(0, _WORDS, (3, _LENGTH + 1))
    return words[:, :-1], words[:, 1:]


def _sound() -> Batch:
    samples = torch.randint(0, 16, (2, 25))
    return samples[:, :-1], samples[:, 1:]


def _points() -> Batch:
    return torch.randn(4, 20, 3), torch.randint(0, 6, (4,))


def _features() -> Batch:
    return torch.randn(14, 6), torch.randint(0, 4, (14,))


def _noise() -> Batch:
    return torch.randn(4, 10), torch.ones(4)


def _values() -> Batch:
    return torch.randn(6, 20), torch.zeros(())


FURTHER = {
    "convnext": Further(ConvNext, _images(16)),
    "densenet": Further(DenseNet, _images(12)),
    "squeezenet": Further(SqueezeNet, _images(31)),
    "efficientnet": Further(EfficientNet, _images(20)),
    "mixer": Further(Mixer, _images(16)),
    "bert": Further(Bert, _sentences),
    "sentiment": Further(Sentiment, _sentences),
    "llama": Further(Llama, _following),
    "gru-tagger": Further(Tagger, _tagged, tagging_loss),
    "wavenet": Further(WaveNet, _sound),
    "pointnet": Further(PointNet, _points, functional.nll_loss),
    "gcn": Further(Gcn, _features, masked_loss),
    "dcgan": Further(Generator, _noise, functional.binary_cross_entropy_with_logits),
    "vae": Further(FixedVae, _values, lambda output, _: output),
}
