// SPDX-License-Identifier: MIT
// y = f(a, b) with broadcasting: a row is the innermost loop, the outer loops number the rows.
//   a, b     float, contiguous; a stride of 0 repeats an operand along a loop
//   y        float, row-major (rows, columns)
//   sizes    the OUTER_RANK outer loops, outermost first; strides_a and strides_b likewise
//   launch   global at least ceil(columns / COLUMNS_PER_ITEM) x 1 (rows beyond the second size are
//            looped over), local any
//   local    none                              needs   OpenCL 1.2
//   source   NumPy's broadcasting rules, numpy.org/doc/stable/user/basics.broadcasting.html

// Neighbouring columns for one work-item: 1 suits GPUs, many let a CPU's compiler vectorise.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif
// The number of outer loops, 0 to 8.
#ifndef OUTER_RANK
#define OUTER_RANK 8
#endif
// The innermost strides are 0 or 1, and known here so that a compiler can load whole vectors.
#ifndef INNER_STRIDE_A
#define INNER_STRIDE_A 1
#endif
#ifndef INNER_STRIDE_B
#define INNER_STRIDE_B 1
#endif

#define BINARY(NAME, EXPRESSION)                                                                   \
    kernel void NAME(global const float *restrict a_values, global const float *restrict b_values, \
                     global float *restrict y, ulong rows, ulong columns, ulong8 sizes,            \
                     ulong8 strides_a, ulong8 strides_b) {                                         \
        ulong size[8], stride_a[8], stride_b[8];                                                   \
        vstore8(sizes, 0, size);                                                                   \
        vstore8(strides_a, 0, stride_a);                                                           \
        vstore8(strides_b, 0, stride_b);                                                           \
        size_t first = get_global_id(0) * COLUMNS_PER_ITEM;                                        \
        size_t last = min((size_t)columns, first + COLUMNS_PER_ITEM);                              \
        for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {               \
            size_t index = row, row_a = 0, row_b = 0;                                              \
            /* What is left after the inner loops is the outermost index: one division less. */    \
            for (int loop = OUTER_RANK - 1; loop > 0; loop--) {                                    \
                row_a += index % size[loop] * stride_a[loop];                                      \
                row_b += index % size[loop] * stride_b[loop];                                      \
                index /= size[loop];                                                               \
            }                                                                                      \
            global const float *a_row = a_values + row_a + index * stride_a[0];                    \
            global const float *b_row = b_values + row_b + index * stride_b[0];                    \
            global float *y_row = y + row * columns;                                               \
            for (size_t column = first; column < last; column++) {                                 \
                float a = a_row[column * INNER_STRIDE_A];                                          \
                float b = b_row[column * INNER_STRIDE_B];                                          \
                y_row[column] = EXPRESSION;                                                        \
            }                                                                                      \
        }                                                                                          \
    }

BINARY(add, a + b)
BINARY(subtract, a - b)
BINARY(multiply, a * b)
BINARY(divide, a / b)
// The gradient of relu: a is the gradient of its output, b its input; none at 0, as in torch.
BINARY(relu_gradient, b > 0.0f ? a : 0.0f)
// The gradient of a / b for b, before it is multiplied by that of the quotient.
BINARY(divide_gradient, -a / (b * b))
