// SPDX-License-Identifier: MIT
// Reductions of an expression over a row that one work-group shares, for kernels to include.
//   RESULT       the variable to declare; every work-item gets the same value
//   COLUMN       the name that EXPRESSION uses for the place in the row
//   COLUMNS      the length of the row; 0 gives the neutral value
//   scratch      WORK_GROUP_SIZE floats of local memory, named so where these are used
//   launch       local WORK_GROUP_SIZE (a power of two) along the first dimension
//   local        none of its own               needs   OpenCL 1.2
//   source       Harris 2007, "Optimizing parallel reduction in CUDA"

#include "common/work_group_reduce.cl"

// Partial results that each work-item keeps apart: 1 suits GPUs, a vector or two suit CPUs.
#ifndef LANES
#define LANES 1
#endif

#define REDUCE_ROW(RESULT, COLUMN, COLUMNS, NEUTRAL, COMBINE, ACROSS, EXPRESSION)                  \
    float RESULT;                                                                                  \
    {                                                                                              \
        float partial[LANES];                                                                      \
        for (uint lane = 0; lane < LANES; lane++)                                                  \
            partial[lane] = NEUTRAL;                                                               \
        size_t block = get_local_id(0) * LANES;                                                    \
        for (; block + LANES <= COLUMNS; block += WORK_GROUP_SIZE * LANES)                         \
            for (uint lane = 0; lane < LANES; lane++) {                                            \
                size_t COLUMN = block + lane;                                                      \
                partial[lane] = COMBINE(partial[lane], (EXPRESSION));                              \
            }                                                                                      \
        for (uint lane = 0; block + lane < COLUMNS; lane++) {                                      \
            size_t COLUMN = block + lane;                                                          \
            partial[lane] = COMBINE(partial[lane], (EXPRESSION));                                  \
        }                                                                                          \
        RESULT = NEUTRAL;                                                                          \
        for (uint lane = 0; lane < LANES; lane++)                                                  \
            RESULT = COMBINE(RESULT, partial[lane]);                                               \
        RESULT = ACROSS(RESULT, scratch);                                                          \
    }

#define PLUS(A, B) ((A) + (B))

#define SUM_ROW(RESULT, COLUMN, COLUMNS, EXPRESSION)                                               \
    REDUCE_ROW(RESULT, COLUMN, COLUMNS, 0.0f, PLUS, work_group_sum, EXPRESSION)
