// SPDX-License-Identifier: MIT
// Reductions across one work-group, for kernels to include; every work-item gets the result.
//   scratch  WORK_GROUP_SIZE floats of local memory, free again on return
//   launch   local WORK_GROUP_SIZE (a power of two) along the first dimension
//   local    none of its own                   needs   OpenCL 1.2
//   source   Harris 2007, "Optimizing parallel reduction in CUDA", sequential addressing

#ifndef WORK_GROUP_SIZE
#define WORK_GROUP_SIZE 64
#endif

float work_group_sum(float value, local float *scratch) {
    size_t item = get_local_id(0);
    scratch[item] = value;
    for (size_t half_size = WORK_GROUP_SIZE / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size)
            scratch[item] += scratch[item + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = scratch[0];
    // Nobody may write to scratch again before all have read it.
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

float work_group_maximum(float value, local float *scratch) {
    size_t item = get_local_id(0);
    scratch[item] = value;
    for (size_t half_size = WORK_GROUP_SIZE / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_size)
            scratch[item] = fmax(scratch[item], scratch[item + half_size]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float maximum = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return maximum;
}
