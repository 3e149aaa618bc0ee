// SPDX-License-Identifier: MIT
// The gradient for the filters on a CPU, without unfolded windows. A work-item is a work-group and adds
// up some blocks of rows of the images. It copies what a block needs of the images as direct.cl does,
// and the gradient so that the values of 16·VECTORS filters lie side by side.
//   dy       float, row-major (images, groups·filters, out.x, out.y)
//   x        float, or half if X_HALF, row-major (images, groups·channels, size.x, size.y)
//   places   int, where in the planes each value of a filter finds the first output's; the last one
//            is repeated until ROWS divides their number
//   phases   int (phase_count, 2), see planes.cl
//   sums     float (parts, groups, ceil(filters / (16·VECTORS)), channels·tap_count, 16·VECTORS)
//   block    rows and columns of the outputs of a block; `blocks` of them make an image
//   launch   global parts x groups, local 1 x 1
//   local    4·SCRATCH bytes                   needs   OpenCL 1.2
//   source   Goto & van de Geijn 2008, "Anatomy of high-performance matrix multiplication"

#include "common/transpose.cl"
#include "conv/planes.cl"

// ROWS·VECTORS sums, VECTORS values of dy and one of x fit the 32 registers of AVX-512.
#ifndef ROWS
#define ROWS 6
#endif
#ifndef VECTORS
#define VECTORS 4
#endif
#ifndef SCRATCH
#define SCRATCH 49152
#endif

#define COLUMNS (16 * VECTORS)

// Copies `filters` lines of `count` values, `step` apart, as the columns of `target`; others are zero.
void copy_transposed(global const float *restrict lines, local float *restrict target, size_t step,
                     uint filters, uint count) {
    for (uint j = 0; j < COLUMNS; j += 16) {
        uint at = 0;
        for (; at + 16 <= count && j + 16 <= filters; at += 16) {
            float16 values[16];
            #pragma unroll
            for (uint i = 0; i < 16; i++)
                values[i] = vload16(0, lines + (j + i) * step + at);
            transpose16(values);
            #pragma unroll
            for (uint i = 0; i < 16; i++)
                vstore16(values[i], 0, target + (at + i) * COLUMNS + j);
        }
        for (; at < count; at++) {
            for (uint i = j; i < j + 16; i++)
                target[at * COLUMNS + i] = i < filters ? lines[i * step + at] : 0.0f;
        }
    }
}

// Adds what a block gives to ROWS neighbouring values of COLUMNS filters.
void multiply(local const float *const *values, local const float *restrict dy, uint rows,
              uint columns, uint line, uint valid, bool add, global float *restrict target) {
    float16 sums[ROWS][VECTORS];
    local const float *sources[ROWS];
    #pragma unroll
    for (uint i = 0; i < ROWS; i++) {
        sources[i] = values[i];
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            sums[i][j] = 0.0f;
    }
    for (uint row = 0; row < rows; row++) {
        for (uint column = 0; column < columns; column++, dy += COLUMNS) {
            float16 vectors[VECTORS];
            #pragma unroll
            for (uint j = 0; j < VECTORS; j++)
                vectors[j] = vload16(j, dy);
            #pragma unroll
            for (uint i = 0; i < ROWS; i++) {
                #pragma unroll
                for (uint j = 0; j < VECTORS; j++)
                    sums[i][j] += sources[i][column] * vectors[j];
            }
        }
        #pragma unroll
        for (uint i = 0; i < ROWS; i++)
            sources[i] += line;
    }
    #pragma unroll
    for (uint i = 0; i < ROWS; i++) {
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++) {
            if (i < valid) {
                float16 before = add ? vload16(i * VECTORS + j, target) : (float16)0.0f;
                vstore16(before + sums[i][j], i * VECTORS + j, target);
            }
        }
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void direct_weights(global const float *restrict dy, global const STORED(X_HALF) *restrict x,
                    global const int *restrict places, global const int *restrict phases,
                    global float *restrict sums, uint groups, uint channels, uint filters,
                    uint images, uint2 size, uint2 out, uint tap_count, uint phase_count,
                    uint2 steps, uint2 plane, uint2 block, uint blocks) {
    local float planes[SCRATCH] __attribute__((aligned(64)));

    uint group = (uint)get_group_id(1), parts = (uint)get_num_groups(0);
    uint window = channels * tap_count;
    uint channel_step = phase_count * plane.x * plane.y;
    local float *transposed = planes + (channels * channel_step + 15) / 16 * 16;
    uint filter_blocks = (filters + COLUMNS - 1) / COLUMNS;
    global float *own =
        sums + (size_t)(get_group_id(0) * groups + group) * filter_blocks * window * COLUMNS;

    for (uint index = (uint)get_group_id(0); index < images * blocks; index += parts) {
        uint image = index / blocks;
        uint first_row = index % blocks * block.x;
        uint rows = min(block.x, out.x - first_row);
        copy_planes(x + (size_t)(image * groups + group) * channels * size.x * size.y, planes,
                    phases, channels, phase_count, size, plane, steps, first_row,
                    plane.x - (block.x - rows));
        for (uint filter = 0; filter < filters; filter += COLUMNS) {
            size_t first = (size_t)(image * groups + group) * filters + filter;
            copy_transposed(dy + (first * out.x + first_row) * out.y, transposed, out.x * out.y,
                            min((uint)COLUMNS, filters - filter), rows * out.y);
            for (uint entry = 0; entry < window; entry += ROWS) {
                local const float *values[ROWS];
                #pragma unroll
                for (uint i = 0; i < ROWS; i++)
                    values[i] = planes + places[entry + i];
                multiply(values, transposed, rows, out.y, plane.y, window - entry,
                         index >= parts,
                         own + ((size_t)filter * window + entry * COLUMNS));
            }
        }
    }
}
