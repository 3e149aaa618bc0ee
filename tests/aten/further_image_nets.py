# SPDX-License-Identifier: MIT
"""Nets over images as their users write them, small: ConvNeXt, DenseNet, SqueezeNet and more."""

import torch
from torch import nn
from torch.nn import functional


class ConvNext(nn.Module):
    """Depthwise convolutions, the rest with channels last (Liu et al. 2022)."""

    def __init__(self, widths: tuple[int, ...] = (8, 16), classes: int = 7) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, widths[0], 4, 4)
        self.stem_norm = nn.LayerNorm(widths[0])
        self.first = nn.Sequential(_ConvNextBlock(widths[0]), _ConvNextBlock(widths[0]))
        self.norm, self.down = nn.LayerNorm(widths[0]), nn.Conv2d(*widths, 2, 2)
        self.second = _ConvNextBlock(widths[1])
        self.last_norm, self.head = nn.LayerNorm(widths[1]), nn.Linear(widths[1], classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = _over_channels(self.stem_norm, self.stem(x))
        x = self.first(x)
        x = self.second(self.down(_over_channels(self.norm, x)))
        return self.head(self.last_norm(x.mean([-2, -1])))


class _ConvNextBlock(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.apart = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm, self.wide = nn.LayerNorm(width, eps=1e-6), nn.Linear(width, 4 * width)
        self.act, self.narrow = nn.GELU(), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(1e-2 * torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.apart(x).permute(0, 2, 3, 1))
        y = self.scale * self.narrow(self.act(self.wide(y)))
        return x + y.permute(0, 3, 1, 2)


def _over_channels(norm: nn.LayerNorm, x: torch.Tensor) -> torch.Tensor:
    return norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class DenseNet(nn.Module):
    """Each layer sees all before it (Huang et al. 2017)."""

    def __init__(self, growth: int = 4, classes: int = 7) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False),
            _DenseBlock(8, growth, 3), nn.BatchNorm2d(8 + 3 * growth), nn.ReLU(inplace=True),
            nn.Conv2d(8 + 3 * growth, 10, 1, bias=False), nn.AvgPool2d(2, stride=2),
            _DenseBlock(10, growth, 2), nn.BatchNorm2d(10 + 2 * growth),
        )  # fmt: skip
        self.classifier = nn.Linear(10 + 2 * growth, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.features(x), inplace=True)
        x = functional.adaptive_avg_pool2d(x, (1, 1))
        return self.classifier(torch.flatten(x, 1))


class _DenseBlock(nn.Module):
    def __init__(self, inputs: int, growth: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.BatchNorm2d(inputs + at * growth),
                nn.ReLU(inplace=True),
                nn.Conv2d(inputs + at * growth, 4 * growth, 1, bias=False),
                nn.BatchNorm2d(4 * growth),
                nn.ReLU(inplace=True),
                nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False),
                nn.Dropout(0.2),
            )
            for at in range(layers)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seen = [x]
        for layer in self.layers:
            seen.append(layer(torch.cat(seen, 1)))
        return torch.cat(seen, 1)


class SqueezeNet(nn.Module):
    """Fire modules, pools that round up, and no linear layer (Iandola et al. 2016)."""

    def __init__(self, classes: int = 7) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, ceil_mode=True), _Fire(8, 4, 8), _Fire(16, 4, 8),
            nn.MaxPool2d(3, 2, ceil_mode=True), _Fire(16, 6, 12),
        )  # fmt: skip
        self.classifier = nn.Sequential(
            nn.Dropout(0.5), nn.Conv2d(24, classes, 1), nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d((1, 1)),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.flatten(self.classifier(self.features(x)), 1)


class _Fire(nn.Module):
    def __init__(self, inputs: int, squeezed: int, expanded: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(inputs, squeezed, 1)
        self.small = nn.Conv2d(squeezed, expanded, 1)
        self.large = nn.Conv2d(squeezed, expanded, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.relu(self.squeeze(x))
        return torch.cat([functional.relu(self.small(x)), functional.relu(self.large(x))], 1)


class EfficientNet(nn.Module):
    """Inverted blocks that weigh their channels, SiLU, whole blocks dropped (Tan & Le 2019)."""

    def __init__(self, classes: int = 7) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8, eps=1e-3), nn.SiLU(inplace=True)
        )
        self.blocks = nn.Sequential(
            _MBConv(8, 8, 1, 3, 1), _MBConv(8, 12, 4, 3, 2), _MBConv(12, 12, 4, 5, 1)
        )
        self.head = nn.Sequential(
            nn.Conv2d(12, 32, 1, bias=False), nn.BatchNorm2d(32), nn.Hardswish(),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(32, classes),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.stem(x)))


class _MBConv(nn.Module):
    def __init__(self, inputs: int, outputs: int, factor: int, size: int, stride: int) -> None:
        super().__init__()
        wide = inputs * factor
        self.widen = nn.Sequential(
            nn.Conv2d(inputs, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.SiLU(inplace=True)
        )
        self.apart = nn.Sequential(
            nn.Conv2d(wide, wide, size, stride, size // 2, groups=wide, bias=False),
            nn.BatchNorm2d(wide), nn.SiLU(inplace=True),
        )  # fmt: skip
        self.weigh = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, max(1, inputs // 4), 1), nn.SiLU(),
            nn.Conv2d(max(1, inputs // 4), wide, 1), nn.Sigmoid(),
        )  # fmt: skip
        self.narrow = nn.Sequential(
            nn.Conv2d(wide, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        )
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.apart(self.widen(x))
        y = self.narrow(y * self.weigh(y))
        return x + y if self.adds else y


class Mixer(nn.Module):
    """MLPs over patches and over channels in turn (Tolstikhin et al. 2021)."""

    def __init__(self, side: int = 16, patch: int = 4, width: int = 12, classes: int = 7) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.layers = nn.ModuleList(_MixerBlock((side // patch) ** 2, width) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x).mean(dim=1))


class _MixerBlock(nn.Module):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.over_words, self.over_channels = _mlp(words), _mlp(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.over_words(self.first(x).mT).mT
        return x + self.over_channels(self.second(x))


def _mlp(width: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * width, width)
    )


class Generator(nn.Module):
    """DCGAN's generator with its judge behind it (Radford et al. 2016)."""

    def __init__(self, noise: int = 10, width: int = 8) -> None:
        super().__init__()
        self.generator = nn.Sequential(
            nn.ConvTranspose2d(noise, 2 * width, 4, 1, 0, bias=False),
            nn.BatchNorm2d(2 * width), nn.ReLU(True),
            nn.ConvTranspose2d(2 * width, width, 4, 2, 1, bias=False),
            nn.BatchNorm2d(width), nn.ReLU(True),
            nn.ConvTranspose2d(width, 3, 4, 2, 1, bias=False), nn.Tanh(),
        )  # fmt: skip
        self.judge = nn.Sequential(
            nn.Conv2d(3, width, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(width, 2 * width, 4, 2, 1, bias=False), nn.BatchNorm2d(2 * width),
            nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(2 * width, 1, 4, 1, 0, bias=False),
        )  # fmt: skip

    def forward(self, noise: torch.Tensor) -> torch.Tensor:
        return self.judge(self.generator(noise[:, :, None, None])).view(-1)


class Vae(nn.Module):
    """An encoder, one draw from what it says, a decoder, and both of its losses."""

    def __init__(self, inputs: int = 20, hidden: int = 16, code: int = 4) -> None:
        super().__init__()
        self.encoder = nn.Linear(inputs, hidden)
        self.mean, self.log_variance = nn.Linear(hidden, code), nn.Linear(hidden, code)
        self.decoder = nn.Sequential(nn.Linear(code, hidden), nn.ReLU(), nn.Linear(hidden, inputs))

    def noise(self, spread: torch.Tensor) -> torch.Tensor:
        return torch.randn_like(spread)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.sigmoid(x)
        hidden = functional.elu(self.encoder(x))
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        spread = torch.exp(0.5 * log_variance)
        made = torch.sigmoid(self.decoder(mean + self.noise(spread) * spread))
        apart = functional.binary_cross_entropy(made, x, reduction="sum")
        divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        return (apart + divergence) / x.shape[0]


class FixedVae(Vae):
    """The same, with noise that both sides can draw."""

    def noise(self, spread: torch.Tensor) -> torch.Tensor:
        steps = torch.linspace(-1.5, 1.5, spread.shape[1])
        return steps.expand_as(spread)
