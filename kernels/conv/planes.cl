// SPDX-License-Identifier: MIT
// Copies the rows of images that a block of outputs needs into local memory, for kernels to include.
// Every channel has a plane for each phase of the stride in which its filters meet it, with zeros
// around the image, so a tap of a filter meets its values at a fixed distance from the output.
//   x        float, or half if X_HALF, the group's channels of one image, row-major (channels, size.x, size.y)
//   planes   float (channels, phases, plane.x, plane.y)
//   phases   int (phases, 2), which row and column of x comes first in each plane; may lie outside
//   steps    values of x between neighbours in a plane: down, across
//   first    the first row of outputs
//   rows     how many rows of the planes are needed
//   source   none

#include "common/stored.cl"

// 1 where x is stored in half.
#ifndef X_HALF
#define X_HALF 0
#endif

void copy_line(global const STORED(X_HALF) *restrict line, local float *restrict target, int column,
               int step, int width, int count) {
    // The first value that lies inside, and the first one that no longer does.
    int from = min(count, column < 0 ? (step - 1 - column) / step : 0);
    int to = min(count, max(from, (width - column + step - 1) / step));
    int at = 0;
    for (; at < from; at++)
        target[at] = 0.0f;
    if (step == 1) {
        for (; at + 16 <= to; at += 16)
            vstore16(READ16(X_HALF, line + column + at, 0), 0, target + at);
    }
    for (; at < to; at++)
        target[at] = READ(X_HALF, line, column + at * step);
    for (; at < count; at++)
        target[at] = 0.0f;
}

void copy_planes(global const STORED(X_HALF) *restrict x, local float *restrict planes,
                 global const int *restrict phases, uint channels, uint phase_count, uint2 size,
                 uint2 plane, uint2 steps, uint first, uint rows) {
    for (uint channel = 0; channel < channels; channel++, x += size.x * size.y) {
        for (uint phase = 0; phase < phase_count; phase++, planes += plane.x * plane.y) {
            int row = (int)(first * steps.x) + phases[2 * phase];
            for (uint at = 0; at < rows; at++, row += steps.x) {
                bool inside = row >= 0 && row < (int)size.x;
                copy_line(x + (inside ? (size_t)row * size.y : 0),
                          planes + at * plane.y,
                          phases[2 * phase + 1], (int)steps.y, inside ? (int)size.y : 0, (int)plane.y);
            }
        }
    }
}
