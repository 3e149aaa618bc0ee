// SPDX-License-Identifier: MIT
// The gradient for 3 x 3 filters with a stride of 1 on a CPU by Winograd's F(3 x 3, 4 x 4). A work-item
// is a work-group and adds up some rows of tiles, in blocks. Of each block it takes the windows of x and
// the tiles of dy to 36 points, 16 channels or filters side by side, and adds a product of both at each
// point to its sums, which winograd_weight_sums.cl takes back. Rounding errors are bounded by 8 times
// the definition's bound; tests/tensor/test_conv_winograd.py derives it.
//   dy       float, row-major (images, filters, out.x, out.y)
//   x        float, row-major (images, channels, size.x, size.y)
//   scratch  float (work-items, 36·tiles of a block·(channels + filters), each rounded up to 16)
//   sums     float (parts, 36, ceil(channels / (16·VECTORS)), filters rounded up to 16, 16·VECTORS)
//   tiles    rows and columns of tiles of an image; block_rows rows make a block, part_rows a part
//   launch   global parts x groups of `share`·16 filters, local 1 x 1
//   local    384·LINE bytes                    needs   OpenCL 1.2
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks", arXiv:1509.09308

#include "conv/winograd_planes.cl"

// ROWS·VECTORS sums and VECTORS windows fit the registers of AVX-512; ROWS divides 16.
#ifndef ROWS
#define ROWS 4
#endif
#ifndef VECTORS
#define VECTORS 4
#endif
// Pixels of a row of tiles with the zeros around it.
#ifndef LINE
#define LINE 258
#endif

// Adds the products of ROWS filters and 16·VECTORS channels, summed over tiles.
void multiply(global const float *restrict gradients, global const float *restrict windows,
              const uint *vector_at, uint tiles, bool add, global float *restrict target) {
    float16 sums[ROWS][VECTORS];
    #pragma unroll
    for (uint i = 0; i < ROWS; i++) {
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            sums[i][j] = add ? vload16(i * VECTORS + j, target) : (float16)0.0f;
    }
    for (uint tile = 0; tile < tiles; tile++) {
        float16 vectors[VECTORS];
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            vectors[j] = vload16(tile, windows + vector_at[j]);
        #pragma unroll
        for (uint i = 0; i < ROWS; i++) {
            #pragma unroll
            for (uint j = 0; j < VECTORS; j++)
                sums[i][j] += gradients[16 * tile + i] * vectors[j];
        }
    }
    #pragma unroll
    for (uint i = 0; i < ROWS; i++)
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            vstore16(sums[i][j], i * VECTORS + j, target);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void winograd_weights(global const float *restrict dy, global const float *restrict x,
                      global float *restrict scratch, global float *restrict sums, uint images,
                      uint channels, uint filters, uint2 size, uint2 out, uint2 padding, uint2 tiles,
                      uint block_rows, uint part_rows, uint share) {
    local float pixels[6 * 16 * LINE] __attribute__((aligned(64)));

    uint capacity = block_rows * tiles.y;
    uint vectors = (channels + 15) / 16, filter_vectors = (filters + 15) / 16;
    uint channel_blocks = (vectors + VECTORS - 1) / VECTORS;
    uint first_filter = (uint)get_group_id(1) * share * 16;
    uint last_filter = min(filter_vectors * 16, first_filter + share * 16);
    size_t window_step = (size_t)vectors * capacity * 16, gradient_step = (size_t)share * capacity * 16;
    global float *windows = scratch
        + (get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 36 * (window_step + gradient_step);
    global float *gradients = windows + 36 * window_step;
    uint part_first = (uint)get_group_id(0) * part_rows;
    uint part_last = min(images * tiles.x, part_first + part_rows);
    sums += get_group_id(0) * 36 * channel_blocks * filter_vectors * 256 * VECTORS;

    for (uint first = part_first; first < part_last; first += block_rows) {
        uint last = min(part_last, first + block_rows);
        transform_block(x, 0, channels, channels, size, first, last, tiles, padding, false, pixels,
                        capacity, windows, window_step);
        transform_block(dy, first_filter, last_filter, filters, out, first, last, tiles, (uint2)(0, 0),
                        true, pixels, capacity, gradients, gradient_step);
        for (uint point = 0; point < 36; point++) {
            for (uint block = 0; block < channel_blocks; block++) {
                uint vector_at[VECTORS];
                #pragma unroll
                for (uint j = 0; j < VECTORS; j++)
                    vector_at[j] = min(block * VECTORS + j, vectors - 1) * capacity * 16;
                global float *target =
                    sums + (size_t)(point * channel_blocks + block) * filter_vectors * 256 * VECTORS;
                for (uint filter = first_filter; filter < last_filter; filter += ROWS) {
                    uint own = filter - first_filter;
                    multiply(gradients + point * gradient_step + own / 16 * 16 * capacity + own % 16,
                             windows + point * window_step, vector_at, (last - first) * tiles.y,
                             first > part_first, target + filter * 16 * VECTORS);
                }
            }
        }
    }
}
