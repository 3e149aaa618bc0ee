// SPDX-License-Identifier: MIT
// C = A·B, one work-item per element of C: the oracle that faster kernels are checked against.
//   a        float, or half if A_HALF, row-major (m, k), or (k, m) if TRANSPOSE_A
//   b        float, or half if B_HALF, row-major (k, n), or (n, k) if TRANSPOSE_B
//   c        float, or half if RESULT_HALF, row-major (m, n)
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

kernel void matmul(global const STORED(A_HALF) *restrict a, global const STORED(B_HALF) *restrict b,
                   global STORED(RESULT_HALF) *restrict c, uint m, uint n, uint k, ulong batches,
                   ulong a_step, ulong b_step, ulong c_step, global const float *bias,
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
            sum += READ(A_HALF, a, batch * a_step + a_index) *
                   READ(B_HALF, b, batch * b_step + b_index);
        }
        size_t index = batch * c_step + element;
        float result = finish(sum, bias, residual, row, column, index);
        WRITE(RESULT_HALF, result, c, index);
    }
}
