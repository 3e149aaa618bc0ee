# SPDX-License-Identifier: MIT
"""Nets such as people write, to be proved on right devices and on faulty ones."""

import torch
from torch import nn
from torch.nn import functional


def conv(inputs: int, outputs: int, *, bias: bool = True, **more: int) -> nn.Module:
    return nn.Conv2d(inputs, outputs, 3, **{"padding": 1, **more}, bias=bias)


def normalised() -> nn.Module:
    """Return conv-BN-conv-BN, which torch in float32 computes with 0.0038 of error."""
    return shaped(
        (3, 32, 32),
        *(conv(3, 8), nn.BatchNorm2d(8), nn.ReLU()),
        *(conv(8, 16), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(16 * 256, 10)),
    )


def pooled() -> nn.Module:
    """Return conv-pool-conv-pool."""
    return shaped(
        (3, 32, 32),
        *(conv(3, 8), nn.ReLU(), nn.MaxPool2d(2), conv(8, 16), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(16 * 64, 10)),
    )


def perceptron() -> nn.Module:
    wide = (nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU())
    return shaped((1, 28, 28), nn.Flatten(), *wide, nn.Linear(128, 10))


def normalised_perceptron() -> nn.Module:
    return shaped((64,), nn.Linear(64, 96), nn.LayerNorm(96), nn.ReLU(), nn.Linear(96, 10))


def le_net() -> nn.Module:
    return shaped(
        (1, 28, 28),
        *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.AvgPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten()),
        *(nn.Linear(400, 84), nn.ReLU(), nn.Linear(84, 10)),
    )


def strided() -> nn.Module:
    """Return strides, windows that overlap, and images that are higher than wide."""
    return shaped(
        (3, 32, 24),
        *(conv(3, 8, stride=2), nn.ReLU(), nn.MaxPool2d(3, 2, 1), conv(8, 16, stride=2), nn.ReLU()),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)),
    )


def separable() -> nn.Module:
    return shaped(
        (3, 16, 16),
        *(conv(3, 8), nn.BatchNorm2d(8), nn.ReLU()),
        *(conv(8, 8, groups=8, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 16, 1)),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)),
    )


def deep() -> nn.Module:
    layers = [layer for _ in range(8) for layer in (nn.Linear(32, 32), nn.ReLU())]
    return shaped((32,), *layers, nn.Linear(32, 10))


def wide() -> nn.Module:
    """Return a net with so many channels that Winograd's way pays."""
    return shaped(
        (3, 14, 14),
        *(conv(3, 32), nn.ReLU(), conv(32, 32), nn.ReLU(), conv(32, 32), nn.ReLU()),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)),
    )


class Residual(nn.Module):
    """A shortcut, functions instead of layers, and no bias before a normalisation."""

    input_shape = (3, 16, 16)

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = conv(3, 8, bias=False), conv(8, 8, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(8), nn.BatchNorm2d(8)])
        self.last = nn.Linear(8, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.norms[0](self.first(x)))
        x = functional.relu(x + self.norms[1](self.second(x)))
        return self.last(torch.flatten(functional.adaptive_avg_pool2d(x, 1), 1))


class BasicBlock(nn.Module):
    """The block of torchvision's small ResNets, in its words: in place, with a strided shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = conv(inputs, outputs, bias=False, stride=stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv(outputs, outputs, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            shortcut = nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False)
            self.downsample = nn.Sequential(shortcut, nn.BatchNorm2d(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    """A ResNet of torchvision's parts and forward, with fewer and narrower blocks."""

    input_shape = (3, 32, 32)

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = nn.Sequential(BasicBlock(8, 8, 1), BasicBlock(8, 8, 1))
        self.layer2 = nn.Sequential(BasicBlock(8, 16, 2), BasicBlock(16, 16, 1))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.avgpool(self.layer2(self.layer1(x)))
        return self.fc(torch.flatten(x, 1))


class Functional(nn.Module):
    """Pooling and GELU as functions."""

    input_shape = (1, 16, 16)

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.last = conv(1, 6), nn.Linear(6 * 64, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.max_pool2d(functional.gelu(self.conv(x)), 2)
        return self.last(x.view(x.size(0), -1))


def vgg(widths: tuple[int, ...] = (4, 8, 16), inner: int = 32) -> nn.Module:
    layers: list[nn.Module] = []
    channels, side = 3, 32
    for width in widths:
        layers += [conv(channels, width), nn.BatchNorm2d(width), nn.ReLU()]
        layers += [conv(width, width), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2)]
        channels, side = width, side // 2
    head = (nn.Linear(channels * side * side, inner), nn.ReLU(), nn.Dropout(), nn.Linear(inner, 10))
    return shaped((3, 32, 32), *layers, nn.Flatten(), *head)


def smooth() -> nn.Module:
    layers = (nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 32), nn.Sigmoid(), nn.Linear(32, 10))
    return shaped((32,), *layers, nn.LogSoftmax(1))


def shaped(shape: tuple[int, ...], *layers: nn.Module) -> nn.Module:
    net = nn.Sequential(*layers)
    net.input_shape = shape
    return net


NETS = {
    "normalised": normalised,
    "pooled": pooled,
    "perceptron": perceptron,
    "normalised_perceptron": normalised_perceptron,
    "le_net": le_net,
    "strided": strided,
    "separable": separable,
    "deep": deep,
    "residual": Residual,
    "resnet": ResNet,
    "functional": Functional,
    "vgg": vgg,
    "wide": wide,
    "smooth": smooth,
}
