// SPDX-License-Identifier: MIT
// Cross-entropy of the softmax of each row against its label, and its gradient. One work-group
// handles one row; the row maximum is subtracted first so that exp cannot overflow.
//   logits, dx   float, row-major (rows, columns)
//   labels       int, one per row, 0 to columns - 1; any other gives NaN, never a stray read
//   losses       float, one per row
//   dloss        float, the one gradient that arrives; scale turns the sum over rows into a mean
//   launch       global rows·WORK_GROUP_SIZE, local WORK_GROUP_SIZE (a power of two)
//   local        WORK_GROUP_SIZE·4 bytes       needs   OpenCL 1.2
//   source       Goodfellow, Bengio & Courville 2016, Deep Learning, 4.1 and 6.2.2.3

#include "common/work_group_reduce.cl"

float row_maximum(global const float *row, ulong columns, local float *scratch) {
    float maximum = -INFINITY;
    for (size_t column = get_local_id(0); column < columns; column += WORK_GROUP_SIZE)
        maximum = fmax(maximum, row[column]);
    return work_group_maximum(maximum, scratch);
}

float row_exp_sum(global const float *row, ulong columns, float maximum, local float *scratch) {
    float sum = 0.0f;
    for (size_t column = get_local_id(0); column < columns; column += WORK_GROUP_SIZE)
        sum += exp(row[column] - maximum);
    return work_group_sum(sum, scratch);
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void softmax_cross_entropy(global const float *restrict logits, global const int *restrict labels,
                           global float *restrict losses, ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    size_t row = get_group_id(0);
    global const float *values = logits + row * columns;

    float maximum = row_maximum(values, columns, scratch);
    float sum = row_exp_sum(values, columns, maximum, scratch);
    if (get_local_id(0) == 0) {
        int label = labels[row];
        bool known = label >= 0 && (ulong)label < columns;
        losses[row] = known ? log(sum) - (values[label] - maximum) : NAN;
    }
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void softmax_cross_entropy_gradient(global const float *restrict logits,
                                    global const int *restrict labels,
                                    global const float *restrict dloss, global float *restrict dx,
                                    ulong columns, float scale) {
    local float scratch[WORK_GROUP_SIZE];
    size_t row = get_group_id(0);
    global const float *values = logits + row * columns;

    float maximum = row_maximum(values, columns, scratch);
    float sum = row_exp_sum(values, columns, maximum, scratch);
    int label = labels[row];
    bool known = label >= 0 && (ulong)label < columns;
    float factor = known ? dloss[0] * scale : NAN;
    for (size_t column = get_local_id(0); column < columns; column += WORK_GROUP_SIZE) {
        float probability = exp(values[column] - maximum) / sum;
        float target = column == (size_t)label ? 1.0f : 0.0f;
        dx[row * columns + column] = factor * (probability - target);
    }
}
