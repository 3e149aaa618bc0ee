# SPDX-License-Identifier: MIT
"""How much is measured, and how long it may take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Sizes and seconds of one run."""

    copy_mebibytes: int
    matmul_sizes: tuple[int, ...]
    conv_shapes: tuple[tuple[int, int, int], ...]
    """Images, channels (as many filters), side."""
    batches: tuple[int, ...]
    """Batch sizes at which training is timed besides the one that it is proved with."""
    both_references: bool
    """Whether NumPy is timed beside torch."""
    seconds_per_case: float
    """Spent on timing one case, device and reference together."""
    patience_seconds: float
    """A case that would take longer is skipped: the device is right but too slow to wait for."""
    training_patience_seconds: float
    """The same for a training, which proves more than any case."""
    tuning_candidates: int
    """How many configurations of a kernel are tried for each product, if tuning is asked for."""
    silence_seconds: float
    """A device that finishes nothing for so long is given up."""
    total_seconds: float | None
    """What all devices together may take, from the command's start to its end."""


EFFORTS = {
    "quick": Effort(
        copy_mebibytes=64,
        matmul_sizes=(256, 512),
        conv_shapes=((16, 32, 14),),
        batches=(1, 512),
        both_references=False,
        seconds_per_case=0.6,
        patience_seconds=10,
        training_patience_seconds=120,
        tuning_candidates=8,
        silence_seconds=40,
        total_seconds=45,
    ),
    "default": Effort(
        copy_mebibytes=64,
        matmul_sizes=(128, 256, 512, 1024),
        conv_shapes=((16, 32, 14), (16, 64, 28)),
        batches=(1, 4, 16, 256, 1024),
        both_references=True,
        seconds_per_case=2,
        patience_seconds=40,
        training_patience_seconds=200,
        tuning_candidates=24,
        silence_seconds=120,
        total_seconds=300,
    ),
    "full": Effort(
        copy_mebibytes=256,
        matmul_sizes=(128, 256, 512, 1024, 2048, 4096),
        conv_shapes=((16, 32, 14), (16, 64, 28), (16, 128, 28), (16, 256, 14)),
        batches=(1, 2, 4, 8, 16, 32, 128, 256, 512, 1024),
        both_references=True,
        seconds_per_case=10,
        patience_seconds=300,
        training_patience_seconds=600,
        tuning_candidates=60,
        silence_seconds=600,
        total_seconds=None,
    ),
}
