// SPDX-License-Identifier: MIT
// y = f(x) for every element.
//   x, y     float, count values
//   launch   global at least ceil(count / COLUMNS_PER_ITEM), local any
//   local    none                              needs   OpenCL 1.2
//   source   none

// Neighbouring values for one work-item: 1 suits GPUs, many let a CPU's compiler vectorise.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

#define UNARY(NAME, EXPRESSION)                                                                    \
    kernel void NAME(global const float *restrict x_values, global float *restrict y,              \
                     ulong count) {                                                                \
        size_t first = get_global_id(0) * COLUMNS_PER_ITEM;                                        \
        size_t last = min((size_t)count, first + COLUMNS_PER_ITEM);                                \
        for (size_t index = first; index < last; index++) {                                        \
            float x = x_values[index];                                                             \
            y[index] = EXPRESSION;                                                                 \
        }                                                                                          \
    }

UNARY(negate, -x)
// Written so that NaN stays NaN, as in NumPy and torch.
UNARY(relu, x < 0.0f ? 0.0f : x)
