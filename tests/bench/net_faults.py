# SPDX-License-Identifier: MIT
"""Faults of kernels, and an ordinary net that each of them shows in."""

from dataclasses import dataclass

from test_seeded_faults import FAULTS

_NETS = {
    "matmul/packed.cl": "perceptron",
    "conv/winograd.cl": "wide",
    "conv/winograd_transforms.cl": "wide",
    "optim/sgd.cl": "perceptron",
    "loss/softmax_cross_entropy.cl": "perceptron",
    "reduce/mask_and_sum.cl": "pooled",
    "pool/max_pool_2x2.cl": "pooled",
    "conv/direct.cl": "pooled",
    "conv/direct_weights.cl": "pooled",
    "norm/planes.cl": "residual",
}
_NOT_IN_NETS = {
    # One ten-thousandth of one sum: the workload launch proves sums alone, to the last bit.
    "return a + b * 1.0001f;",
    # Nothing is 0 before a ReLU there, so what its gradient is at 0 does not show.
    ">= 0.0f ? dy[index]",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A wrong text for a right one in a kernel of CPUs, or of GPUs."""

    net: str
    file: str
    right: str
    wrong: str
    is_cpu: bool = True


IN_NETS = [
    *(
        Fault(net=_NETS[file], file=file, right=right, wrong=wrong)
        for _, file, right, wrong in FAULTS
        if file in _NETS and wrong not in _NOT_IN_NETS
    ),
    Fault(
        net="residual",
        file="elementwise/operations.cl",
        right="return x > bound ? dy : (VALUES)(0.0f);",
        wrong="return dy;",
    ),
    Fault(
        net="strided",
        file="pool/max_pool_scatter.cl",
        right="target[positions[source]] += dy[source];",
        wrong="target[positions[source]] = dy[source];",
    ),
    Fault(
        net="perceptron",
        file="reduce/sum_columns.cl",
        right="index = first; index <",
        wrong="index = first + 1; index <",
    ),
    Fault(
        net="strided",
        file="reduce/sum_rows.cl",
        right="index + lane < last; lane++",
        wrong="index + lane + 1 < last; lane++",
    ),
    Fault(
        net="le_net",
        file="pool/avg_pool.cl",
        right="uint right = min(across / STRIDE_X + 1, out_width);",
        wrong="uint right = min(across / STRIDE_X + 1, out_width - 1);",
        is_cpu=False,
    ),
    Fault(
        net="normalised_perceptron",
        file="norm/layer_norm.cl",
        right="rest * rest / count) / count",
        wrong="rest * rest / count) / (count - 1.0f)",
        is_cpu=False,
    ),
    Fault(
        net="pooled",
        file="pool/max_pool.cl",
        right="value > best_value",
        wrong="value < best_value",
        is_cpu=False,
    ),
    Fault(
        net="perceptron",
        file="common/epilogue.cl",
        right="bias[BIAS == 1 ? column : row];",
        wrong="bias[0];",
        is_cpu=False,
    ),
]
