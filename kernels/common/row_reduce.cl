// SPDX-License-Identifier: MIT
// Reductions of an expression over a row that one work-group shares, for kernels to include.
//   RESULT       the variable to declare; every work-item gets the same value
//   COLUMN       the name that EXPRESSION uses for the first of the WIDTH columns it takes at once
//   COLUMNS      the length of the row, at least WIDTH; 0 gives the neutral value if WIDTH is 1
//   EXPRESSION   of type VALUES; of some columns it may be computed twice
//   scratch      WORK_GROUP_SIZE floats of local memory, named so where these are used
//   launch       local WORK_GROUP_SIZE (a power of two) along the first dimension
//   local        none of its own               needs   OpenCL 1.2
//   source       Harris 2007, "Optimizing parallel reduction in CUDA"

#include "common/vectors.cl"
#include "common/work_group_reduce.cl"

#define VECTOR_STEP (WORK_GROUP_SIZE * WIDTH)

#if WIDTH > 1
// Partial results that each work-item keeps apart, for an addition takes several cycles.
#define CHAINS 4

#define REDUCE_ROW(RESULT, COLUMN, COLUMNS, NEUTRAL, COMBINE, ACROSS, EXPRESSION)                  \
    float RESULT;                                                                                  \
    {                                                                                              \
        VALUES partial[CHAINS];                                                                    \
        for (uint chain = 0; chain < CHAINS; chain++)                                              \
            partial[chain] = NEUTRAL;                                                              \
        size_t next = get_local_id(0) * WIDTH;                                                     \
        for (; next + (CHAINS - 1) * VECTOR_STEP + WIDTH <= COLUMNS; next += CHAINS * VECTOR_STEP) \
            for (uint chain = 0; chain < CHAINS; chain++) {                                        \
                size_t COLUMN = next + chain * VECTOR_STEP;                                        \
                partial[chain] = COMBINE(partial[chain], (EXPRESSION));                            \
            }                                                                                      \
        for (; next + WIDTH <= COLUMNS; next += VECTOR_STEP) {                                     \
            size_t COLUMN = next;                                                                  \
            partial[0] = COMBINE(partial[0], (EXPRESSION));                                        \
        }                                                                                          \
        /* The last vector overlaps the one before it, and its first lanes count no more. */       \
        if (next < COLUMNS) {                                                                      \
            size_t COLUMN = COLUMNS - WIDTH;                                                       \
            partial[0] = COMBINE(partial[0], LANES_FROM(next - COLUMN, (EXPRESSION), NEUTRAL));    \
        }                                                                                          \
        for (uint chain = 1; chain < CHAINS; chain++)                                              \
            partial[0] = COMBINE(partial[0], partial[chain]);                                      \
        RESULT = ACROSS(FOLD_LANES(COMBINE, partial[0]), scratch);                                 \
    }
#else
#define REDUCE_ROW(RESULT, COLUMN, COLUMNS, NEUTRAL, COMBINE, ACROSS, EXPRESSION)                  \
    float RESULT = NEUTRAL;                                                                        \
    for (size_t COLUMN = get_local_id(0); COLUMN < COLUMNS; COLUMN += VECTOR_STEP)                 \
        RESULT = COMBINE(RESULT, (EXPRESSION));                                                    \
    RESULT = ACROSS(RESULT, scratch);
#endif

#define PLUS(A, B) ((A) + (B))
// NaN may get lost here, but not in what follows.
#define LARGER(A, B) ((A) > (B) ? (A) : (B))

#define SUM_ROW(RESULT, COLUMN, COLUMNS, EXPRESSION)                                               \
    REDUCE_ROW(RESULT, COLUMN, COLUMNS, 0.0f, PLUS, work_group_sum, EXPRESSION)

#define MAXIMUM_ROW(RESULT, COLUMN, COLUMNS, EXPRESSION)                                           \
    REDUCE_ROW(RESULT, COLUMN, COLUMNS, -INFINITY, LARGER, work_group_maximum, EXPRESSION)

// Runs a statement for each vector of the row, the last one overlapping the one before it.
#if WIDTH > 1
#define FOR_VECTORS(COLUMN, COLUMNS)                                                               \
    for (size_t at = get_local_id(0) * WIDTH, COLUMN = min(at, (size_t)(COLUMNS - WIDTH));         \
         at < COLUMNS; at += VECTOR_STEP, COLUMN = min(at, (size_t)(COLUMNS - WIDTH)))
#else
#define FOR_VECTORS(COLUMN, COLUMNS)                                                               \
    for (size_t COLUMN = get_local_id(0); COLUMN < COLUMNS; COLUMN += VECTOR_STEP)
#endif
