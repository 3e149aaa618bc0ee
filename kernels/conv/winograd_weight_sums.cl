// SPDX-License-Identifier: MIT
// Adds up what the work-items of winograd_weights.cl found at the points, and takes it back to filters.
//   sums     float (parts, 36, ceil(channels / (16·VECTORS)), filters rounded up to 16, 16·VECTORS)
//   weight   float, row-major (filters, channels, 3, 3)
//   launch   global any: each work-item takes neighbouring vectors of 16 channels; local any
//   local    none                              needs   OpenCL 1.2
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks", arXiv:1509.09308

#include "conv/winograd_gradients.cl"

#ifndef VECTORS
#define VECTORS 4
#endif

// Writes the gradients that up to 16 channels have at the 9 places of a filter.
void write_filters(const float16 *places, global float *restrict target, uint channels) {
    float lines[9 * 16];
    #pragma unroll
    for (uint place = 0; place < 9; place++)
        vstore16(places[place], place, lines);
    for (uint channel = 0; channel < channels; channel++) {
        #pragma unroll
        for (uint place = 0; place < 9; place++)
            target[channel * 9 + place] = lines[place * 16 + channel];
    }
}

// Adds up the parts of 16 channels of a filter, and takes the sums back to its 9 places.
void add_up(global const float *restrict sums, uint parts, size_t step, float16 *places) {
    float16 points[6][6];
    #pragma unroll
    for (uint i = 0; i < 6; i++) {
        #pragma unroll
        for (uint j = 0; j < 6; j++)
            points[i][j] = vload16((i * 6 + j) * step, sums);
    }
    for (uint part = 1; part < parts; part++) {
        #pragma unroll
        for (uint i = 0; i < 6; i++) {
            #pragma unroll
            for (uint j = 0; j < 6; j++)
                points[i][j] += vload16((part * 36 + i * 6 + j) * step, sums);
        }
    }
    #pragma unroll
    for (uint i = 0; i < 6; i++)
        transform_filter_sums(points[i]);
    #pragma unroll
    for (uint j = 0; j < 3; j++) {
        float16 column[6];
        #pragma unroll
        for (uint i = 0; i < 6; i++)
            column[i] = points[i][j];
        transform_filter_sums(column);
        #pragma unroll
        for (uint i = 0; i < 3; i++)
            places[3 * i + j] = column[i];
    }
}

kernel void winograd_weight_sums(global const float *restrict sums, global float *restrict weight,
                                 uint parts, uint filters, uint channels) {
    uint blocks = (channels + 16 * VECTORS - 1) / (16 * VECTORS), lines = (filters + 15) / 16 * 16;
    uint items = (uint)get_global_size(0), count = blocks * filters * VECTORS;
    uint share = (count + items - 1) / items, first = (uint)get_global_id(0) * share;
    size_t step = (size_t)blocks * lines * VECTORS;
    for (uint index = first; index < min(count, first + share); index++) {
        uint filter = index / VECTORS % filters, block = index / VECTORS / filters;
        uint channel = 16 * (block * VECTORS + index % VECTORS);
        if (channel >= channels)
            continue;
        size_t vector = (size_t)(block * lines + filter) * VECTORS + index % VECTORS;
        float16 places[9];
        add_up(sums + 16 * vector, parts, step, places);
        write_filters(places, weight + ((size_t)filter * channels + channel) * 9,
                      min(16u, channels - channel));
    }
}
