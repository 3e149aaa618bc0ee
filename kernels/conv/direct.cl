// SPDX-License-Identifier: MIT
// Convolution on a CPU without unfolded windows. A work-item is a work-group and computes a block of
// rows of one image for all filters of a group, from a copy of the rows of x that it needs. There the
// values that a filter's tap meets at 16·VECTORS neighbouring outputs lie side by side, over line ends.
//   x        float, or half if X_HALF, row-major (images, channels, height, width)
//   filters  float (groups, ceil(rows / ROWS), group_channels, taps, ROWS): pack_filters.cl
//   taps     int, where in a channel's planes each tap finds the first output's value
//   phases   int (phase_count, 2), see planes.cl
//   y        float, or half if RESULT_HALF, row-major (images, groups·rows, out_height, out_width)
//   bias, residual  one value per filter, as many as y has; see common/epilogue.cl
//   block    rows and columns of the outputs of a block; `blocks` of them make an image
//   spread   the block's outputs are each spread-th of y from `first` on: x down, y across
//   launch   global images·groups·blocks, local 1
//   local    4·SCRATCH bytes                   needs   OpenCL 1.2
//   source   Zhang, Franchetti & Low 2018, "High performance zero-memory overhead direct convolutions"

#include "common/epilogue.cl"
#include "conv/planes.cl"

// ROWS·VECTORS sums, VECTORS values of x and one of the filters fit the 32 registers of AVX-512.
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

// Sums of ROWS filters at COLUMNS neighbouring outputs. They leave through memory, for a compiler that
// sees one of them stored here and another one there keeps all of them in memory from the start.
void multiply(global const float *restrict filter, local const float *restrict planes,
              global const int *restrict taps, uint channels, uint tap_count, uint channel_step,
              float *restrict results) {
    float16 sums[ROWS][VECTORS];
    #pragma unroll
    for (uint i = 0; i < ROWS; i++)
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            sums[i][j] = 0.0f;
    for (uint channel = 0; channel < channels; channel++) {
        for (uint tap = 0; tap < tap_count; tap++) {
            local const float *values = planes + channel * channel_step + taps[tap];
            float16 vectors[VECTORS];
            #pragma unroll
            for (uint j = 0; j < VECTORS; j++)
                vectors[j] = vload16(j, values);
            #pragma unroll
            for (uint i = 0; i < ROWS; i++) {
                #pragma unroll
                for (uint j = 0; j < VECTORS; j++)
                    sums[i][j] += filter[i] * vectors[j];
            }
            filter += ROWS;
        }
    }
    #pragma unroll
    for (uint i = 0; i < ROWS; i++)
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            vstore16(sums[i][j], i * VECTORS + j, results);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void direct(global const STORED(X_HALF) *restrict x, global const float *restrict filters,
            global const int *restrict taps, global const int *restrict phases,
            global STORED(RESULT_HALF) *restrict y, global const float *restrict bias,
            global const float *restrict residual, uint groups, uint group_channels, uint rows,
            uint2 size, uint tap_count, uint phase_count, uint2 steps, uint2 plane,
            uint2 block, uint blocks, uint2 out, uint2 spread, uint2 first) {
    local float planes[SCRATCH] __attribute__((aligned(64)));

    uint index = (uint)get_group_id(0);
    uint first_row = index % blocks * block.x;
    size_t group = index / blocks % groups;
    size_t image = index / blocks / groups;
    uint block_rows = min(block.x, (out.x - first.x + spread.x - 1) / spread.x - first_row);
    uint block_columns = block.y;
    uint channel_step = phase_count * plane.x * plane.y;

    copy_planes(x + (image * groups + group) * group_channels * size.x * size.y, planes, phases,
                group_channels, phase_count, size, plane, steps, first_row,
                plane.x - (block.x - block_rows));
    // The last outputs of the last channel read a little further; what they find is not stored.
    for (uint at = 0; at < COLUMNS; at++)
        planes[group_channels * channel_step + at] = 0.0f;

    uint positions = (block_rows - 1) * plane.y + block_columns;
    for (uint start = 0; start < positions; start += COLUMNS) {
        global const float *filter =
            filters + group * ((rows + ROWS - 1) / ROWS) * ROWS * group_channels * tap_count;
        for (uint row = 0; row < rows; row += ROWS) {
            float results[ROWS * COLUMNS];
            multiply(filter, planes + start, taps, group_channels, tap_count, channel_step, results);
            filter += ROWS * group_channels * tap_count;
            for (uint i = 0; i < ROWS && row + i < rows; i++) {
                size_t channel = group * rows + row + i;
                size_t offset = (image * groups * rows + channel) * out.x * out.y;
                for (uint j = 0; j < VECTORS; j++) {
                    uint at = start + 16 * j;
                    uint line = at / plane.y, column = at % plane.y;
                    float *values = results + i * COLUMNS + 16 * j;
                    size_t target = offset
                        + (size_t)((first_row + line) * spread.x + first.x) * out.y
                        + column * spread.y + first.y;
                    if (line < block_rows && column + 16 <= block_columns && spread.y == 1) {
                        float16 sum = vload16(0, values) + (BIAS ? bias[channel] : 0.0f);
                        if (RESIDUAL)
                            sum += vload16(0, residual + target);
                        sum = RELU ? select(sum, (float16)0.0f, sum < 0.0f) : sum;
                        WRITE16(RESULT_HALF, sum, y, target);
                        continue;
                    }
                    for (uint lane = 0; lane < 16 && line < block_rows; lane++) {
                        if (column < block_columns) {
                            float sum = finish(values[lane], bias, residual, channel, 0, target);
                            WRITE(RESULT_HALF, sum, y, target);
                        }
                        target += spread.y;
                        if (++column == plane.y) {
                            column = 0;
                            line++;
                            target += (size_t)spread.x * out.y - plane.y * spread.y;
                        }
                    }
                }
            }
        }
    }
}
