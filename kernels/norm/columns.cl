// SPDX-License-Identifier: MIT
// Sums down columns, for batch-norm of single values and for the parameters of layer-norm. A
// work-item takes a piece of neighbouring columns.
//   x, dy      float, row-major (rows, columns)
//   mean, scale   float, per column, or per row if STATISTICS_PER_ROW; the scale is 1 / deviation
//   pieces     float, row-major (3 or 2 kinds, pieces, columns): count, mean and sum of squared
//              deviations; or the sums of dy and of dy·(x - mean)·scale
//   launch     global at least ceil(columns / COLUMNS_PER_ITEM) x 1 (pieces beyond the second size
//              are looped over), local any
//   local      none                            needs   OpenCL 1.2
//   source     Chan, Golub & LeVeque 1983, "Algorithms for computing the sample variance": two
//              passes, the second of which corrects the first

// Neighbouring columns for one work-item: 1 suits GPUs, a cache line or more suits CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif
#ifndef STATISTICS_PER_ROW
#define STATISTICS_PER_ROW 0
#endif

void piece_statistics(global const float *x, global float *piece, ulong first, ulong last,
                      ulong columns, ulong kind, uint own_columns) {
    float sum[COLUMNS_PER_ITEM], mean[COLUMNS_PER_ITEM], squares[COLUMNS_PER_ITEM];
    float count = (float)(last - first);
    for (uint column = 0; column < own_columns; column++)
        sum[column] = 0.0f;
    for (size_t row = first; row < last; row++)
        for (uint column = 0; column < own_columns; column++)
            sum[column] += x[row * columns + column];
    for (uint column = 0; column < own_columns; column++) {
        mean[column] = sum[column] / count;
        sum[column] = squares[column] = 0.0f;
    }
    for (size_t row = first; row < last; row++)
        for (uint column = 0; column < own_columns; column++) {
            float deviation = x[row * columns + column] - mean[column];
            sum[column] += deviation;
            squares[column] += deviation * deviation;
        }
    for (uint column = 0; column < own_columns; column++) {
        piece[column] = count;
        piece[kind + column] = mean[column] + sum[column] / count;
        piece[2 * kind + column] = squares[column] - sum[column] * sum[column] / count;
    }
}

void piece_gradient_sums(global const float *x, global const float *dy, global const float *mean,
                         global const float *scale, global float *piece, ulong first, ulong last,
                         ulong columns, ulong kind, uint own_columns) {
    float sum[COLUMNS_PER_ITEM], products[COLUMNS_PER_ITEM];
    for (uint column = 0; column < own_columns; column++)
        sum[column] = products[column] = 0.0f;
    for (size_t row = first; row < last; row++) {
        float row_mean = STATISTICS_PER_ROW ? mean[row] : 0.0f;
        float row_scale = STATISTICS_PER_ROW ? scale[row] : 1.0f;
        for (uint column = 0; column < own_columns; column++) {
            float center = STATISTICS_PER_ROW ? row_mean : mean[column];
            float gradient = dy[row * columns + column];
            sum[column] += gradient;
            products[column] += gradient * (x[row * columns + column] - center) * row_scale;
        }
    }
    for (uint column = 0; column < own_columns; column++) {
        piece[column] = sum[column];
        piece[kind + column] = products[column] * (STATISTICS_PER_ROW ? 1.0f : scale[column]);
    }
}

kernel void column_statistics(global const float *restrict x, global float *restrict pieces,
                              ulong rows, ulong columns, ulong rows_per_piece) {
    size_t column = get_global_id(0) * COLUMNS_PER_ITEM;
    if (column >= columns)
        return;
    size_t cuts = (rows + rows_per_piece - 1) / rows_per_piece;
    for (size_t number = get_global_id(1); number < cuts; number += get_global_size(1)) {
        ulong first = number * rows_per_piece, last = min(rows, first + rows_per_piece);
        global float *piece = pieces + number * columns + column;
        // Twice the same, once with a number of columns that the compiler knows.
        if (column + COLUMNS_PER_ITEM <= columns)
            piece_statistics(x + column, piece, first, last, columns, cuts * columns,
                             COLUMNS_PER_ITEM);
        else
            piece_statistics(x + column, piece, first, last, columns, cuts * columns,
                             (uint)(columns - column));
    }
}

kernel void column_gradient_sums(global const float *restrict x, global const float *restrict dy,
                                 global const float *restrict mean,
                                 global const float *restrict scale,
                                 global float *restrict pieces, ulong rows, ulong columns,
                                 ulong rows_per_piece) {
    size_t column = get_global_id(0) * COLUMNS_PER_ITEM;
    if (column >= columns)
        return;
    size_t own = STATISTICS_PER_ROW ? 0 : column;
    size_t cuts = (rows + rows_per_piece - 1) / rows_per_piece;
    for (size_t number = get_global_id(1); number < cuts; number += get_global_size(1)) {
        ulong first = number * rows_per_piece, last = min(rows, first + rows_per_piece);
        global float *piece = pieces + number * columns + column;
        if (column + COLUMNS_PER_ITEM <= columns)
            piece_gradient_sums(x + column, dy + column, mean + own, scale + own, piece, first,
                                last, columns, cuts * columns, COLUMNS_PER_ITEM);
        else
            piece_gradient_sums(x + column, dy + column, mean + own, scale + own, piece, first,
                                last, columns, cuts * columns, (uint)(columns - column));
    }
}
