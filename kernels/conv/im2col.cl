// SPDX-License-Identifier: MIT
// Lays the windows of a convolution out as columns, so that a matrix product does the rest.
//   x        float, or half if X_HALF, row-major (images, channels, height, width)
//   columns  as x, row-major (images, channels·kernel_height·kernel_width, out_height, out_width)
//   launch   global at least ceil(out_width / COLUMNS_PER_ITEM) x 1; rows of `columns` (all its
//            axes but the last) beyond the second size are looped over; local any
//   local    none                              needs   OpenCL 1.2
//   source   Chellapilla, Puri & Simard 2006

// Neighbouring columns for one work-item: 1 suits GPUs, a whole row suits CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

#include "conv/geometry.cl"

// 1 where x is stored in half, whose bits are copied.
#ifndef X_HALF
#define X_HALF 0
#endif
#if X_HALF
#define VALUE ushort
#else
#define VALUE float
#endif

kernel void im2col(global const VALUE *restrict x, global VALUE *restrict columns, GEOMETRY) {
    int first = (int)get_global_id(0) * COLUMNS_PER_ITEM;
    int last = min((int)out_width, first + COLUMNS_PER_ITEM);
    size_t lines = images * channels * kernel_height * kernel_width * out_height;
    for (size_t line = get_global_id(1); line < lines; line += get_global_size(1)) {
        size_t window = line / out_height;
        uint out_row = line % out_height;
        size_t plane = window / (kernel_height * kernel_width);
        uint offset = window % (kernel_height * kernel_width);
        // Unsigned, so that a row before the first one wraps around to a huge index.
        uint row = out_row * stride_y + offset / kernel_width * dilation_y - padding_y;
        int shift = (int)(offset % kernel_width * dilation_x) - (int)padding_x;
        global const VALUE *source = x + (plane * height + row) * width;
        global VALUE *target = columns + line * out_width;
        // The columns whose pixel out_column·STRIDE_X + shift lies inside the row; without a branch
        // inside, the copy becomes vectors.
        int inside_from = row < height ? max(first, max(0, STRIDE_X - 1 - shift) / STRIDE_X) : last;
        int inside_to = min(last, ((int)width - shift + STRIDE_X - 1) / STRIDE_X);
        for (int out_column = first; out_column < min(last, inside_from); out_column++)
            target[out_column] = 0;
        for (int out_column = inside_from; out_column < inside_to; out_column++)
            target[out_column] = source[out_column * STRIDE_X + shift];
        for (int out_column = max(inside_from, inside_to); out_column < last; out_column++)
            target[out_column] = 0;
    }
}
