// SPDX-License-Identifier: MIT
// y = (x - mean) / sqrt(variance + epsilon) · weight + bias, mean and variance being those of the
// row, and its gradient for x; columns.cl has those for weight and bias. One work-group handles one
// row.
//   x, y, dy, dx     float, row-major (rows, columns)
//   weight, bias     float, per column
//   mean, scale      float, per row; the scale is 1 / sqrt(variance + epsilon)
//   launch     global rows·WORK_GROUP_SIZE, local WORK_GROUP_SIZE (a power of two)
//   local      WORK_GROUP_SIZE·4 bytes         needs   OpenCL 1.2
//   source     Ba, Kiros & Hinton 2016, "Layer normalization"; two passes with a correction as in
//              Chan, Golub & LeVeque 1983, "Algorithms for computing the sample variance"

#include "common/row_reduce.cl"

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void layer_norm(global const float *restrict x, global const float *restrict weight,
                global const float *restrict bias, global float *restrict y,
                global float *restrict mean, global float *restrict scales, ulong columns,
                float epsilon) {
    local float scratch[WORK_GROUP_SIZE];
    size_t row = get_group_id(0);
    global const float *values = x + row * columns;
    global float *result = y + row * columns;

    SUM_ROW(sum, column, columns, LOAD(values, column))
    float count = (float)columns;
    float rough = sum / count;
    SUM_ROW(rest, column, columns, LOAD(values, column) - rough)
    SUM_ROW(squares, column, columns,
            (LOAD(values, column) - rough) * (LOAD(values, column) - rough))
    float center = rough + rest / count;
    float spread = fmax(0.0f, squares - rest * rest / count) / count;
    float scale = 1.0f / sqrt(spread + epsilon);
    if (get_local_id(0) == 0) {
        mean[row] = center;
        scales[row] = scale;
    }
    FOR_VECTORS(column, columns) {
        VALUES normal = (LOAD(values, column) - center) * scale;
        STORE(normal * LOAD(weight, column) + LOAD(bias, column), result, column);
    }
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void layer_norm_gradient(global const float *restrict x, global const float *restrict dy,
                         global const float *restrict weight, global const float *restrict mean,
                         global const float *restrict scales, global float *restrict dx,
                         ulong columns) {
    local float scratch[WORK_GROUP_SIZE];
    size_t row = get_group_id(0), start = row * columns;
    global const float *values = x + start, *gradient = dy + start;

    float center = mean[row], scale = scales[row];
    float count = (float)columns;
    SUM_ROW(sum, column, columns, LOAD(gradient, column) * LOAD(weight, column))
    SUM_ROW(products, column, columns,
            LOAD(gradient, column) * LOAD(weight, column) *
                ((LOAD(values, column) - center) * scale))
    FOR_VECTORS(column, columns) {
        VALUES normal = (LOAD(values, column) - center) * scale;
        VALUES share = (sum + normal * products) / count;
        STORE(scale * (LOAD(gradient, column) * LOAD(weight, column) - share), dx,
              start + column);
    }
}
