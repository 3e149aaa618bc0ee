// SPDX-License-Identifier: MIT
// One step of stochastic gradient descent with momentum: v = momentum·v + g, p = p - rate·v.
//   parameters, velocity, gradient   float, count values
//   launch   global at least count, local any
//   local    none                              needs   OpenCL 1.2
//   source   Sutskever et al. 2013, in the form of torch.optim.SGD

kernel void sgd(global float *restrict parameters, global float *restrict velocity,
                global const float *restrict gradient, ulong count, float rate, float momentum) {
    size_t index = get_global_id(0);
    if (index >= count)
        return;
    float step = momentum * velocity[index] + gradient[index];
    velocity[index] = step;
    parameters[index] -= rate * step;
}
