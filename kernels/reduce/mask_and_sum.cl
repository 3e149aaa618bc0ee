// SPDX-License-Identifier: MIT
// The gradient before bias and relu, dz = y > 0 ? dy : 0, and in the same pass the bias's: the sum
// of dz over each channel. Each work-group sums a piece of a channel; another pass adds pieces up.
//   dy, y, dz  float, row-major (images, channels, pixels) for mask_and_sum_planes and (images,
//              channels) for mask_and_sum_columns; without MASK only dy is read and dz not written;
//              y is half if Y_HALF
//   sums       float, row-major (pieces, channels), a piece being so many images
//   launch     planes: global pieces·channels·WORK_GROUP_SIZE, local WORK_GROUP_SIZE (a power of
//              two); columns: global at least ceil(channels / COLUMNS_PER_ITEM) x pieces·ROW_LANES,
//              local COLUMN_LANES x ROW_LANES
//   local      4 bytes for each work-item of a work-group      needs   OpenCL 1.2
//   source     none

#include "common/stored.cl"
#include "common/work_group_reduce.cl"

// 0 leaves relu out.
#ifndef MASK
#define MASK 1
#endif
// 1 where y is stored in half.
#ifndef Y_HALF
#define Y_HALF 0
#endif
// Neighbouring pixels for one work-item of planes: 1 suits GPUs, 16, in one vector, suit CPUs.
#ifndef LANES
#define LANES 1
#endif
// Neighbouring channels for one work-item of columns: 1 suits GPUs, many suit CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif
#ifndef COLUMN_LANES
#define COLUMN_LANES 1
#endif
#ifndef ROW_LANES
#define ROW_LANES 1
#endif

float masked(global const float *dy, global const STORED(Y_HALF) *y, global float *dz,
             size_t index) {
    if (!MASK)
        return dy[index];
    float value = READ(Y_HALF, y, index) > 0.0f ? dy[index] : 0.0f;
    dz[index] = value;
    return value;
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void mask_and_sum_planes(global const float *restrict dy, global const STORED(Y_HALF) *restrict y,
                         global float *restrict dz, global float *restrict sums, ulong images,
                         ulong channels, ulong pixels, ulong piece) {
    local float scratch[WORK_GROUP_SIZE];
    size_t channel = get_group_id(0) % channels;
    size_t first = get_group_id(0) / channels * piece;
    size_t last = min(images, first + piece);
    float sum = 0.0f;
#if LANES == 16
    float16 lanes = (float16)(0.0f);
#endif
    for (size_t image = first; image < last; image++) {
        size_t plane = (image * channels + channel) * pixels;
        size_t pixel = get_local_id(0) * LANES;
#if LANES == 16
        for (; pixel + LANES <= pixels; pixel += WORK_GROUP_SIZE * LANES) {
            float16 values = vload16(0, dy + plane + pixel);
#if MASK
            values = select((float16)(0.0f), values, READ16(Y_HALF, y, plane + pixel) > 0.0f);
            vstore16(values, 0, dz + plane + pixel);
#endif
            lanes += values;
        }
        for (uint lane = 0; pixel + lane < pixels; lane++)
            sum += masked(dy, y, dz, plane + pixel + lane);
#else
        for (; pixel < pixels; pixel += WORK_GROUP_SIZE)
            sum += masked(dy, y, dz, plane + pixel);
#endif
    }
#if LANES == 16
    float8 half_sum = lanes.lo + lanes.hi;
    float4 quarter_sum = half_sum.lo + half_sum.hi;
    float2 last_sums = quarter_sum.lo + quarter_sum.hi;
    sum += last_sums.x + last_sums.y;
#endif
    sum = work_group_sum(sum, scratch);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = sum;
}

kernel __attribute__((reqd_work_group_size(COLUMN_LANES, ROW_LANES, 1)))
void mask_and_sum_columns(global const float *restrict dy,
                          global const STORED(Y_HALF) *restrict y, global float *restrict dz,
                          global float *restrict sums, ulong images, ulong channels, ulong piece) {
    local float scratch[ROW_LANES][COLUMN_LANES * COLUMNS_PER_ITEM];
    size_t lane = get_local_id(1);
    size_t own = get_local_id(0) * COLUMNS_PER_ITEM;
    size_t column = get_global_id(0) * COLUMNS_PER_ITEM;
    uint count = column < channels ? (uint)min((ulong)COLUMNS_PER_ITEM, channels - column) : 0;
    size_t last = min(images, (get_group_id(1) + 1) * piece);
    float totals[COLUMNS_PER_ITEM];
    for (uint index = 0; index < COLUMNS_PER_ITEM; index++)
        totals[index] = 0.0f;
    for (size_t image = get_group_id(1) * piece + lane; image < last; image += ROW_LANES) {
        size_t row = image * channels + column;
        if (count == COLUMNS_PER_ITEM) {
            // The same again with a length that the compiler knows.
            for (uint index = 0; index < COLUMNS_PER_ITEM; index++)
                totals[index] += masked(dy, y, dz, row + index);
        } else {
            for (uint index = 0; index < count; index++)
                totals[index] += masked(dy, y, dz, row + index);
        }
    }
    for (uint index = 0; index < COLUMNS_PER_ITEM; index++)
        scratch[lane][own + index] = totals[index];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        for (uint index = 0; index < count; index++) {
            float sum = 0.0f;
            for (uint other = 0; other < ROW_LANES; other++)
                sum += scratch[other][own + index];
            sums[get_group_id(1) * channels + column + index] = sum;
        }
    }
}
