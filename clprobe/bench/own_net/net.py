# SPDX-License-Identifier: MIT
"""The user's own torch.nn.Module: what it takes, what it gives, and how far off that is."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from clprobe.bench.digits import Digits, Floats
from clprobe.bench.own_net.check import mistake
from clprobe.bench.protocol import LossName

_SEED = 1998
_SAMPLES = 2


@dataclass(frozen=True, slots=True)
class Ends:
    """What a net takes and gives, each without the batch."""

    input_shape: tuple[int, ...]
    output_shape: tuple[int, ...]
    words: int = 0
    """How many numbers of words the input is made of; 0: it is made of values."""
    loss: LossName = "cross-entropy"

    @property
    def is_by_word(self) -> bool:
        """Say whether the classes come last, for each word of the input."""
        return bool(self.words) and self.output_shape[:-1] == self.input_shape

    @property
    def classes(self) -> int:
        """Return how many classes the net tells apart."""
        return self.output_shape[-1 if self.is_by_word else 0]

    @property
    def label_shape(self) -> tuple[int, ...]:
        """Return the shape of one sample's labels: each place has one."""
        return self.output_shape[:-1] if self.is_by_word else self.output_shape[1:]

    def loss_of(self, output: Any, target: Any) -> Any:
        """Return the mean loss, for torch."""
        if self.loss == "mse":
            return nn.functional.mse_loss(output, target)
        if self.is_by_word:
            output, target = output.flatten(0, -2), target.flatten()
        return nn.functional.cross_entropy(output, target)


class UserNet:
    """A net that is trained on random input; `remark` is what its figures leave out."""

    def __init__(self, name: str, module: Any, ends: Ends, remark: str = "") -> None:
        self.name = name
        self.remark = remark
        self.module = module
        self.ends = ends

    def initial_weights(self) -> list[Floats]:
        """Return every parameter as it was when the net was made."""
        return [one.detach().numpy().copy() for one in self.module.parameters()]

    def batch(self, size: int) -> list[Digits]:
        """Return one batch of random input with targets that mean nothing."""
        random, ends = np.random.default_rng(_SEED), self.ends
        shape = (size, *ends.input_shape)
        values: Any = random.uniform(0, 1, shape).astype(np.float32)
        if ends.words:
            values = random.integers(0, ends.words, shape)
        targets: Any
        if ends.loss == "mse":
            targets = random.uniform(0, 1, (size, *ends.output_shape)).astype(np.float32)
        else:
            targets = random.integers(0, ends.classes, (size, *ends.label_shape)).astype(np.int32)
        return [Digits(values, targets)]


def ends_of(module: Any, input_shape: tuple[int, ...], loss: LossName | None = None) -> Ends:
    """Return what the module takes and gives for samples of a shape.

    A net whose first layer is an embedding takes numbers of words. Without a loss named, it is
    cross-entropy, or the mean square where there is only one output.

    **Raises** ClprobeError if it takes no such input, or gives none that it could be trained by.
    """
    words = _words(module)
    shape = (_SAMPLES, *input_shape)
    sample = torch.randint(0, words, shape) if words else torch.rand(shape)
    try:
        with torch.no_grad():
            output = module.eval()(sample)
    # The module is the user's: it may raise anything.
    except Exception as error:
        problem = (
            f"its forward fails for an input of shape {shape}: {error or type(error).__name__}"
        )
        hint = (
            "--input, or input_shape in the class, is the shape of one sample, without the batch; "
            "correct it or forward()."
        )
        raise mistake(problem, hint) from error
    finally:
        module.train()
    if not isinstance(output, torch.Tensor) or output.shape[:1] != (_SAMPLES,):
        given = getattr(output, "shape", None)
        seen = f"a {type(output).__name__}" if given is None else f"of shape {tuple(given)}"
        raise mistake(
            f"its output is {seen}; bench trains nets that give one tensor, (batch, …).",
            "Write a class around it whose forward() returns that tensor alone.",
        )
    found = tuple(output.shape[1:])
    chosen: LossName = loss or ("cross-entropy" if found and found != (1,) else "mse")
    if chosen == "cross-entropy" and not found:
        raise mistake(
            "its output is one number for each sample, which has no classes.", "Use --loss mse."
        )
    return Ends(input_shape, found, words, chosen)


def _words(module: Any) -> int:
    """Return how many words the first layer has a vector for; 0 if it is no embedding."""
    for layer in module.modules():
        if isinstance(layer, nn.Embedding):
            return int(layer.num_embeddings)
        if next(layer.children(), None) is None and next(layer.parameters(), None) is not None:
            return 0
    return 0
