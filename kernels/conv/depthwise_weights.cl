// SPDX-License-Identifier: MIT
// The gradient for filters of a stride of 1 that share few channels, on a CPU. A work-item is a
// work-group and takes one plane of filters at a time. It copies a channel's plane with zeros around it
// and the plane of the gradient at the same distance between lines, so that each value of the filter
// is one product of two runs, without ends of lines to care for.
//   dy       float, row-major (images, filters, out_height, out_width)
//   x        float, row-major (images, channels, height, width)
//   weight   float, row-major (filters, channels / groups, KERNEL_HEIGHT, KERNEL_WIDTH)
//   launch   global any: filters with their channels are looped over; local 1
//   local    4·SCRATCH bytes                   needs   OpenCL 1.2
//   source   the definition

#include "conv/geometry.cl"

#ifndef KERNEL_HEIGHT
#define KERNEL_HEIGHT 3
#endif
#ifndef KERNEL_WIDTH
#define KERNEL_WIDTH 3
#endif
// Floats of both planes and of a vector past their ends.
#ifndef SCRATCH
#define SCRATCH 32768
#endif

#define TAPS (KERNEL_HEIGHT * KERNEL_WIDTH)

// Copies a plane into lines that are `line` long.
void copy_plane(global const float *restrict source, uint rows, uint columns,
                local float *restrict target, uint line) {
    for (uint row = 0; row < rows; row++, source += columns, target += line) {
        uint at = 0;
        for (; at + 16 <= columns; at += 16)
            vstore16(vload16(0, source + at), 0, target + at);
        for (; at < columns; at++)
            target[at] = source[at];
    }
}

float sum16(float16 v) {
    float8 eight = v.lo + v.hi;
    float4 four = eight.lo + eight.hi;
    float2 two = four.lo + four.hi;
    return two.x + two.y;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void depthwise_weights(global const float *restrict dy, global const float *restrict x,
                       global float *restrict weight, GEOMETRY, uint filters, uint groups) {
    local float scratch[SCRATCH] __attribute__((aligned(64)));

    uint depth = channels / groups, line = width + 2 * padding_x;
    uint count = out_height * line;
    local float *gradient = scratch, *image = scratch + (count + 15) / 16 * 16;
    for (uint at = 0; at < SCRATCH; at++)
        scratch[at] = 0.0f;
    for (size_t pair = get_global_id(0); pair < (size_t)filters * depth; pair += get_global_size(0)) {
        size_t filter = pair / depth, channel = filter / (filters / groups) * depth + pair % depth;
        float16 sums[TAPS];
        #pragma unroll
        for (uint tap = 0; tap < TAPS; tap++)
            sums[tap] = 0.0f;
        for (size_t at = 0; at < images; at++) {
            copy_plane(x + (at * channels + channel) * height * width, height, width,
                       image + padding_y * line + padding_x, line);
            copy_plane(dy + (at * filters + filter) * out_height * out_width, out_height, out_width,
                       gradient, line);
            for (uint vector = 0; vector < count; vector += 16) {
                float16 values = vload16(0, gradient + vector);
                #pragma unroll
                for (uint tap = 0; tap < TAPS; tap++) {
                    uint row = tap / KERNEL_WIDTH, column = tap % KERNEL_WIDTH;
                    uint place = vector + row * dilation_y * line + column * dilation_x;
                    sums[tap] += values * vload16(0, image + place);
                }
            }
        }
        #pragma unroll
        for (uint tap = 0; tap < TAPS; tap++)
            weight[pair * TAPS + tap] = sum16(sums[tap]);
    }
}
