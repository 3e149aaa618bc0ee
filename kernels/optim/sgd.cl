// SPDX-License-Identifier: MIT
// Stochastic gradient descent for one chunk of a parameter, for a generated kernel to call:
// g = gradient + decay·p, v = momentum·v + g, p = p - rate·v (or rate·(g + momentum·v), Nesterov's).
//   p, gradient   float, count values; p is changed
//   state         float, the velocity v, as many
//   rates         rate, momentum, decay
//   launch        by all work-items of a work-group of WORK_GROUP_SIZE, which share the values out
//   local         none                         needs   OpenCL 1.2
//   source        Sutskever et al. 2013, in the form of torch.optim.SGD

#ifndef WORK_GROUP_SIZE
#define WORK_GROUP_SIZE 1
#endif
#ifndef NESTEROV
#define NESTEROV 0
#endif

void update(global float *restrict p, global const float *restrict gradient,
            global float *restrict state, ulong states, ulong count, global const float *rates,
            uint step) {
    float rate = rates[0], momentum = rates[1], decay = rates[2];
    for (size_t index = get_local_id(0); index < count; index += WORK_GROUP_SIZE) {
        float value = p[index];
        float g = gradient[index] + decay * value;
        float velocity = momentum * state[index] + g;
        state[index] = velocity;
        p[index] = value - rate * (NESTEROV ? g + momentum * velocity : velocity);
    }
}
