// SPDX-License-Identifier: MIT
// Softmax of each row or its logarithm, and their gradients. One work-group handles one row; the
// row maximum is subtracted first so that exp cannot overflow.
//   x, y, dy, dx   float, row-major (rows, columns); y is what the forward kernel gave
//   launch         global rows·WORK_GROUP_SIZE, local WORK_GROUP_SIZE (a power of two)
//   local          WORK_GROUP_SIZE·4 bytes     needs   OpenCL 1.2
//   source         Goodfellow, Bengio & Courville 2016, Deep Learning, 4.1

#include "common/row_reduce.cl"

// Stores values and returns them.
VALUES kept(VALUES values, global float *row, size_t column) {
    STORE(values, row, column);
    return values;
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void softmax(global const float *restrict x, global float *restrict y, ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    global const float *values = x + get_group_id(0) * columns;
    global float *result = y + get_group_id(0) * columns;
    MAXIMUM_ROW(maximum, column, columns, LOAD(values, column))
    // exp is dear, so it is kept.
    SUM_ROW(sum, column, columns,
            kept(exponential(LOAD(values, column) - maximum), result, column))
    float factor = 1.0f / sum;
    // Whole vectors and then the last one, which overlaps and must not be scaled twice.
    VALUES last = WIDTH > 1 ? LOAD(result, columns - WIDTH) : 0.0f;
    for (size_t at = get_local_id(0) * WIDTH; at + WIDTH <= columns; at += VECTOR_STEP)
        STORE(LOAD(result, at) * factor, result, at);
    if (WIDTH > 1)
        STORE(last * factor, result, columns - WIDTH);
}

// One value for each row: the logarithm of the sum of exp, -infinity for a row of nothing else.
kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void log_sum_exp(global const float *restrict x, global float *restrict y, ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    global const float *values = x + get_group_id(0) * columns;
    MAXIMUM_ROW(maximum, column, columns, LOAD(values, column))
    float highest = maximum == -INFINITY ? 0.0f : maximum;
    SUM_ROW(sum, column, columns, exponential(LOAD(values, column) - highest))
    if (get_local_id(0) == 0)
        y[get_group_id(0)] = highest + log(sum);
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void softmax_gradient(global const float *restrict y, global const float *restrict dy,
                      global float *restrict dx, ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    size_t first = get_group_id(0) * columns;
    global const float *values = y + first, *gradients = dy + first;
    SUM_ROW(sum, column, columns, LOAD(gradients, column) * LOAD(values, column))
    FOR_VECTORS(column, columns)
        STORE(LOAD(values, column) * (LOAD(gradients, column) - sum), dx, first + column);
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void log_softmax(global const float *restrict x, global float *restrict y, ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    size_t first = get_group_id(0) * columns;
    global const float *values = x + first;
    MAXIMUM_ROW(maximum, column, columns, LOAD(values, column))
    SUM_ROW(sum, column, columns, exponential(LOAD(values, column) - maximum))
    float log_sum = log(sum);
    // The maximum goes first: where it is large, adding the small logarithm to it would lose that.
    FOR_VECTORS(column, columns)
        STORE((LOAD(values, column) - maximum) - log_sum, y, first + column);
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void log_softmax_gradient(global const float *restrict y, global const float *restrict dy,
                          global float *restrict dx, ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    size_t first = get_group_id(0) * columns;
    global const float *values = y + first, *gradients = dy + first;
    SUM_ROW(sum, column, columns, LOAD(gradients, column))
    FOR_VECTORS(column, columns)
        STORE(LOAD(gradients, column) - exponential(LOAD(values, column)) * sum, dx,
              first + column);
}
