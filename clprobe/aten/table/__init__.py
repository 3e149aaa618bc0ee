# SPDX-License-Identifier: MIT
"""Which of PyTorch's operations run on the device, and how: one function of arrays for each."""

from clprobe.aten.table import (
    activations,
    adaptive,
    attention,
    draws,
    elementwise,
    extremes,
    fills,
    images,
    indexing,
    losses,
    norms,
    products,
    reductions,
    scattering,
    together,
    views,
)
from clprobe.aten.table.entries import Entry

TABLE: dict[str, Entry] = {
    **elementwise.ENTRIES,
    **activations.ENTRIES,
    **draws.ENTRIES,
    **views.ENTRIES,
    **fills.ENTRIES,
    **products.ENTRIES,
    **reductions.ENTRIES,
    **extremes.ENTRIES,
    **images.ENTRIES,
    **adaptive.ENTRIES,
    **norms.ENTRIES,
    **losses.ENTRIES,
    **indexing.ENTRIES,
    **scattering.ENTRIES,
    **attention.ENTRIES,
}
"""By overload, such as "add.Tensor"."""

SEVERAL: dict[str, Entry] = dict(together.ENTRIES)
"""By the names of clprobe.aten.together."""

__all__ = ["SEVERAL", "TABLE"]
