# SPDX-License-Identifier: MIT
"""Arguments for each operation of the table, as torch takes them; a dictionary ends them."""

import torch
from further_samples import FURTHER

F = torch.nn.functional
_NO, _YES = False, True


def values(*shape: int, seed: int = 7) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + len(shape)))


def whole(high: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, high, shape, generator=torch.Generator().manual_seed(3))


X, Y = values(2, 3, 4), values(2, 3, 4, seed=9)
ROW = values(4, seed=2)
POSITIVE, UNIT = X.abs() + 0.3, X.tanh()
IMAGES, FILTERS = values(2, 4, 7, 6), values(6, 4, 3, 3, seed=4)
OUT = values(2, 6, 7, 6, seed=5)
TRUTH = X > 0
MATRIX, OTHER = values(5, 3), values(3, 4)
BATCH, BATCHED = values(2, 5, 3), values(2, 3, 4, seed=8)
LOGS, LABELS = values(5, 4).log_softmax(1), torch.tensor([0, 3, -100, 1, 2])
PLANES, PLANE_LABELS = values(2, 4, 3, 3).log_softmax(1), whole(4, 2, 3, 3)
CONV = ([1, 1], [1, 1], [1, 1], _NO, [0, 0], 1)
UP = ([2, 2], [0, 0], [1, 1], _YES, [1, 0], 1)
UP_FILTERS = values(4, 2, 3, 2, seed=6)
UP_OUT = torch.ops.aten.convolution.default(IMAGES, UP_FILTERS, None, *UP)
LINES, LINE_FILTERS = values(2, 3, 9), values(5, 3, 2, seed=6)
HEADS = tuple(values(2, 2, 5, 3, seed=seed) for seed in (1, 2, 3))
WEIGHT, BIAS = values(4, seed=11), values(4, seed=12)
MEAN, VARIANCE = values(4, seed=13), values(4, seed=14).abs() + 0.5
BATCH_NORM = torch.ops.aten._native_batch_norm_legit_functional.default(
    IMAGES, WEIGHT, BIAS, MEAN, VARIANCE, _YES, 0.1, 1e-5
)
LAYER_NORM = torch.ops.aten.native_layer_norm.default(X, [4], WEIGHT, BIAS, 1e-5)
GROUP_NORM = torch.ops.aten.native_group_norm.default(IMAGES, WEIGHT, BIAS, 2, 4, 42, 2, 1e-5)
POOLED, PLACES = torch.ops.aten.max_pool2d_with_indices.default(IMAGES, [3, 3], [2, 2], [1, 1])
CEIL, CEIL_PLACES = torch.ops.aten.max_pool2d_with_indices.default(
    IMAGES, [3, 3], [2, 2], [0, 0], [1, 1], _YES
)
ROWS, COLUMNS = whole(7, 5, 1), whole(6, 1, 4)

SAMPLES = {
    **{
        f"{name}.default": [(X,)]
        for name in (
            "relu", "neg", "exp", "sigmoid", "tanh", "silu", "abs", "sin", "cos", "erf", "floor",
            "ceil", "round", "trunc", "expm1", "exp2", "atan", "sinh", "cosh", "erfc", "square",
            "sign", "reciprocal", "gelu", "clone", "detach", "alias", "t", "zeros_like",
            "ones_like", "leaky_relu", "sum", "mean", "hardtanh",
        ) if name != "t"
    },
    **{f"{name}.default": [(POSITIVE,)] for name in ("log", "sqrt", "rsqrt", "log1p", "log2")},
    **{f"{name}.default": [(UNIT,)] for name in ("asin", "acos", "tan")},
    **{
        f"{name}.Tensor": [(X, Y), (X, ROW), (X, torch.tensor(0.5))]
        for name in ("add", "sub", "mul", "div", "gt", "ge", "lt", "le", "eq", "ne", "rsub")
    },
    **{f"{name}.Scalar": [(X, 0.5)] for name in ("gt", "ge", "lt", "le", "eq", "ne", "mul", "div")},
    **{
        f"{name}.default": [(X, Y)]
        for name in ("maximum", "minimum", "silu_backward", "atan2", "gelu_backward")
    },
    "div.Tensor": [(X, Y), (X, ROW), (X, torch.tensor(5)), (torch.tensor([1, 2, 3, 9]), X)],
    "sigmoid_backward.default": [(X, Y.sigmoid())],
    "tanh_backward.default": [(X, Y.tanh())],
    "pow.Tensor_Scalar": [(POSITIVE, 1.7), (X, 2)],
    "pow.Tensor_Tensor": [(POSITIVE, Y)],
    "clamp.default": [(X, -0.4, 0.7), (X, None, 0.2), (X, 0.1)],
    "clamp_min.default": [(X, 0.1)],
    "clamp_max.default": [(X, 0.1)],
    "hardtanh_backward.default": [(X, Y, -0.5, 0.5)],
    "threshold_backward.default": [(X, Y, 0)],
    "leaky_relu_backward.default": [(X, Y, 0.1, _NO)],
    "where.self": [(TRUTH, X, Y), (TRUTH, ROW, Y)],
    "masked_fill.Scalar": [(X, TRUTH, -1.5)],
    "logical_not.default": [(TRUTH,)],
    "_to_copy.default": [(X,)],
    "fill.Scalar": [(X, 2.5)],
    "scalar_tensor.default": [(2.5,)],
    "zeros.default": [([2, 3],)],
    "ones.default": [([2, 3],)],
    "full.default": [([2, 3], 1.5)],
    "full_like.default": [(X, 1.5)],
    "new_zeros.default": [(X, [3])],
    "new_ones.default": [(X, [3])],
    "new_full.default": [(X, [3], 1.5)],
    "view.default": [(X, [6, 4]), (X, [2, -1]), (X.transpose(1, 2), [2, 2, 2, 3])],
    "_unsafe_view.default": [(X, [24])],
    "permute.default": [(X, [2, 0, 1])],
    "transpose.int": [(X, -1, 0)],
    "t.default": [(MATRIX,)],
    "expand.default": [(values(1, 3, 1), [2, 2, 3, 4]), (ROW, [3, -1])],
    "unsqueeze.default": [(X, 1), (X, -1)],
    "squeeze.dim": [(values(2, 1, 3), 1), (X, 0)],
    "squeeze.dims": [(values(1, 2, 1), [0, 2])],
    "select.int": [(X, 1, -1)],
    "slice.Tensor": [(X, 1, 1, 3), (X, 2, 0, 9223372036854775807, 2), (X, 1, -2)],
    "split.Tensor": [(X, 2, 1)],
    "split_with_sizes.default": [(X, [1, 3], 2)],
    "unbind.int": [(X, 1)],
    "cat.default": [([X, Y], 1), ([X, values(2, 1, 4)], -2)],
    "stack.default": [([X, Y], 1), ([X, Y], -1)],
    "select_backward.default": [(values(2, 4), [2, 3, 4], 1, 2)],
    "slice_backward.default": [(values(2, 2, 4), [2, 3, 4], 1, 1, 3, 1)],
    "constant_pad_nd.default": [(X, [1, 2]), (X, [0, 1, 2, 0], 0.5), (X, [-1, 0, 1, -2])],
    "repeat.default": [(X, [2, 1, 3]), (ROW, [2, 2])],
    "mm.default": [(MATRIX, OTHER), (OTHER.t(), MATRIX.t())],
    "bmm.default": [(BATCH, BATCHED), (BATCHED.transpose(1, 2), BATCH.transpose(1, 2))],
    "mv.default": [(MATRIX, OTHER[:, 0])],
    "dot.default": [(ROW, WEIGHT)],
    "addmm.default": [
        (ROW, MATRIX, OTHER),
        (values(5, 4), MATRIX, OTHER, {"beta": 0.5, "alpha": 2.0}),
    ],
    "baddbmm.default": [(values(2, 5, 4), BATCH, BATCHED)],
    "sum.dim_IntList": [(X, [1]), (X, [0, 2], _YES), (torch.tensor(0.7), [-1])],
    "mean.dim": [(X, [1, 2]), (X, [-1], _YES)],
    "_softmax.default": [(X, 1, _NO), (X, -1, _NO)],
    "_log_softmax.default": [(X, 1, _NO), (X, -1, _NO)],
    "_safe_softmax.default": [(X.masked_fill(X < 9, float("-inf")), -1), (X, -1)],
    "_softmax_backward_data.default": [(X, Y.softmax(1), 1, torch.float32)],
    "_log_softmax_backward_data.default": [(X, Y.log_softmax(-1), -1, torch.float32)],
    "convolution.default": [
        (IMAGES, FILTERS, values(6), *CONV),
        (IMAGES, values(8, 1, 3, 3), None, [2, 1], [1, 1], [1, 1], _NO, [0, 0], 4),
        (LINES, LINE_FILTERS, None, [1], [1], [2], _NO, [0], 1),
        (IMAGES, UP_FILTERS, values(2), *UP),
    ],
    "convolution_backward.default": [
        (OUT, IMAGES, FILTERS, [6], *CONV, [_YES, _YES, _YES]),
        (OUT, IMAGES, FILTERS, None, *CONV, [_NO, _YES, _NO]),
        (UP_OUT, IMAGES, UP_FILTERS, [2], *UP, [_YES, _YES, _YES]),
    ],
    "max_pool2d_with_indices.default": [
        (IMAGES, [3, 3], [2, 2], [1, 1]), (IMAGES, [2, 2]),
        (IMAGES, [3, 3], [2, 2], [0, 0], [1, 1], _YES),
        (IMAGES, [2, 2], [2, 2], [1, 1], [1, 1], _YES),
        (IMAGES, [2, 2], [3, 3], [0, 0], [1, 1], _YES),
    ],
    "max_pool2d_with_indices_backward.default": [
        (POOLED, IMAGES, [3, 3], [2, 2], [1, 1], [1, 1], _NO, PLACES),
        (CEIL, IMAGES, [3, 3], [2, 2], [0, 0], [1, 1], _YES, CEIL_PLACES),
    ],
    "avg_pool2d.default": [(IMAGES, [3, 2], [2, 1], [1, 0]), (IMAGES, [2, 2])],
    "avg_pool2d_backward.default": [
        (values(2, 4, 3, 3), IMAGES, [2, 2], [2, 2], [0, 0], _NO, _YES, None)
    ],
    "_adaptive_avg_pool2d.default": [(IMAGES, [1, 1]), (IMAGES, [3, 4])],
    "_adaptive_avg_pool2d_backward.default": [
        (values(2, 4, 1, 1), IMAGES), (values(2, 4, 3, 4), IMAGES),
    ],
    "_native_batch_norm_legit_functional.default": [
        (IMAGES, WEIGHT, BIAS, MEAN, VARIANCE, _YES, 0.1, 1e-5),
        (IMAGES, None, None, MEAN, VARIANCE, _NO, 0.1, 1e-5),
    ],
    "_native_batch_norm_legit.no_stats": [(IMAGES, WEIGHT, BIAS, _YES, 0.1, 1e-5)],
    "native_batch_norm_backward.default": [
        (values(2, 4, 7, 6, seed=15), IMAGES, WEIGHT, MEAN, VARIANCE, *BATCH_NORM[1:3], _YES, 1e-5,
         [_YES, _YES, _YES]),
        (values(2, 4, 7, 6, seed=15), IMAGES, WEIGHT, MEAN, VARIANCE, None, None, _NO, 1e-5,
         [_YES, _YES, _YES]),
    ],
    "native_layer_norm.default": [(X, [4], WEIGHT, BIAS, 1e-5), (X, [3, 4], None, None, 1e-5)],
    "native_layer_norm_backward.default": [
        (Y, X, [4], *LAYER_NORM[1:], WEIGHT, BIAS, [_YES, _YES, _YES])
    ],
    "native_group_norm.default": [(IMAGES, WEIGHT, BIAS, 2, 4, 42, 2, 1e-5)],
    "native_group_norm_backward.default": [
        (values(2, 4, 7, 6, seed=16), IMAGES, *GROUP_NORM[1:], WEIGHT, 2, 4, 42, 2,
         [_YES, _YES, _YES])
    ],
    "nll_loss_forward.default": [
        *((LOGS, LABELS, None, reduction, -100) for reduction in (1, 2)),
        (LOGS, LABELS, WEIGHT.abs(), 1, -100),
    ],
    "nll_loss_backward.default": [
        (torch.tensor(0.7), LOGS, LABELS, None, 1, -100, torch.tensor(4.0)),
        (ROW.new_ones(5), LOGS, LABELS, WEIGHT.abs(), 0, -100, torch.tensor(0.0)),
    ],
    "nll_loss2d_forward.default": [(PLANES, PLANE_LABELS, None, 1, -100)],
    "nll_loss2d_backward.default": [
        (torch.tensor(0.7), PLANES, PLANE_LABELS, None, 1, -100, torch.tensor(18.0))
    ],
    "mse_loss.default": [(X, Y), (X, Y, 0), (X, Y, 2)],
    "mse_loss_backward.default": [(torch.tensor(0.7), X, Y, 1)],
    "binary_cross_entropy_with_logits.default": [(X, UNIT.abs())],
    "embedding.default": [(MATRIX, whole(5, 2, 4))],
    "embedding_dense_backward.default": [(values(2, 4, 3), whole(5, 2, 4), 5, -1, _NO),
                                         (values(2, 4, 3), whole(5, 2, 4), 5, 2, _NO)],
    "index_select.default": [(X, 1, torch.tensor([2, 0, 2]))],
    "index.Tensor": [(X, [None, torch.tensor([2, -1])]), (IMAGES, [None, None, ROWS, COLUMNS])],
    "_unsafe_index.Tensor": [(IMAGES, [None, None, ROWS, COLUMNS])],
    "_unsafe_index_put.default": [
        (torch.zeros_like(IMAGES), [None, None, ROWS, COLUMNS], values(2, 4, 5, 4), _YES)
    ],
    "_scaled_dot_product_flash_attention_for_cpu.default": [(*HEADS,), (*HEADS, 0.0, _YES)],
    **FURTHER,
}  # fmt: skip
"""By overload. What only makes sense beside a forward pass stands in test_whole_nets.py."""
