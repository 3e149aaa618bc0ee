// SPDX-License-Identifier: MIT
// What happens to a sum before it is stored, for kernels to include: + bias, + residual, relu.
//   BIAS      0 none, 1 one value for each column, 2 one for each row
//   RESIDUAL  1 adds the value at the same place of an array shaped like the result
//   RELU      1 turns negative sums into 0
//   RESULT_HALF  1 where the result is stored in half, see stored.cl
//   bias, residual  float; never read, and so any buffer, where the define is 0
//   local     none                              needs   OpenCL 1.2
//   source    none

#include "common/stored.cl"

#ifndef BIAS
#define BIAS 0
#endif
#ifndef RESIDUAL
#define RESIDUAL 0
#endif
#ifndef RELU
#define RELU 0
#endif
#ifndef RESULT_HALF
#define RESULT_HALF 0
#endif

float finish(float sum, global const float *bias, global const float *residual, size_t row,
             size_t column, size_t index) {
    if (BIAS)
        sum += bias[BIAS == 1 ? column : row];
    if (RESIDUAL)
        sum += residual[index];
    // fmax would turn NaN into 0 and so hide it.
    return RELU && sum < 0.0f ? 0.0f : sum;
}

// The same for 16 neighbours in a row.
float16 finish16(float16 sums, global const float *bias, global const float *residual, size_t row,
                 size_t column, size_t index) {
    if (BIAS == 1)
        sums += vload16(0, bias + column);
    if (BIAS == 2)
        sums += bias[row];
    if (RESIDUAL)
        sums += vload16(0, residual + index);
    return RELU ? select(sums, (float16)(0.0f), sums < 0.0f) : sums;
}
