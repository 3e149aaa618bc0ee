// SPDX-License-Identifier: MIT
// Lays filters out so that a kernel reads ROWS of them side by side, channel by channel, tap by tap.
//   weight   float, row-major (filters, channels, kernel), filters and channels both of all groups
//            together or of one; `steps` lie between neighbours
//   taps     int, which value of a kernel each tap is
//   packed   float (groups, ceil(rows / ROWS), channels, taps, ROWS), zeros past `rows`
//   steps    values of `weight` between: x rows, y channels, z groups
//   launch   global any x 1: blocks of rows are looped over; local any
//   local    none                              needs   OpenCL 1.2
//   source   Goto & van de Geijn 2008, "Anatomy of high-performance matrix multiplication"

#ifndef ROWS
#define ROWS 6
#endif

kernel void pack_filters(global const float *restrict weight, global const int *restrict taps,
                         global float *restrict packed, uint groups, uint rows, uint channels,
                         uint tap_count, uint4 steps) {
    uint blocks = (rows + ROWS - 1) / ROWS;
    uint lines = groups * blocks * channels;
    for (uint line = (uint)get_global_id(0); line < lines;
         line += (uint)get_global_size(0)) {
        uint channel = line % channels;
        uint row = line / channels % blocks * ROWS;
        uint group = line / channels / blocks;
        global const float *source =
            weight + (size_t)group * steps.z + (size_t)row * steps.x + (size_t)channel * steps.y;
        global float *target = packed + (size_t)line * tap_count * ROWS;
        for (uint tap = 0; tap < tap_count; tap++) {
            for (uint i = 0; i < ROWS; i++)
                target[tap * ROWS + i] =
                    row + i < rows ? source[(size_t)i * steps.x + (size_t)taps[tap]] : 0.0f;
        }
    }
}
