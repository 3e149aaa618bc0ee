// SPDX-License-Identifier: MIT
// A convolution's gradient for images of up to four channels on a GPU: a work-item computes all
// channels of STRIDE_Y x STRIDE_X·BLOCK neighbouring pixels, so that every value of dy that it reads
// meets every tap that it has. Rows of a product this few would leave most of a tile idle.
//   dy       float (images, filters, out_size)
//   weight   float (filters, CHANNELS, KERNEL_HEIGHT, KERNEL_WIDTH)
//   dx       float (images, CHANNELS, size)
//   bias, residual  as common/epilogue.cl says; residual is laid out like dx
//   launch   global at least images·blocks.x·blocks.y, rounded up to LOCAL; local LOCAL; a block is
//            what a work-item computes, blocks.x of them cover the height, blocks.y the width
//   local    16·KERNEL_HEIGHT·KERNEL_WIDTH·FILTERS bytes        needs   OpenCL 1.2
//   source   none

#include "common/epilogue.cl"

#ifndef CHANNELS
#define CHANNELS 3
#endif
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
#define PADDING_Y 0
#endif
#ifndef PADDING_X
#define PADDING_X 0
#endif
// Places along a line, and filters whose weights lie in local memory at a time.
#ifndef BLOCK
#define BLOCK 4
#endif
#ifndef FILTERS
#define FILTERS 8
#endif
#ifndef LOCAL
#define LOCAL 128
#endif

#define TAPS (KERNEL_HEIGHT * KERNEL_WIDTH)
// How far before its own place in dy a pixel's taps reach; padding is less than the kernel.
#define ABOVE ((KERNEL_HEIGHT - 1 - PADDING_Y) / STRIDE_Y)
#define LEFT ((KERNEL_WIDTH - 1 - PADDING_X) / STRIDE_X)
#define LINES (ABOVE + 1 + (STRIDE_Y - 1 + PADDING_Y) / STRIDE_Y)
#define COLUMNS (LEFT + BLOCK + (STRIDE_X - 1 + PADDING_X) / STRIDE_X)

kernel __attribute__((reqd_work_group_size(LOCAL, 1, 1)))
void few_channels(global const float *restrict dy, global const float *restrict weight,
                  global float *restrict dx, global const float *bias,
                  global const float *residual, uint images, uint filters, uint2 out_size,
                  uint2 size, uint2 blocks) {
    local float4 weights[FILTERS * TAPS];
    uint block = (uint)get_global_id(0);
    bool exists = block < images * blocks.x * blocks.y;
    block = exists ? block : 0;
    uint image = block / (blocks.x * blocks.y);
    int row = (int)(block / blocks.y % blocks.x);
    int column = (int)(block % blocks.y) * BLOCK;
    size_t plane = (size_t)out_size.x * out_size.y;
    dy += image * filters * plane;

    float sums[CHANNELS][STRIDE_Y][BLOCK * STRIDE_X];
    #pragma unroll
    for (int c = 0; c < CHANNELS; c++)
        #pragma unroll
        for (int y = 0; y < STRIDE_Y; y++)
            #pragma unroll
            for (int x = 0; x < BLOCK * STRIDE_X; x++)
                sums[c][y][x] = 0.0f;

    for (uint start = 0; start < filters; start += FILTERS) {
        uint count = min((uint)FILTERS, filters - start);
        // Nobody may still read the weights before.
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = (uint)get_local_id(0); i < count * TAPS; i += LOCAL) {
            float values[4] = {0.0f, 0.0f, 0.0f, 0.0f};
            #pragma unroll
            for (int c = 0; c < CHANNELS; c++)
                values[c] = weight[((start + i / TAPS) * CHANNELS + (uint)c) * TAPS + i % TAPS];
            weights[i] = (float4)(values[0], values[1], values[2], values[3]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint filter = 0; filter < count; filter++) {
            global const float *source = dy + (start + filter) * plane;
            #pragma unroll
            for (int line = 0; line < LINES; line++) {
                int from = row + line - ABOVE;
                bool inside = (uint)from < out_size.x;
                float values[COLUMNS];
                #pragma unroll
                for (int i = 0; i < COLUMNS; i++) {
                    int at = column + i - LEFT;
                    bool read = inside && (uint)at < out_size.y;
                    values[i] = read ? source[from * (int)out_size.y + at] : 0.0f;
                }
                #pragma unroll
                for (int y = 0; y < STRIDE_Y; y++) {
                    int tap_y = y + PADDING_Y - (line - ABOVE) * STRIDE_Y;
                    if (tap_y < 0 || tap_y >= KERNEL_HEIGHT)
                        continue;
                    #pragma unroll
                    for (int x = 0; x < STRIDE_X; x++) {
                        #pragma unroll
                        for (int i = 0; i < COLUMNS - BLOCK + 1; i++) {
                            int tap_x = x + PADDING_X - (i - LEFT) * STRIDE_X;
                            if (tap_x < 0 || tap_x >= KERNEL_WIDTH)
                                continue;
                            int tap = tap_y * KERNEL_WIDTH + tap_x;
                            float4 four = weights[(int)filter * TAPS + tap];
                            float w[4] = {four.x, four.y, four.z, four.w};
                            #pragma unroll
                            for (int c = 0; c < CHANNELS; c++)
                                #pragma unroll
                                for (int b = 0; b < BLOCK; b++)
                                    sums[c][y][b * STRIDE_X + x] =
                                        fma(w[c], values[i + b], sums[c][y][b * STRIDE_X + x]);
                        }
                    }
                }
            }
        }
    }

    if (!exists)
        return;
    #pragma unroll
    for (int c = 0; c < CHANNELS; c++)
        #pragma unroll
        for (int y = 0; y < STRIDE_Y; y++)
            #pragma unroll
            for (int x = 0; x < BLOCK * STRIDE_X; x++) {
                uint to_y = (uint)(row * STRIDE_Y + y);
                uint to_x = (uint)(column * STRIDE_X + x);
                size_t channel = (size_t)image * CHANNELS + (uint)c;
                size_t index = (channel * size.x + to_y) * size.y + to_x;
                if (to_y < size.x && to_x < size.y)
                    dx[index] = finish(sums[c][y][x], bias, residual, (size_t)c, 0, index);
            }
}
