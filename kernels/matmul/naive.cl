// SPDX-License-Identifier: MIT
// C = A·B, one work-item per element of C: the oracle that faster kernels are checked against.
//   a        float, or half if A_HALF, row-major (m, k), or (k, m) if TRANSPOSE_A
//   b        float, or half if B_HALF, row-major (k, n), or (n, k) if TRANSPOSE_B
//   c        float, row-major (m, n)
//   batches  matrices to multiply; *_step values lie between one and the next (0 repeats one)
//   bias, residual  as common/epilogue.cl says; residual is laid out like c
//   launch   global at least m·n x 1; batches beyond the second size are looped over; local any
//   local    none                              needs   OpenCL 1.2
//   source   the definition

#include "common/epilogue.cl"

#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif
#ifndef A_HALF
#define A_HALF 0
#endif
#ifndef B_HALF
#define B_HALF 0
#endif

#if A_HALF
#define A_VALUE half
#define READ_A(INDEX) vload_half(INDEX, a)
#else
#define A_VALUE float
#define READ_A(INDEX) a[INDEX]
#endif
#if B_HALF
#define B_VALUE half
#define READ_B(INDEX) vload_half(INDEX, b)
#else
#define B_VALUE float
#define READ_B(INDEX) b[INDEX]
#endif

kernel void matmul(global const A_VALUE *restrict a, global const B_VALUE *restrict b,
                   global float *restrict c, uint m, uint n, uint k, ulong batches, ulong a_step,
                   ulong b_step, ulong c_step, global const float *bias,
                   global const float *residual) {
    size_t element = get_global_id(0);
    if (element >= (size_t)m * n)
        return;
    size_t row = element / n;
    size_t column = element % n;
    for (size_t batch = get_global_id(1); batch < batches; batch += get_global_size(1)) {
        float sum = 0.0f;
        for (size_t depth = 0; depth < k; depth++) {
            size_t a_index = TRANSPOSE_A ? depth * m + row : row * k + depth;
            size_t b_index = TRANSPOSE_B ? column * k + depth : depth * n + column;
            sum += READ_A(batch * a_step + a_index) * READ_B(batch * b_step + b_index);
        }
        size_t index = batch * c_step + element;
        c[index] = finish(sum, bias, residual, row, column, index);
    }
}
