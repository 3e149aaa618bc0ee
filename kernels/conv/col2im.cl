// SPDX-License-Identifier: MIT
// The gradient of im2col: every pixel gathers from the windows that it was copied to.
//   columns  float, row-major (images, channels·kernel_height·kernel_width, out_height, out_width)
//   x        float, row-major (images, channels, height, width)
//   bias, residual  one value per channel, as many as x has; see common/epilogue.cl
//   launch   global at least ceil(width / COLUMNS_PER_ITEM) x 1; rows of all planes of x beyond
//            the second size are looped over; local any
//   local    none                              needs   OpenCL 1.2
//   source   Chellapilla, Puri & Simard 2006

// Neighbouring columns for one work-item: 1 suits GPUs, a cache line or more suits CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

#include "common/epilogue.cl"
#include "conv/geometry.cl"

kernel void col2im(global const float *restrict columns, global float *restrict x, GEOMETRY,
                   global const float *bias, global const float *residual) {
    int first = (int)get_global_id(0) * COLUMNS_PER_ITEM;
    int last = min((int)width, first + COLUMNS_PER_ITEM);
    size_t lines = images * channels * height;
    for (size_t line = get_global_id(1); line < lines; line += get_global_size(1)) {
        size_t plane = line / height;
        uint row = line % height + padding_y;
        global float *target = x + line * width;
        float sums[COLUMNS_PER_ITEM];
        for (uint index = 0; index < COLUMNS_PER_ITEM; index++)
            sums[index] = 0.0f;
        for (uint kernel_row = 0; kernel_row < kernel_height; kernel_row++) {
            uint down = row - kernel_row * dilation_y;
            uint out_row = down / stride_y;
            if (row < kernel_row * dilation_y || down % stride_y || out_row >= out_height)
                continue;
            for (uint kernel_column = 0; kernel_column < kernel_width; kernel_column++) {
                size_t window = (plane * kernel_height + kernel_row) * kernel_width + kernel_column;
                global const float *source = columns + (window * out_height + out_row) * out_width;
                // The windows whose pixel out_column·STRIDE_X + shift is one of this work-item's.
                int shift = (int)(kernel_column * dilation_x) - (int)padding_x;
                int out_from = (max(0, first - shift) + STRIDE_X - 1) / STRIDE_X;
                int out_to = min((int)out_width, (last - shift + STRIDE_X - 1) / STRIDE_X);
                for (int out_column = out_from; out_column < out_to; out_column++)
                    sums[out_column * STRIDE_X + shift - first] += source[out_column];
            }
        }
        for (int column = first; column < last; column++)
            target[column] = finish(sums[column - first], bias, residual, plane % channels, 0,
                                    line * width + (size_t)column);
    }
}
