# SPDX-License-Identifier: MIT
"""oneDNN on the CPU as torch.compile calls it; torch itself takes MKL, slow on AMD's CPUs."""

import torch
from works import Prepared, Product, UnsupportedError, Work, serve


def prepare(work: Work) -> Prepared:
    if not isinstance(work, Product):
        raise UnsupportedError("the same as torch")
    a, b = (torch.from_numpy(value) for value in work.inputs())
    a = a.T if work.transposed[0] == "T" else a
    weight = b if work.transposed[1] == "T" else b.T
    linear = torch.ops.mkldnn._linear_pointwise

    def compute() -> torch.Tensor:
        return linear(a, weight, None, "none", [], "")

    return Prepared(compute, lambda: None, lambda: compute().numpy())


if __name__ == "__main__":
    serve(prepare)
