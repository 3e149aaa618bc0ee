// SPDX-License-Identifier: MIT
// Cross-entropy of the softmax of each row against its label, and its gradient, for both need the
// same sums. One work-group handles one row; the row maximum is subtracted first so that exp cannot
// overflow.
//   logits   float, row-major (rows, columns)
//   labels   int, one per row, 0 to columns - 1, or `ignored` if IGNORES, for which loss and gradient
//            are 0; any other gives NaN, never a stray read
//   losses   float, one per row, divided by the number of rows that are not ignored, which turns
//            a sum over rows into a mean: NaN if there are none
//   dx       float, row-major (rows, columns): the gradient of the sum of `losses`
//   launch   global rows·WORK_GROUP_SIZE, local WORK_GROUP_SIZE (a power of two)
//   local    WORK_GROUP_SIZE·4 bytes           needs   OpenCL 1.2
//   source   Goodfellow, Bengio & Courville 2016, Deep Learning, 4.1 and 6.2.2.3

#include "common/work_group_reduce.cl"

// 1 where some labels count for nothing; each work-group then looks at all labels.
#ifndef IGNORES
#define IGNORES 0
#endif

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void softmax_cross_entropy(global const float *restrict logits, global const int *restrict labels,
                           global float *restrict losses, global float *restrict dx, ulong rows,
                           ulong columns, int ignored) {
    local float scratch[WORK_GROUP_SIZE];
    size_t row = get_group_id(0);
    global const float *values = logits + row * columns;
    global float *gradients = dx + row * columns;

    float maximum = -INFINITY;
    for (size_t column = get_local_id(0); column < columns; column += WORK_GROUP_SIZE)
        maximum = fmax(maximum, values[column]);
    maximum = work_group_maximum(maximum, scratch);
    float sum = 0.0f;
    for (size_t column = get_local_id(0); column < columns; column += WORK_GROUP_SIZE) {
        gradients[column] = exp(values[column] - maximum);
        sum += gradients[column];
    }
    sum = work_group_sum(sum, scratch);

    float counted = (float)rows;
#if IGNORES
    counted = 0.0f;
    for (size_t other = get_local_id(0); other < rows; other += WORK_GROUP_SIZE)
        counted += labels[other] == ignored ? 0.0f : 1.0f;
    counted = work_group_sum(counted, scratch);
#endif
    float scale = 1.0f / counted;

    int label = labels[row];
    bool counts = !IGNORES || label != ignored;
    bool known = label >= 0 && (ulong)label < columns;
    float factor = known ? scale : (counts ? NAN : 0.0f);
    for (size_t column = get_local_id(0); column < columns; column += WORK_GROUP_SIZE) {
        float target = column == (size_t)label ? 1.0f : 0.0f;
        gradients[column] = factor * (gradients[column] / sum - target);
    }
    if (get_local_id(0) == 0)
        losses[row] = known ? scale * (log(sum) - (values[label] - maximum))
                            : (counts ? NAN : 0.0f * scale);
}
