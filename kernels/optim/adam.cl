// SPDX-License-Identifier: MIT
// Adam for one chunk of a parameter, for a generated kernel to call; AdamW if DECOUPLED.
//   p, gradient   float, count values; p is changed
//   state         float, the mean of gradients, and `states` values further that of their squares
//   rates         rate, 1 - beta1, 1 - beta2, log(beta1), log(beta2), epsilon, decay
//   step          1 the first time; corrects means that began at zero
//   launch        by all work-items of a work-group of WORK_GROUP_SIZE, which share the values out
//   local         none                         needs   OpenCL 1.2
//   source        Kingma & Ba 2015, arXiv:1412.6980; Loshchilov & Hutter 2019, arXiv:1711.05101

#ifndef WORK_GROUP_SIZE
#define WORK_GROUP_SIZE 1
#endif
#ifndef DECOUPLED
#define DECOUPLED 0
#endif

void update(global float *restrict p, global const float *restrict gradient,
            global float *restrict state, ulong states, ulong count, global const float *rates,
            uint step) {
    float rate = rates[0], new_share = rates[1], new_square_share = rates[2];
    float epsilon = rates[5], decay = rates[6];
    // 1 - beta^step without the digits that the difference would lose.
    float mean_rate = rate / -expm1(rates[3] * (float)step);
    float square_scale = rsqrt(-expm1(rates[4] * (float)step));
    float kept = DECOUPLED ? 1.0f - rate * decay : 1.0f;
    global float *restrict squares = state + states;
    for (size_t index = get_local_id(0); index < count; index += WORK_GROUP_SIZE) {
        float value = p[index];
        float g = gradient[index] + (DECOUPLED ? 0.0f : decay * value);
        float mean = state[index] + new_share * (g - state[index]);
        float square = squares[index] + new_square_share * (g * g - squares[index]);
        state[index] = mean;
        squares[index] = square;
        p[index] = kept * value - mean_rate * mean / (sqrt(square) * square_scale + epsilon);
    }
}
