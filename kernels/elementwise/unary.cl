// SPDX-License-Identifier: MIT
// y = f(x) for every element.
//   x, y     float, count values
//   launch   global at least count, local any
//   local    none                              needs   OpenCL 1.2
//   source   none

#define UNARY(NAME, EXPRESSION)                                                                    \
    kernel void NAME(global const float *restrict x_values, global float *restrict y,              \
                     ulong count) {                                                                \
        size_t index = get_global_id(0);                                                           \
        if (index >= count)                                                                        \
            return;                                                                                \
        float x = x_values[index];                                                                 \
        y[index] = EXPRESSION;                                                                     \
    }

UNARY(negate, -x)
// Written so that NaN stays NaN, as in NumPy and torch.
UNARY(relu, x < 0.0f ? 0.0f : x)
