# SPDX-License-Identifier: MIT
"""How much is measured, and how long it may take."""

from dataclasses import dataclass
from pathlib import Path

from clprobe.knowledge.checked_yaml import read


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Sizes and seconds of one run."""

    copy_mebibytes: int
    matmul_sizes: tuple[int, ...]
    conv_shapes: tuple[tuple[int, int, int], ...]
    """Images, channels (as many filters), side."""
    batches: tuple[int, ...]
    """Batch sizes at which training is timed besides the one that it is proved with."""
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


EFFORTS = read(Path(__file__).parent / "data" / "efforts.yaml", dict[str, Effort])
