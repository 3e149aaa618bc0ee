// SPDX-License-Identifier: MIT
// The gradient of im2col: every pixel gathers from the windows that it was copied to.
//   columns  float, row-major (images, channels·kernel_height·kernel_width, out_height, out_width)
//   x        float, row-major (images, channels, height, width)
//   launch   global at least ceil(width / COLUMNS_PER_ITEM) x 1; rows of all planes of x beyond
//            the second size are looped over; local any
//   local    none                              needs   OpenCL 1.2
//   source   Chellapilla, Puri & Simard 2006

// Neighbouring columns for one work-item: 1 suits GPUs, a cache line or more suits CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

// Known here, for compilers turn steps of one into vectors.
#ifndef STRIDE
#define STRIDE 1
#endif

kernel void col2im(global const float *restrict columns, global float *restrict x, ulong images,
                   uint channels, uint height, uint width, uint kernel_height, uint kernel_width,
                   uint out_height, uint out_width, uint padding) {
    int first = get_global_id(0) * COLUMNS_PER_ITEM;
    int last = min((int)width, first + COLUMNS_PER_ITEM);
    size_t lines = images * channels * height;
    for (size_t line = get_global_id(1); line < lines; line += get_global_size(1)) {
        size_t plane = line / height;
        uint row = line % height + padding;
        global float *target = x + line * width;
        float sums[COLUMNS_PER_ITEM];
        for (uint index = 0; index < COLUMNS_PER_ITEM; index++)
            sums[index] = 0.0f;
        for (uint kernel_row = 0; kernel_row < kernel_height; kernel_row++) {
            uint down = row - kernel_row;
            uint out_row = down / STRIDE;
            if (row < kernel_row || down % STRIDE || out_row >= out_height)
                continue;
            for (uint kernel_column = 0; kernel_column < kernel_width; kernel_column++) {
                size_t window = (plane * kernel_height + kernel_row) * kernel_width + kernel_column;
                global const float *source = columns + (window * out_height + out_row) * out_width;
                // The windows whose pixel out_column·STRIDE + shift is one of this work-item's.
                int shift = (int)kernel_column - (int)padding;
                int out_from = (max(0, first - shift) + STRIDE - 1) / STRIDE;
                int out_to = min((int)out_width, (last - shift + STRIDE - 1) / STRIDE);
                for (int out_column = out_from; out_column < out_to; out_column++)
                    sums[out_column * STRIDE + shift - first] += source[out_column];
            }
        }
        for (int column = first; column < last; column++)
            target[column] = sums[column - first];
    }
}
