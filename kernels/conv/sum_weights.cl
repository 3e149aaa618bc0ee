// SPDX-License-Identifier: MIT
// Adds up what the work-items of direct_weights.cl found, and lays it out as filters.
//   sums     float (parts, groups, ceil(filters / COLUMNS), window, COLUMNS)
//   weight   float, row-major (groups·filters, window)
//   launch   global any: blocks of 16 filters by 16 values are looped over; local any
//   local    none                              needs   OpenCL 1.2
//   source   the definition

#include "common/transpose.cl"

#ifndef COLUMNS
#define COLUMNS 64
#endif

// Adds up the parts of up to 16 filters by 16 values, and writes what there is of them.
void sum_block(global const float *restrict sums, uint parts, size_t part_step, uint filters,
               uint values, global float *restrict target, uint window) {
    float16 columns[16];
    #pragma unroll
    for (uint i = 0; i < 16; i++)
        columns[i] = 0.0f;
    for (uint part = 0; part < parts; part++, sums += part_step) {
        #pragma unroll
        for (uint i = 0; i < 16; i++)
            columns[i] += vload16(0, sums + min(i, values - 1) * COLUMNS);
    }
    transpose16(columns);
    float lines[16 * 16];
    #pragma unroll
    for (uint i = 0; i < 16; i++)
        vstore16(columns[i], i, lines);
    for (uint i = 0; i < filters; i++)
        for (uint j = 0; j < values; j++)
            target[i * window + j] = lines[16 * i + j];
}

kernel void sum_weights(global const float *restrict sums, global float *restrict weight,
                        uint parts, uint groups, uint filters, uint window) {
    uint across = (window + 15) / 16;
    uint down = (filters + 15) / 16;
    size_t filter_blocks = (filters + COLUMNS - 1) / COLUMNS;
    for (uint index = (uint)get_global_id(0); index < groups * down * across;
         index += (uint)get_global_size(0)) {
        uint entry = index % across * 16;
        uint filter = index / across % down * 16;
        size_t group = index / across / down;
        size_t first = ((group * filter_blocks + filter / COLUMNS) * window + entry) * COLUMNS
            + filter % COLUMNS;
        sum_block(sums + first, parts, groups * filter_blocks * window * COLUMNS,
                  min(16u, filters - filter), min(16u, window - entry),
                  weight + (group * filters + filter) * window + entry, window);
    }
}
