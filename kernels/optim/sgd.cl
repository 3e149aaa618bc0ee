// SPDX-License-Identifier: MIT
// One step of stochastic gradient descent with momentum: v = momentum·v + g, p = p - rate·v.
//   parameters, velocity, gradient   float, count values
//   launch   global at least ceil(count / COLUMNS_PER_ITEM), local any
//   local    none                              needs   OpenCL 1.2
//   source   Sutskever et al. 2013, in the form of torch.optim.SGD

// Neighbouring values for one work-item: 1 suits GPUs, many let a CPU's compiler vectorise.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

kernel void sgd(global float *restrict parameters, global float *restrict velocity,
                global const float *restrict gradient, ulong count, float rate, float momentum) {
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min((size_t)count, first + COLUMNS_PER_ITEM);
    for (size_t index = first; index < last; index++) {
        float step = momentum * velocity[index] + gradient[index];
        velocity[index] = step;
        parameters[index] -= rate * step;
    }
}
