// SPDX-License-Identifier: MIT
// Softmax of each row or its logarithm, and their gradients. One work-group handles one row; the
// row maximum is subtracted first so that exp cannot overflow.
//   x, y, dy, dx   float, row-major (rows, columns); y is what the forward kernel gave
//   launch         global rows·WORK_GROUP_SIZE, local WORK_GROUP_SIZE (a power of two)
//   local          WORK_GROUP_SIZE·4 bytes     needs   OpenCL 1.2
//   source         Goodfellow, Bengio & Courville 2016, Deep Learning, 4.1

#include "common/row_reduce.cl"

#define MAXIMUM_ROW(RESULT, COLUMN, COLUMNS, EXPRESSION)                                           \
    REDUCE_ROW(RESULT, COLUMN, COLUMNS, -INFINITY, fmax, work_group_maximum, EXPRESSION)

#define FOR_COLUMNS(COLUMN)                                                                        \
    for (size_t COLUMN = get_local_id(0); COLUMN < columns; COLUMN += WORK_GROUP_SIZE)

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void softmax(global const float *restrict x, global float *restrict y, ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    global const float *values = x + get_group_id(0) * columns;
    global float *result = y + get_group_id(0) * columns;
    MAXIMUM_ROW(maximum, column, columns, values[column])
    // exp is dear, so it is kept; the barrier is for work-items that read another one's.
    SUM_ROW(sum, column, columns, result[column] = exp(values[column] - maximum))
    barrier(CLK_GLOBAL_MEM_FENCE);
    FOR_COLUMNS(column)
        result[column] /= sum;
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void softmax_gradient(global const float *restrict y, global const float *restrict dy,
                      global float *restrict dx, ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    size_t first = get_group_id(0) * columns;
    SUM_ROW(sum, column, columns, dy[first + column] * y[first + column])
    FOR_COLUMNS(column)
        dx[first + column] = y[first + column] * (dy[first + column] - sum);
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void log_softmax(global const float *restrict x, global float *restrict y, ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    global const float *values = x + get_group_id(0) * columns;
    global float *result = y + get_group_id(0) * columns;
    MAXIMUM_ROW(maximum, column, columns, values[column])
    SUM_ROW(sum, column, columns, exp(values[column] - maximum))
    float log_sum = log(sum);
    // The maximum goes first: where it is large, adding the small logarithm to it would lose that.
    FOR_COLUMNS(column)
        result[column] = (values[column] - maximum) - log_sum;
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void log_softmax_gradient(global const float *restrict y, global const float *restrict dy,
                          global float *restrict dx, ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    size_t first = get_group_id(0) * columns;
    SUM_ROW(sum, column, columns, dy[first + column])
    FOR_COLUMNS(column)
        dx[first + column] = dy[first + column] - exp(y[first + column]) * sum;
}
