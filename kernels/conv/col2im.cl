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

kernel void col2im(global const float *restrict columns, global float *restrict x, ulong images,
                   uint channels, uint height, uint width, uint kernel_height, uint kernel_width,
                   uint out_height, uint out_width, uint stride, uint padding) {
    uint first = get_global_id(0) * COLUMNS_PER_ITEM;
    uint last = min(width, first + COLUMNS_PER_ITEM);
    size_t lines = images * channels * height;
    for (size_t line = get_global_id(1); line < lines; line += get_global_size(1)) {
        size_t plane = line / height;
        uint row = line % height + padding;
        global float *target = x + line * width;
        float sums[COLUMNS_PER_ITEM];
        for (uint index = 0; index < COLUMNS_PER_ITEM; index++)
            sums[index] = 0.0f;
        for (uint kernel_row = 0; kernel_row < kernel_height; kernel_row++) {
            // Unsigned differences wrap around, so one comparison refuses both sides.
            uint down = row - kernel_row;
            uint out_row = down / stride;
            if (row < kernel_row || down % stride || out_row >= out_height)
                continue;
            for (uint kernel_column = 0; kernel_column < kernel_width; kernel_column++) {
                size_t window = (plane * kernel_height + kernel_row) * kernel_width + kernel_column;
                global const float *source = columns + (window * out_height + out_row) * out_width;
                for (uint column = first; column < last; column++) {
                    uint across = column + padding - kernel_column;
                    uint out_column = stride == 1 ? across : across / stride;
                    if (out_column < out_width && out_column * stride == across)
                        sums[column - first] += source[out_column];
                }
            }
        }
        for (uint column = first; column < last; column++)
            target[column] = sums[column - first];
    }
}
