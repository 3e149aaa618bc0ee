# SPDX-License-Identifier: MIT
"""Which of PyTorch's operations run on the device, and how: one function of arrays for each."""

from clprobe.aten.table import (
    adaptive,
    attention,
    elementwise,
    images,
    indexing,
    losses,
    norms,
    products,
    reductions,
    views,
)
from clprobe.aten.table.entries import Entry

TABLE: dict[str, Entry] = {
    **elementwise.ENTRIES,
    **views.ENTRIES,
    **products.ENTRIES,
    **reductions.ENTRIES,
    **images.ENTRIES,
    **adaptive.ENTRIES,
    **norms.ENTRIES,
    **losses.ENTRIES,
    **indexing.ENTRIES,
    **attention.ENTRIES,
}
"""By overload, such as "add.Tensor"."""

__all__ = ["TABLE"]
