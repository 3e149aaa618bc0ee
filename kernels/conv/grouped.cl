// SPDX-License-Identifier: MIT
// Convolution, and its gradient for the images, straight from the definition: for filters that see so
// few channels (one, if depthwise) that there is no product to block, and for every other geometry.
//   x        float, row-major (images, channels, height, width)
//   weight   float, row-major (filters, channels / groups, kernel_height, kernel_width)
//   y        float, row-major (images, filters, out_height, out_width)
//   bias, residual  one value per plane of the result, as many as it has; see common/epilogue.cl
//   launch   global at least ceil(columns / COLUMNS_PER_ITEM) x 1 for the columns of the result; its
//            rows, over all planes, beyond the second size are looped over; local any
//   local    none                              needs   OpenCL 1.2
//   source   the definition

// Neighbouring columns for one work-item: 1 suits GPUs, a cache line or more suits CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif
#include "common/epilogue.cl"
#include "conv/geometry.cl"

kernel void conv_grouped(global const float *restrict x, global const float *restrict weight,
                         global float *restrict y, GEOMETRY, uint filters, uint groups,
                         global const float *bias, global const float *residual) {
    int first = (int)get_global_id(0) * COLUMNS_PER_ITEM;
    int last = min((int)out_width, first + COLUMNS_PER_ITEM);
    uint depth = channels / groups;
    ulong lines = images * filters * out_height;
    for (ulong line = get_global_id(1); line < lines; line += get_global_size(1)) {
        uint filter = (uint)(line / out_height % filters);
        ulong channel = line / out_height / filters * channels + filter / (filters / groups) * depth;
        global const float *tap = weight + (ulong)filter * depth * kernel_height * kernel_width;
        float sums[COLUMNS_PER_ITEM];
        for (int index = 0; index < COLUMNS_PER_ITEM; index++)
            sums[index] = 0.0f;
        for (uint plane = 0; plane < depth; plane++) {
            for (uint i = 0; i < kernel_height; i++) {
                // Unsigned, so that a row before the first one wraps around to a huge index.
                uint row = (uint)(line % out_height) * stride_y + i * dilation_y - padding_y;
                if (row >= height) {
                    tap += kernel_width;
                    continue;
                }
                global const float *source = x + ((channel + plane) * height + row) * width;
                for (uint j = 0; j < kernel_width; j++, tap++) {
                    // The columns whose pixel column·STRIDE_X + shift lies inside the row.
                    int shift = (int)(j * dilation_x) - (int)padding_x;
                    int from = max(first, max(0, STRIDE_X - 1 - shift) / STRIDE_X);
                    int to = min(last, ((int)width - shift + STRIDE_X - 1) / STRIDE_X);
                    for (int column = from; column < to; column++)
                        sums[column - first] += tap[0] * source[column * STRIDE_X + shift];
                }
            }
        }
        for (int column = first; column < last; column++) {
            ulong target = line * out_width + (ulong)column;
            y[target] = finish(sums[column - first], bias, residual, filter, 0, target);
        }
    }
}

kernel void conv_grouped_input_gradient(global const float *restrict dy,
                                        global const float *restrict weight,
                                        global float *restrict dx, GEOMETRY, uint filters,
                                        uint groups, global const float *bias,
                                        global const float *residual) {
    int first = (int)get_global_id(0) * COLUMNS_PER_ITEM;
    int last = min((int)width, first + COLUMNS_PER_ITEM);
    uint depth = channels / groups, filters_of_group = filters / groups;
    ulong lines = images * channels * height;
    for (ulong line = get_global_id(1); line < lines; line += get_global_size(1)) {
        uint row = (uint)(line % height) + padding_y;
        uint channel = (uint)(line / height % channels);
        uint first_filter = channel / depth * filters_of_group;
        ulong image = line / height / channels;
        float sums[COLUMNS_PER_ITEM];
        for (int index = 0; index < COLUMNS_PER_ITEM; index++)
            sums[index] = 0.0f;
        for (uint filter = first_filter; filter < first_filter + filters_of_group; filter++) {
            global const float *taps =
                weight + ((ulong)filter * depth + channel % depth) * kernel_height * kernel_width;
            for (uint i = 0; i < kernel_height; i++) {
                uint down = row - i * dilation_y;
                uint out_row = down / stride_y;
                if (row < i * dilation_y || down % stride_y || out_row >= out_height)
                    continue;
                global const float *source =
                    dy + ((image * filters + filter) * out_height + out_row) * out_width;
                for (uint j = 0; j < kernel_width; j++) {
                    // The windows whose pixel column·STRIDE_X + shift is one of this work-item's.
                    int shift = (int)(j * dilation_x) - (int)padding_x;
                    int from = (max(0, first - shift) + STRIDE_X - 1) / STRIDE_X;
                    int to = min((int)out_width, (last - shift + STRIDE_X - 1) / STRIDE_X);
                    for (int column = from; column < to; column++)
                        sums[column * STRIDE_X + shift - first] +=
                            taps[i * kernel_width + j] * source[column];
                }
            }
        }
        for (int column = first; column < last; column++) {
            ulong target = line * width + (ulong)column;
            dx[target] = finish(sums[column - first], bias, residual, channel, 0, target);
        }
    }
}
