// SPDX-License-Identifier: MIT
// Convolution of filters that see one channel each, and its gradients, on a GPU: a work-item takes
// ROWS outputs, one below the other, so that most of the values that it reads serve several of them.
//   x        float (images, groups, size)
//   weight   float (groups·MULTIPLIER, KERNEL_HEIGHT, KERNEL_WIDTH)
//   y, dy    float (images, groups·MULTIPLIER, out_size)
//   parts    float (any number, groups·MULTIPLIER, KERNEL_HEIGHT, KERNEL_WIDTH), to be added
//   bias, residual  as common/epilogue.cl says; residual is laid out like the result
//   launch   forward: global at least planes·ceil(out_size.x / ROWS)·out_size.y, planes those of y;
//            input_gradient: planes·ceil(blocks.x / ROWS)·blocks.y, planes those of dx, whose blocks of
//            STRIDE_Y x STRIDE_X pixels blocks.x cover the height and blocks.y the width; any local.
//            weight_gradient: global LOCAL·filters x parts, local LOCAL x 1
//   local    weight_gradient: (LOCAL + 1)·KERNEL_HEIGHT·KERNEL_WIDTH·4 bytes       needs   OpenCL 1.2
//   source   none

#include "common/epilogue.cl"

#ifndef KERNEL_HEIGHT
#define KERNEL_HEIGHT 3
#endif
#ifndef KERNEL_WIDTH
#define KERNEL_WIDTH 3
#endif
#ifndef STRIDE_Y
#define STRIDE_Y 1
#endif
#ifndef STRIDE_X
#define STRIDE_X 1
#endif
#ifndef PADDING_Y
#define PADDING_Y 1
#endif
#ifndef PADDING_X
#define PADDING_X 1
#endif
// Filters that see the same channel.
#ifndef MULTIPLIER
#define MULTIPLIER 1
#endif
#ifndef ROWS
#define ROWS 4
#endif
#ifndef LOCAL
#define LOCAL 128
#endif

#define TAPS (KERNEL_HEIGHT * KERNEL_WIDTH)
// Lines of x that ROWS outputs see.
#define LINES ((ROWS - 1) * STRIDE_Y + KERNEL_HEIGHT)
// How far before a block's own place in dy its taps reach, and how much of dy they see.
#define ABOVE ((KERNEL_HEIGHT - 1 - PADDING_Y) / STRIDE_Y)
#define LEFT ((KERNEL_WIDTH - 1 - PADDING_X) / STRIDE_X)
#define DOWN (ABOVE + ROWS + (STRIDE_Y - 1 + PADDING_Y) / STRIDE_Y)
#define ACROSS (LEFT + 1 + (STRIDE_X - 1 + PADDING_X) / STRIDE_X)
// Work-items that add up the sums of one tap.
#define LANES 4

// Reads neighbours of a line, zero outside.
void read_line(float *values, int count, global const float *plane, int row, int column, uint2 size) {
    bool inside = (uint)row < size.x;
    #pragma unroll
    for (int i = 0; i < count; i++)
        values[i] = inside && (uint)(column + i) < size.y ? plane[row * (int)size.y + column + i]
                                                          : 0.0f;
}

kernel void forward(global const float *restrict x, global const float *restrict weight,
                    global float *restrict y, global const float *bias,
                    global const float *residual, uint planes, uint filters, uint2 size,
                    uint2 out_size) {
    uint item = (uint)get_global_id(0);
    uint column = item % out_size.y, rest = item / out_size.y;
    uint blocks = (out_size.x + ROWS - 1) / ROWS;
    uint plane = rest / blocks, row = rest % blocks * ROWS;
    if (plane >= planes)
        return;
    x += (size_t)(plane / MULTIPLIER) * size.x * size.y;
    y += (size_t)plane * out_size.x * out_size.y;
    uint filter = plane % filters;
    float taps[TAPS], sums[ROWS];
    #pragma unroll
    for (int tap = 0; tap < TAPS; tap++)
        taps[tap] = weight[filter * TAPS + (uint)tap];
    #pragma unroll
    for (int r = 0; r < ROWS; r++)
        sums[r] = 0.0f;
    #pragma unroll
    for (int line = 0; line < LINES; line++) {
        float values[KERNEL_WIDTH];
        read_line(values, KERNEL_WIDTH, x, (int)row * STRIDE_Y - PADDING_Y + line,
                  (int)column * STRIDE_X - PADDING_X, size);
        #pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int tap = line - r * STRIDE_Y;
            if (tap < 0 || tap >= KERNEL_HEIGHT)
                continue;
            #pragma unroll
            for (int i = 0; i < KERNEL_WIDTH; i++)
                sums[r] = fma(taps[tap * KERNEL_WIDTH + i], values[i], sums[r]);
        }
    }
    #pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint place = (row + (uint)r) * out_size.y + column;
        size_t index = (size_t)plane * out_size.x * out_size.y + place;
        if (row + (uint)r < out_size.x)
            y[place] = finish(sums[r], bias, residual, filter, 0, index);
    }
}

kernel void input_gradient(global const float *restrict dy, global const float *restrict weight,
                           global float *restrict dx, global const float *bias,
                           global const float *residual, uint planes, uint channels, uint2 out_size,
                           uint2 size, uint2 blocks) {
    uint item = (uint)get_global_id(0);
    uint column = item % blocks.y, rest = item / blocks.y;
    uint down = (blocks.x + ROWS - 1) / ROWS;
    uint plane = rest / down, row = rest % down * ROWS;
    if (plane >= planes)
        return;
    uint channel = plane % channels;
    float sums[ROWS * STRIDE_Y][STRIDE_X];
    #pragma unroll
    for (int r = 0; r < ROWS * STRIDE_Y; r++)
        #pragma unroll
        for (int c = 0; c < STRIDE_X; c++)
            sums[r][c] = 0.0f;
    #pragma unroll 1
    for (uint m = 0; m < MULTIPLIER; m++) {
        global const float *source = dy + ((size_t)plane * MULTIPLIER + m) * out_size.x * out_size.y;
        float taps[TAPS];
        #pragma unroll
        for (int tap = 0; tap < TAPS; tap++)
            taps[tap] = weight[(channel * MULTIPLIER + m) * TAPS + (uint)tap];
        #pragma unroll
        for (int line = -ABOVE; line < DOWN - ABOVE; line++) {
            float values[ACROSS];
            read_line(values, ACROSS, source, (int)row + line, (int)column - LEFT, out_size);
            #pragma unroll
            for (int r = 0; r < ROWS * STRIDE_Y; r++) {
                int tap_y = r + PADDING_Y - line * STRIDE_Y;
                if (tap_y < 0 || tap_y >= KERNEL_HEIGHT)
                    continue;
                #pragma unroll
                for (int c = 0; c < STRIDE_X; c++)
                    #pragma unroll
                    for (int i = 0; i < ACROSS; i++) {
                        int tap_x = c + PADDING_X - (i - LEFT) * STRIDE_X;
                        if (tap_x < 0 || tap_x >= KERNEL_WIDTH)
                            continue;
                        sums[r][c] = fma(taps[tap_y * KERNEL_WIDTH + tap_x], values[i], sums[r][c]);
                    }
            }
        }
    }
    size_t start = (size_t)plane * size.x * size.y;
    #pragma unroll
    for (int r = 0; r < ROWS * STRIDE_Y; r++)
        #pragma unroll
        for (int c = 0; c < STRIDE_X; c++) {
            uint to_y = row * STRIDE_Y + (uint)r, to_x = column * STRIDE_X + (uint)c;
            size_t index = start + to_y * size.y + to_x;
            if (to_y < size.x && to_x < size.y)
                dx[index] = finish(sums[r][c], bias, residual, channel, 0, index);
        }
}

kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1)))
void weight_gradient(global const float *restrict dy, global const float *restrict x,
                     global float *restrict parts, uint images, uint filters, uint2 size,
                     uint2 out_size) {
    local float scratch[TAPS * (LOCAL + 1)];
    uint item = (uint)get_local_id(0);
    uint filter = (uint)get_group_id(0);
    uint blocks = (out_size.x + ROWS - 1) / ROWS;
    uint count = images * blocks * out_size.y;
    float sums[TAPS];
    #pragma unroll
    for (int tap = 0; tap < TAPS; tap++)
        sums[tap] = 0.0f;
    for (uint at = (uint)get_group_id(1) * LOCAL + item; at < count;
         at += LOCAL * (uint)get_num_groups(1)) {
        uint column = at % out_size.y, rest = at / out_size.y;
        uint image = rest / blocks, row = rest % blocks * ROWS;
        size_t plane = (size_t)image * filters + filter;
        global const float *gradient = dy + plane * out_size.x * out_size.y;
        global const float *source = x + plane / MULTIPLIER * size.x * size.y;
        float given[ROWS];
        #pragma unroll
        for (int r = 0; r < ROWS; r++)
            given[r] = row + (uint)r < out_size.x
                           ? gradient[(row + (uint)r) * out_size.y + column] : 0.0f;
        #pragma unroll
        for (int line = 0; line < LINES; line++) {
            float values[KERNEL_WIDTH];
            read_line(values, KERNEL_WIDTH, source, (int)row * STRIDE_Y - PADDING_Y + line,
                      (int)column * STRIDE_X - PADDING_X, size);
            #pragma unroll
            for (int r = 0; r < ROWS; r++) {
                int tap = line - r * STRIDE_Y;
                if (tap < 0 || tap >= KERNEL_HEIGHT)
                    continue;
                #pragma unroll
                for (int i = 0; i < KERNEL_WIDTH; i++)
                    sums[tap * KERNEL_WIDTH + i] =
                        fma(given[r], values[i], sums[tap * KERNEL_WIDTH + i]);
            }
        }
    }
    // One more column keeps the taps of a line of work-items in different banks.
    #pragma unroll
    for (int tap = 0; tap < TAPS; tap++)
        scratch[(uint)tap * (LOCAL + 1) + item] = sums[tap];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint number = item; number < TAPS * LANES; number += LOCAL) {
        local float *line = scratch + number / LANES * (LOCAL + 1) + number % LANES;
        float sum = 0.0f;
        for (uint i = 0; i < LOCAL; i += LANES)
            sum += line[i];
        line[0] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    parts += ((size_t)get_group_id(1) * filters + filter) * TAPS;
    for (uint tap = item; tap < TAPS; tap += LOCAL) {
        local float *line = scratch + tap * (LOCAL + 1);
        float sum = 0.0f;
        for (uint lane = 0; lane < LANES; lane++)
            sum += line[lane];
        parts[tap] = sum;
    }
}
