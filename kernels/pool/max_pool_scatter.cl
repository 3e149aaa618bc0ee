// SPDX-License-Identifier: MIT
// The gradient of max-pooling for CPUs: one work-item takes a whole plane, clears it and adds every
// gradient where the maximum was found. Planes are independent, so this needs no atomics either.
//   dy, positions   as in max_pool.cl
//   dx              float, row-major (planes, pixels)
//   launch          global 1 x at least 1; planes beyond the second size are looped over; local any
//   local           none                       needs   OpenCL 1.2
//   source          none

kernel void max_pool_scatter(global const float *restrict dy, global const int *restrict positions,
                             global float *restrict dx, ulong planes, uint pixels,
                             uint out_pixels) {
    for (size_t plane = get_global_id(1); plane < planes; plane += get_global_size(1)) {
        global float *target = dx + plane * pixels;
        for (uint pixel = 0; pixel < pixels; pixel++)
            target[pixel] = 0.0f;
        for (uint output = 0; output < out_pixels; output++) {
            size_t source = plane * out_pixels + output;
            if (positions[source] >= 0)
                target[positions[source]] += dy[source];
        }
    }
}
