// SPDX-License-Identifier: MIT
// Filters on their way to and from the points of Winograd's convolution: see gpu_winograd.cl.
//   weight, dw  float, of (rows, channels) or the reverse, TAPS x TAPS; `steps` values of weight lie
//            between rows (x) and between channels (y); FLIP turns each kernel by half a turn, as
//            the gradient for the images wants it
//   points   float (36, rows, channels)
//   launch   global at least rows·channels; any local size
//   local    none                               needs   OpenCL 1.2
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks",
//            arXiv:1509.09308; products at 0, 1, -1, 2, -2 and infinity

#include "conv/gpu_winograd_maps.cl"

#ifndef FLIP
#define FLIP 0
#endif

kernel void filters(global const float *restrict weight, global float *restrict points, uint rows,
                    uint channels, uint2 steps) {
    uint pair = (uint)get_global_id(0);
    if (pair >= rows * channels)
        return;
    weight += pair / channels * steps.x + pair % channels * steps.y;
    float square[36];
    #pragma unroll
    for (uint tap = 0; tap < TAPS * TAPS; tap++)
        square[tap / TAPS * 6 + tap % TAPS] = weight[FLIP ? TAPS * TAPS - 1 - tap : tap];
    FOR_EACH_LINE(TAPS) transform_filter(square + 6 * line, 1);
    FOR_EACH_LINE(6) transform_filter(square + line, 6);
    write_points(square, points + pair, (size_t)rows * channels);
}

kernel void filter_sums(global const float *restrict points, global float *restrict dw, uint rows,
                        uint channels) {
    uint pair = (uint)get_global_id(0);
    if (pair >= rows * channels)
        return;
    float square[36];
    read_points(square, points + pair, (size_t)rows * channels);
    FOR_EACH_LINE(6) transform_filter_sums(square + line, 6);
    FOR_EACH_LINE(TAPS) transform_filter_sums(square + 6 * line, 1);
    #pragma unroll
    for (uint tap = 0; tap < TAPS * TAPS; tap++)
        dw[(size_t)pair * TAPS * TAPS + tap] = square[tap / TAPS * 6 + tap % TAPS];
}
