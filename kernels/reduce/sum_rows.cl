// SPDX-License-Identifier: MIT
// Sums of pieces of rows: one work-group sums one piece, and a second pass can sum the pieces.
//   x        float, row-major (rows, length)
//   y        float, row-major (rows, pieces), where pieces = ceil(length / piece)
//   launch   global rows·pieces·WORK_GROUP_SIZE, local WORK_GROUP_SIZE (a power of two)
//   local    WORK_GROUP_SIZE·4 bytes           needs   OpenCL 1.2
//   source   Harris 2007, "Optimizing parallel reduction in CUDA"

#include "common/vectors.cl"
#include "common/work_group_reduce.cl"

// Vectors that each work-item sums apart: 1 suits GPUs, a few suit CPUs.
#ifndef CHAINS
#define CHAINS 1
#endif
#define LANES (WIDTH * CHAINS)
#define PLUS(A, B) ((A) + (B))

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void sum_rows(global const float *restrict x, global float *restrict y, ulong length, ulong piece,
              ulong pieces) {
    local float scratch[WORK_GROUP_SIZE];
    size_t row = get_group_id(0) / pieces;
    size_t first = get_group_id(0) % pieces * piece;
    size_t last = min(length, first + piece);

    global const float *values = x + row * length;
    VALUES sums[CHAINS];
    for (uint chain = 0; chain < CHAINS; chain++)
        sums[chain] = 0.0f;
    size_t index = first + get_local_id(0) * LANES;
    for (; index + LANES <= last; index += WORK_GROUP_SIZE * LANES)
        for (uint chain = 0; chain < CHAINS; chain++)
            sums[chain] += LOAD(values, index + chain * WIDTH);
    float sum = 0.0f;
    for (uint lane = 0; index + lane < last; lane++)
        sum += values[index + lane];
    for (uint chain = 1; chain < CHAINS; chain++)
        sums[0] += sums[chain];
    sum = work_group_sum(sum + FOLD_LANES(PLUS, sums[0]), scratch);
    if (get_local_id(0) == 0)
        y[get_group_id(0)] = sum;
}
