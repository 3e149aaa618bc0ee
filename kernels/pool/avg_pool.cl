// SPDX-License-Identifier: MIT
// Average-pooling, and its gradient, which gathers so that it needs no atomics.
//   x, dx        float, row-major (planes, height, width), a plane being one channel of one image
//   y, dy        float, row-major (planes, out_height, out_width)
//   launch       global at least ceil(columns / COLUMNS_PER_ITEM) x 1, the columns being those of y
//                forward and of x backward; rows of all planes beyond the second size are looped
//                over; local any
//   local        none                          needs   OpenCL 1.2
//   source       torch.nn.AvgPool2d, for what padding counts

// Neighbouring columns for one work-item: 1 suits GPUs, a whole row suits CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif
// The window; a padding is at most half of it.
#ifndef SIZE_Y
#define SIZE_Y 2
#endif
#ifndef SIZE_X
#define SIZE_X 2
#endif
#ifndef STRIDE_Y
#define STRIDE_Y 2
#endif
#ifndef STRIDE_X
#define STRIDE_X 2
#endif
#ifndef PADDING_Y
#define PADDING_Y 0
#endif
#ifndef PADDING_X
#define PADDING_X 0
#endif
// Whether zeros around the image count as values.
#ifndef COUNT_PADDING
#define COUNT_PADDING 1
#endif

// The part of a window inside the image along one axis, as a half-open range.
uint first_inside(uint out, uint stride, uint padding) {
    return max(out * stride, padding) - padding;
}

uint last_inside(uint out, uint stride, uint padding, uint size, uint length) {
    return min(length, out * stride + size - padding);
}

float weight(uint rows, uint columns) {
    return 1.0f / (float)(COUNT_PADDING ? SIZE_Y * SIZE_X : rows * columns);
}

kernel void avg_pool(global const float *restrict x, global float *restrict y, ulong planes,
                     uint height, uint width, uint out_height, uint out_width) {
    uint first = (uint)get_global_id(0) * COLUMNS_PER_ITEM;
    uint last = min(out_width, first + COLUMNS_PER_ITEM);
    for (size_t line = get_global_id(1); line < planes * out_height; line += get_global_size(1)) {
        global const float *values = x + line / out_height * height * width;
        uint out_row = (uint)(line % out_height);
        uint top = first_inside(out_row, STRIDE_Y, PADDING_Y);
        uint bottom = last_inside(out_row, STRIDE_Y, PADDING_Y, SIZE_Y, height);
        for (uint out_column = first; out_column < last; out_column++) {
            uint left = first_inside(out_column, STRIDE_X, PADDING_X);
            uint right = last_inside(out_column, STRIDE_X, PADDING_X, SIZE_X, width);
            float sum = 0.0f;
            for (uint row = top; row < bottom; row++)
                for (uint column = left; column < right; column++)
                    sum += values[row * width + column];
            y[line * out_width + out_column] = sum * weight(bottom - top, right - left);
        }
    }
}

kernel void avg_pool_gradient(global const float *restrict dy, global float *restrict dx,
                              ulong planes, uint height, uint width, uint out_height,
                              uint out_width) {
    uint first = (uint)get_global_id(0) * COLUMNS_PER_ITEM;
    uint last = min(width, first + COLUMNS_PER_ITEM);
    for (size_t line = get_global_id(1); line < planes * height; line += get_global_size(1)) {
        global const float *gradient = dy + line / height * out_height * out_width;
        // The windows over this pixel: those that begin at or above it and end below it.
        uint row = (uint)(line % height) + PADDING_Y;
        uint top = row < SIZE_Y ? 0 : (row - SIZE_Y) / STRIDE_Y + 1;
        uint bottom = min(row / STRIDE_Y + 1, out_height);
        for (uint column = first; column < last; column++) {
            uint across = column + PADDING_X;
            uint left = across < SIZE_X ? 0 : (across - SIZE_X) / STRIDE_X + 1;
            uint right = min(across / STRIDE_X + 1, out_width);
            float sum = 0.0f;
            for (uint out_row = top; out_row < bottom; out_row++) {
                uint rows = last_inside(out_row, STRIDE_Y, PADDING_Y, SIZE_Y, height) -
                           first_inside(out_row, STRIDE_Y, PADDING_Y);
                for (uint out_column = left; out_column < right; out_column++) {
                    uint columns = last_inside(out_column, STRIDE_X, PADDING_X, SIZE_X, width) -
                                  first_inside(out_column, STRIDE_X, PADDING_X);
                    sum += gradient[out_row * out_width + out_column] * weight(rows, columns);
                }
            }
            dx[line * width + column] = sum;
        }
    }
}
