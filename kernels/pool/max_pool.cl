// SPDX-License-Identifier: MIT
// Max-pooling over square windows, and its gradient, which gathers so that it needs no atomics.
//   x, dx        float (x is half if X_HALF), row-major (planes, height, width), a plane being one
//                channel of one image
//   y, dy        float (y is half if X_HALF), row-major (planes, out_height, out_width)
//   positions    int, shaped as y: where in its plane each maximum was found, the first if several;
//                -1 where RELU made it 0 and no gradient passes
//   launch       global at least ceil(columns / COLUMNS_PER_ITEM) x 1, the columns being those of y
//                forward and of x backward; rows of all planes beyond the second size are looped
//                over; local any
//   local        none                          needs   OpenCL 1.2
//   source       none

#include "common/stored.cl"

// Neighbouring columns for one work-item: 1 suits GPUs, a whole row suits CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

// Known here, so that compilers unroll the windows.
#ifndef SIZE
#define SIZE 2
#endif
#ifndef STRIDE
#define STRIDE 2
#endif
// Rows and columns around the image that count as -infinity; at most half a window.
#ifndef PADDING
#define PADDING 0
#endif
#define BORDER (uint)PADDING
// 1 where windows reach beyond the last row or column, which counts as -infinity, too.
#ifndef BEYOND
#define BEYOND 0
#endif
// 1 makes negative maxima 0.
#ifndef RELU
#define RELU 0
#endif
// 1 where x and y are stored in half; the largest of some halves is one of them.
#ifndef X_HALF
#define X_HALF 0
#endif

kernel void max_pool(global const STORED(X_HALF) *restrict x, global STORED(X_HALF) *restrict y,
                     global int *restrict positions, ulong planes, uint height, uint width,
                     uint out_height, uint out_width) {
    uint first = (uint)get_global_id(0) * COLUMNS_PER_ITEM;
    uint last = min(out_width, first + COLUMNS_PER_ITEM);
    for (size_t line = get_global_id(1); line < planes * out_height; line += get_global_size(1)) {
        global const STORED(X_HALF) *values = x + line / out_height * height * width;
        uint top = line % out_height * STRIDE;
        for (uint out_column = first; out_column < last; out_column++) {
            uint left = out_column * STRIDE;
            // The first value of the window inside the image.
            uint best = (max(top, BORDER) - BORDER) * width + max(left, BORDER) - BORDER;
            float best_value = READ(X_HALF, values, best);
            // Counted from 0 to a constant, so that compilers unroll.
            for (uint down = 0; down < SIZE; down++) {
                for (uint across = 0; across < SIZE; across++) {
                    // What lies above or left of the image is beyond 2³¹ and so outside, too.
                    uint row = top + down - BORDER, column = left + across - BORDER;
                    bool inside = !(PADDING || BEYOND) || (row < height && column < width);
                    uint index = inside ? row * width + column : best;
                    float value = READ(X_HALF, values, index);
                    // NaN wins, as in NumPy and torch; isnan() would keep PoCL from using vectors.
                    bool better = value > best_value || value != value;
                    best = better ? index : best;
                    best_value = better ? value : best_value;
                }
            }
            bool kept = !RELU || best_value > 0.0f;
            // Not fmax, which would turn NaN into 0 and so hide it.
            WRITE(X_HALF, RELU && best_value < 0.0f ? 0.0f : best_value, y,
                  line * out_width + out_column);
            positions[line * out_width + out_column] = kept ? (int)best : -1;
        }
    }
}

kernel void max_pool_gradient(global const float *restrict dy, global const int *restrict positions,
                              global float *restrict dx, ulong planes, uint height, uint width,
                              uint out_height, uint out_width) {
    uint first = (uint)get_global_id(0) * COLUMNS_PER_ITEM;
    uint last = min(width, first + COLUMNS_PER_ITEM);
    for (size_t line = get_global_id(1); line < planes * height; line += get_global_size(1)) {
        size_t base = line / height * out_height * out_width;
        uint row = line % height;
        // The windows over this pixel: those whose first row is at most row and above row - size.
        uint down = row + PADDING;
        uint first_row = down < SIZE ? 0 : (down - SIZE) / STRIDE + 1;
        uint last_row = min(down / STRIDE + 1, out_height);
        for (uint column = first; column < last; column++) {
            uint across = column + PADDING;
            uint first_column = across < SIZE ? 0 : (across - SIZE) / STRIDE + 1;
            uint last_column = min(across / STRIDE + 1, out_width);
            float sum = 0.0f;
            for (uint out_row = first_row; out_row < last_row; out_row++) {
                for (uint out_column = first_column; out_column < last_column; out_column++) {
                    size_t output = base + out_row * out_width + out_column;
                    if ((uint)positions[output] == row * width + column)
                        sum += dy[output];
                }
            }
            dx[line * width + column] = sum;
        }
    }
}
