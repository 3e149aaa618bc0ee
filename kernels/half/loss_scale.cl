// SPDX-License-Identifier: MIT
// Dynamic loss scaling, all of it on the device, so that a step neither waits nor asks.
//   gradient   float, count values, of a loss that was multiplied by scale
//   result     float, as many: divided by scale
//   scale      float, one value; a power of two, so that nothing is rounded
//   state      int: whether a gradient was infinite or NaN in this step (then no parameter is
//              updated), steps since that happened or the scale grew, and steps not taken so far
//   growth, backoff   what the scale is multiplied by after `interval` good steps, and a bad one
//   most       the largest scale
//   launch     unscale: global at least ceil(count / COLUMNS_PER_ITEM), local any; next_scale:
//              global 1
//   local      none                            needs   OpenCL 1.2
//   source     Micikevicius et al. 2018, "Mixed precision training", arXiv:1710.03740, section 3.2

// Neighbouring values for one work-item: 1 suits GPUs, many let a CPU's compiler vectorise.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

kernel void unscale(global const float *restrict gradient, global float *restrict result,
                    global const float *restrict scale, global int *restrict state, ulong count) {
    ulong first = get_global_id(0) * COLUMNS_PER_ITEM;
    ulong last = min(count, first + COLUMNS_PER_ITEM);
    float factor = 1.0f / scale[0];
    int bad = 0;
    for (size_t index = first; index < last; index++) {
        float value = gradient[index];
        // Neither infinity nor NaN passes this test.
        bad |= !(fabs(value) <= FLT_MAX);
        result[index] = value * factor;
    }
    if (bad)
        atomic_or(state, 1);
}

kernel void next_scale(global float *restrict scale, global int *restrict state, float growth,
                       float backoff, float most, int interval) {
    if (get_global_id(0) > 0)
        return;
    int good_steps = state[0] ? 0 : state[1] + 1;
    state[2] += state[0] ? 1 : 0;
    if (state[0])
        scale[0] = fmax(1.0f, scale[0] * backoff);
    else if (good_steps >= interval)
        scale[0] = fmin(most, scale[0] * growth);
    state[1] = good_steps >= interval ? 0 : good_steps;
    state[0] = 0;
}
