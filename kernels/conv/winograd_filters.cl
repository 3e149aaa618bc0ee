// SPDX-License-Identifier: MIT
// Transforms 3 x 3 filters for winograd.cl, 16 channels at a time.
//   weight   float; `steps` values lie between rows (x) and between channels (y); FLIP turns each
//            kernel by half a turn, as the gradient for the images wants it
//   filters  float, row-major (IN·IN, rows, channels)
//   launch   global any: rows are looped over; local any
//   local    none                              needs   OpenCL 1.2
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks", arXiv:1509.09308

#include "conv/winograd_transforms.cl"

#ifndef FLIP
#define FLIP 0
#endif

// Transforms `count` filters of one row, one for each lane. PoCL compiles each kernel three times, but
// a function as long as this one once.
void transform_filters(global const float *restrict source, uint step, uint count,
                       global float *restrict target, size_t point_step) {
    float taps[9][16];
    for (uint lane = 0; lane < 16; lane++)
        for (uint tap = 0; tap < 9; tap++)
            taps[FLIP ? 8 - tap : tap][lane] =
                lane < count ? source[(size_t)lane * step + tap] : 0.0f;
    float16 columns[IN][3];
    #pragma unroll
    for (uint j = 0; j < 3; j++) {
        float16 u[IN];
        transform_filter(vload16(0, taps[j]), vload16(0, taps[3 + j]), vload16(0, taps[6 + j]), u);
        #pragma unroll
        for (uint i = 0; i < IN; i++)
            columns[i][j] = u[i];
    }
    #pragma unroll 1
    for (uint i = 0; i < IN; i++) {
        float16 u[IN];
        transform_filter(columns[i][0], columns[i][1], columns[i][2], u);
        #pragma unroll 1
        for (uint j = 0; j < IN; j++, target += point_step) {
            if (count == 16) {
                vstore16(u[j], 0, target);
            } else {
                float values[16];
                vstore16(u[j], 0, values);
                for (uint lane = 0; lane < count; lane++)
                    target[lane] = values[lane];
            }
        }
    }
}

kernel void winograd_filters(global const float *restrict weight, global float *restrict filters,
                             uint rows, uint channels, uint2 steps) {
    for (uint row = (uint)get_global_id(0); row < rows; row += (uint)get_global_size(0))
        for (uint channel = 0; channel < channels; channel += 16)
            transform_filters(weight + (size_t)row * steps.x + (size_t)channel * steps.y, steps.y,
                              min(16u, channels - channel),
                              filters + (size_t)row * channels + channel, (size_t)rows * channels);
}
