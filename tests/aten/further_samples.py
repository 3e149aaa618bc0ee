# SPDX-License-Identifier: MIT
"""Arguments for operations that further nets brought, as in samples.py."""

import torch

_NO, _YES = False, True


def values(*shape: int, seed: int = 7) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + len(shape)))


def whole(high: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, high, shape, generator=torch.Generator().manual_seed(3))


X, Y, WIDE = values(2, 3, 4), values(2, 3, 4, seed=9), 4 * values(2, 3, 5)
SHARE, OTHER_SHARE, DY = X.sigmoid(), Y.sigmoid(), torch.tensor(0.7)
ODD = values(2, 3, 8, 7)
NAN = X.clone()
NAN[1, 2, 0] = float("nan")
TIES = (2 * X).round()
ROW, EXPANDED = torch.tensor([1, 0, 1]), torch.tensor([1, 0, 1])[None, :, None].expand(2, 3, 4)
LONG = values(2, 2500, 3)

_ACTIVATIONS = {
    "hardsigmoid": (), "hardswish": (), "softplus": (), "mish": (), "elu": (),
    "log_sigmoid_forward": (),
}  # fmt: skip
_GRADIENTS = {
    "hardsigmoid_backward": (), "hardswish_backward": (), "mish_backward": (),
    "softplus_backward": (1.0, 20.0),
}  # fmt: skip

FURTHER = {
    **{f"{name}.default": [(WIDE, *rest)] for name, rest in _ACTIVATIONS.items()},
    **{f"{name}.default": [(WIDE + 1, WIDE, *rest)] for name, rest in _GRADIENTS.items()},
    "log_sigmoid_backward.default": [(WIDE + 1, WIDE, (-WIDE.abs()).exp())],
    "elu_backward.default": [
        (X, 1.5, 1.1, 0.9, _NO, Y), (X, 1.5, 1.1, 1, _YES, torch.nn.functional.elu(Y, 1.5) * 1.1),
    ],
    "_prelu_kernel.default": [(X, values(1, 3, 1))],
    "_prelu_kernel_backward.default": [(X, Y, values(1, 3, 1))],
    "binary_cross_entropy.default": [
        *((SHARE, OTHER_SHARE, None, reduction) for reduction in (0, 1, 2)),
        (SHARE, OTHER_SHARE, OTHER_SHARE, 1), (torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.0])),
    ],
    "binary_cross_entropy_backward.default": [
        (DY, SHARE, OTHER_SHARE, None, 1), (Y, SHARE, OTHER_SHARE, SHARE, 0),
    ],
    "smooth_l1_loss.default": [(X, Y, 1, 0.5), (X, Y, 0), (X, Y, 2, 2.0)],
    "smooth_l1_loss_backward.default": [(DY, X, Y, 1, 0.5), (Y, X, Y, 0, 1.0)],
    "huber_loss.default": [(X, Y, 1, 0.5), (X, Y, 0)],
    "huber_loss_backward.default": [(DY, X, Y, 1, 0.5), (Y, X, Y, 0, 1.0)],
    **{
        f"{name}.dim": [(X, 1), (X, -1, _YES), (NAN, 1), (TIES, 2), (LONG, 1)]
        for name in ("max", "min")
    },
    **{f"{name}.default": [(X,), (NAN,), (LONG,)] for name in ("max", "min")},
    **{
        f"{name}.default": [(X, [1]), (X, [0, 2], _YES), (LONG, [1, 2])]
        for name in ("amax", "amin")
    },
    **{f"{name}.default": [(TIES, 1), (X,), (LONG, 1, _YES)] for name in ("argmax", "argmin")},
    "linalg_vector_norm.default": [
        (X,), (X, 2, [1], _YES), (X, 1, [0, 2]), (X, float("inf"), [-1]),
    ],
    "var.correction": [(X, [1]), (X, [0, 2], {"correction": 0, "keepdim": _YES}), (X, None)],
    "std.correction": [(X, [1], {"correction": 2})],
    "var_mean.correction": [(X, [1, 2], {"correction": 0, "keepdim": _YES})],
    "logsumexp.default": [(X, [1]), (X, [-1], _YES), (X, [0])],
    "gather.default": [(X, 1, whole(3, 2, 2, 4)), (X, 2, whole(4, 2, 1, 3)), (X, -3, EXPANDED)],
    "scatter_add.default": [
        (X, 1, whole(3, 2, 2, 4), Y), (X, 2, whole(4, 1, 2, 3), Y), (X, 1, EXPANDED, Y),
        (values(5), 0, whole(5, 9), values(9)),
    ],
    "scatter.src": [(X, 1, torch.tensor([2, 0])[None, :, None].expand(2, 2, 4), Y)],
    "scatter.value": [(X, 2, whole(4, 2, 3, 1), 0.5)],
    "index_add.default": [(X, 1, ROW, Y), (X, 0, ROW[:2], Y, {"alpha": 0.5})],
    "flip.default": [(X, [1]), (X, [0, -1])],
}  # fmt: skip
