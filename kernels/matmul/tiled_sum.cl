// SPDX-License-Identifier: MIT
// Adds the parts that a split sum left behind, always in the same order, and finishes the result.
//   parts     float, number_of_parts times `count` values for each batch
//   result    float, or half if RESULT_HALF, `count` values for each batch
//   channels, inner  value i belongs to bias number i / inner % channels
//   bias, residual  as common/epilogue.cl says, BIAS 1 or 2 alike; residual is laid out like result
//   launch    global VALUES·ceil(count / VALUES) x LANES x batches, local VALUES x LANES x 1
//   local     VALUES·LANES·4 bytes              needs   OpenCL 1.2
//   source    none

#include "common/epilogue.cl"

// Results of one work-group, and how many work-items share the parts of each.
#ifndef VALUES
#define VALUES 64
#endif
#ifndef LANES
#define LANES 4
#endif

kernel __attribute__((reqd_work_group_size(VALUES, LANES, 1)))
void sum_parts(global const float *restrict parts, global STORED(RESULT_HALF) *restrict result,
               ulong count, uint number_of_parts, uint channels, ulong inner,
               global const float *bias, global const float *residual) {
    local float sums[LANES][VALUES];
    size_t value = get_global_id(0);
    size_t batch = get_global_id(2);
    uint column = (uint)get_local_id(0);
    uint lane = (uint)get_local_id(1);
    parts += batch * number_of_parts * count;
    float sum = 0.0f;
    #pragma unroll 4
    for (uint part = lane; part < number_of_parts; part += LANES)
        sum += value < count ? parts[part * count + value] : 0.0f;
    sums[lane][column] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane || value >= count)
        return;
    for (uint other = 1; other < LANES; other++)
        sum += sums[other][column];
    size_t channel = value / inner % channels;
    size_t index = batch * count + value;
    float finished = finish(sum, bias, residual, channel, channel, index);
    WRITE(RESULT_HALF, finished, result, index);
}
