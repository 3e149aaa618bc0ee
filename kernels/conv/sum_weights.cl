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

kernel void sum_weights(global const float *restrict sums, global float *restrict weight,
                        uint parts, uint groups, uint filters, uint window) {
    uint across = (window + 15) / 16;
    uint down = (filters + 15) / 16;
    size_t filter_blocks = (filters + COLUMNS - 1) / COLUMNS;
    for (uint index = (uint)get_global_id(0); index < groups * down * across;
         index += (uint)get_global_size(0)) {
        uint entry = index % across * 16;
        uint filter = index / across % down * 16;
        uint group = index / across / down;
        size_t first = ((group * filter_blocks + filter / COLUMNS) * window + entry) * COLUMNS
            + filter % COLUMNS;
        float16 values[16];
        #pragma unroll
        for (uint i = 0; i < 16; i++)
            values[i] = 0.0f;
        for (uint part = 0; part < parts; part++) {
            global const float *source = sums + part * groups * filter_blocks * window * COLUMNS;
            #pragma unroll
            for (uint i = 0; i < 16; i++)
                values[i] += vload16(0, source + first + min(i, window - 1 - entry) * COLUMNS);
        }
        transpose16(values);
        float lines[16 * 16];
        #pragma unroll
        for (uint i = 0; i < 16; i++)
            vstore16(values[i], i, lines);
        for (uint i = 0; i < min(16u, filters - filter); i++) {
            global float *target = weight + ((size_t)group * filters + filter + i) * window + entry;
            for (uint j = 0; j < min(16u, window - entry); j++)
                target[j] = lines[16 * i + j];
        }
    }
}
