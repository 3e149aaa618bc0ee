# SPDX-License-Identifier: MIT
"""Nets that everybody knows, at their own size or small, each with what it is trained on.

They are written out, for torchvision is not there, and hold no dropout: no two sides draw alike.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import torch
from segmenting_nets import UNet
from small_nets import cross_entropy
from torch import nn
from torch.nn import functional
from word_nets import Gpt, Lstm

BATCHES = 5
Batch = tuple[torch.Tensor, torch.Tensor]
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def normalised(inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1) -> list:
    """Return a convolution without bias, and its batch-norm."""
    layer = nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False)
    return [layer, nn.BatchNorm2d(outputs)]


class BasicBlock(nn.Module):
    """Two convolutions beside a shortcut (He et al. 2015)."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        first = [*normalised(inputs, outputs, 3, stride), nn.ReLU(inplace=True)]
        self.inside = nn.Sequential(*first, *normalised(outputs, outputs, 3))
        changes = stride != 1 or inputs != outputs
        self.shortcut = nn.Sequential(*normalised(inputs, outputs, 1, stride) if changes else [])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.inside(x)
        out += self.shortcut(x)
        return functional.relu(out, inplace=True)


def resnet18(width: int = 64, blocks: int = 2, classes: int = 1000) -> nn.Module:
    """Return He et al. 2015's smallest net."""
    layers = [*normalised(3, width, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    inputs = width
    for level in range(4):
        outputs = width << level
        for block in range(blocks):
            layers.append(BasicBlock(inputs, outputs, 2 if level and not block else 1))
            inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))


class Inverted(nn.Module):
    """A wide inside, each channel by itself, and linear ends (Sandler et al. 2018)."""

    def __init__(self, inputs: int, outputs: int, stride: int, factor: int) -> None:
        super().__init__()
        wide = inputs * factor
        widen = [*normalised(inputs, wide, 1), nn.ReLU6(inplace=True)] if factor > 1 else []
        apart = [*normalised(wide, wide, 3, stride, wide), nn.ReLU6(inplace=True)]
        self.inside = nn.Sequential(*widen, *apart, *normalised(wide, outputs, 1))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inside(x) if self.adds else self.inside(x)


# Factor, channels, blocks, first stride: table 2 of the paper.
_MOBILE = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
           (6, 160, 3, 2), (6, 320, 1, 1)]  # fmt: skip


def mobilenet_v2(width: int = 32, last: int = 1280, classes: int = 1000) -> nn.Module:
    """Return Sandler et al. 2018's net; a smaller width takes its channels and blocks along."""
    layers = [*normalised(3, width, 3, 2), nn.ReLU6(inplace=True)]
    inputs = width
    for factor, channels, blocks, first in _MOBILE:
        outputs = channels * width // 32
        for block in range(blocks if width == 32 else 1):
            layers.append(Inverted(inputs, outputs, 1 if block else first, factor))
            inputs = outputs
    layers += [*normalised(inputs, last, 1), nn.ReLU6(inplace=True)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(last, classes))


def vgg11(width: int = 64, inner: int = 4096, classes: int = 1000) -> nn.Module:
    """Return Simonyan & Zisserman 2014's configuration A, without its dropout."""
    widths = [3, width, 2 * width, 4 * width, 4 * width, 8 * width, 8 * width, 8 * width, 8 * width]
    layers: list[nn.Module] = []
    for at, (inputs, outputs) in enumerate(pairwise(widths)):
        layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(inplace=True)]
        if at not in {2, 4, 6}:
            layers.append(nn.MaxPool2d(2))
    head = [nn.Linear(49 * widths[-1], inner), nn.ReLU(inplace=True), nn.Linear(inner, inner),
            nn.ReLU(inplace=True), nn.Linear(inner, classes)]  # fmt: skip
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(7), nn.Flatten(), *head)


class Encoder(nn.Module):
    """Attention and an MLP, each after its normalisation."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.inside = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.first(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.inside(self.second(x))


class Vit(nn.Module):
    """Patches as words beside one for the class (Dosovitskiy et al. 2020)."""

    def __init__(self, side: int, patch: int, width: int, heads: int, depth: int = 4) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.of_class = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, (side // patch) ** 2 + 1, width) * 0.02)
        self.layers = nn.Sequential(*(Encoder(width, heads) for _ in range(depth)))
        self.last = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 10))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        words = self.patches(x).flatten(2).transpose(1, 2)
        words = torch.cat([self.of_class.expand(len(x), -1, -1), words], 1) + self.places
        return self.last(self.layers(words)[:, 0])


@dataclass(frozen=True)
class Known:
    """A net, and the shapes of a batch; `words` is how many words the input is made of, if any."""

    make: Callable[[], nn.Module]
    given: tuple[int, ...]
    labels: tuple[int, ...]
    classes: int
    words: int = 0
    loss: Loss = cross_entropy

    def made(self) -> tuple[nn.Module, list[Batch]]:
        """Return the net and its batches, the same ones each time."""
        torch.manual_seed(5)
        net = self.make()
        return net, [
            (
                torch.randint(0, self.words, self.given) if self.words else torch.randn(self.given),
                torch.randint(0, self.classes, self.labels),
            )
            for _ in range(BATCHES)
        ]


def _images(make: Callable[[], nn.Module], batch: int, side: int, classes: int) -> Known:
    return Known(make, (batch, 3, side, side), (batch,), classes)


def _pixels(make: Callable[[], nn.Module], batch: int, side: int) -> Known:
    return Known(make, (batch, 3, side, side), (batch, side, side), 4)


FULL = {
    "resnet18": _images(resnet18, 8, 96, 1000),
    "unet-batch-norm": _pixels(lambda: UNet(32, "batch"), 4, 64),
    "unet-group-norm": _pixels(lambda: UNet(32, "group"), 4, 64),
    "gpt": Known(lambda: Gpt(256, 64, 128, 4), (8, 64), (8, 64), 256, words=256),
    "lstm": Known(lambda: Lstm(64, 64, 128), (16, 12), (16,), 64, words=64),
    "mobilenet-v2": _images(mobilenet_v2, 8, 96, 1000),
    "vit": _images(lambda: Vit(32, 4, 64, 4), 8, 32, 10),
    "vgg11": _images(vgg11, 8, 96, 1000),
}
SMALL = {
    "resnet18": _images(lambda: resnet18(8, 1, 10), 4, 33, 10),
    "unet-batch-norm": _pixels(lambda: UNet(4, "batch"), 2, 16),
    "unet-group-norm": _pixels(lambda: UNet(4, "group"), 2, 16),
    "gpt": Known(lambda: Gpt(17, 9, 16, 2), (3, 9), (3, 9), 17, words=17),
    "lstm": Known(lambda: Lstm(17, 8, 12), (4, 7), (4,), 17, words=17),
    "mobilenet-v2": _images(lambda: mobilenet_v2(8, 32, 10), 8, 64, 10),
    "vit": _images(lambda: Vit(16, 4, 16, 2, 2), 3, 16, 10),
    "vgg11": _images(lambda: vgg11(4, 16, 10), 2, 32, 10),
}
