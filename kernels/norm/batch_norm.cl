// SPDX-License-Identifier: MIT
// y = (x - mean) / sqrt(variance + epsilon) · weight + bias per channel, and its gradient for x.
//   x, y, dy, dx   float, row-major (rows, columns): rows are the channels of each image, columns
//                  its pixels; or, if CHANNEL_IS_COLUMN, rows are images and columns channels
//   mean, variance, weight, bias   float, per channel
//   dbias, dweight   float, per channel: the gradients that arrived for bias and weight
//   share          what one value is of all values of its channel
//   launch         global at least ceil(columns / COLUMNS_PER_ITEM) x 1 (rows beyond the second
//                  size are looped over), local any
//   local          none                        needs   OpenCL 1.2
//   source         Ioffe & Szegedy 2015, "Batch normalization", section 3

// Neighbouring columns for one work-item: 1 suits GPUs, many let a CPU's compiler vectorise.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif
#ifndef CHANNEL_IS_COLUMN
#define CHANNEL_IS_COLUMN 0
#endif
// Whether mean and variance were computed from x, so that its gradient flows through them as well.
#ifndef FROM_BATCH
#define FROM_BATCH 1
#endif

#define FOR_VALUES                                                                                 \
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;                                            \
    size_t last = min((size_t)columns, first + COLUMNS_PER_ITEM);                                  \
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1))

kernel void batch_norm(global const float *restrict x, global const float *restrict mean,
                       global const float *restrict variance, global const float *restrict weight,
                       global const float *restrict bias, global float *restrict y, ulong rows,
                       ulong columns, ulong channels, float epsilon) {
    FOR_VALUES {
        for (size_t column = first; column < last; column++) {
            size_t index = row * columns + column;
            size_t channel = CHANNEL_IS_COLUMN ? column : row % channels;
            float scale = weight[channel] / sqrt(variance[channel] + epsilon);
            y[index] = (x[index] - mean[channel]) * scale + bias[channel];
        }
    }
}

float input_gradient(float x, float dy, float mean, float variance, float weight, float dbias,
                     float dweight, float share, float epsilon) {
    float scale = 1.0f / sqrt(variance + epsilon);
    float through_statistics = FROM_BATCH ? (dbias + (x - mean) * scale * dweight) * share : 0.0f;
    return weight * scale * (dy - through_statistics);
}

kernel void batch_norm_gradient(
    global const float *restrict x, global const float *restrict dy,
    global const float *restrict mean, global const float *restrict variance,
    global const float *restrict weight, global const float *restrict dbias,
    global const float *restrict dweight, global float *restrict dx, ulong rows, ulong columns,
    ulong channels, float epsilon, float share) {
    FOR_VALUES {
        for (size_t column = first; column < last; column++) {
            size_t index = row * columns + column;
            size_t channel = CHANNEL_IS_COLUMN ? column : row % channels;
            dx[index] = input_gradient(x[index], dy[index], mean[channel], variance[channel],
                                       weight[channel], dbias[channel], dweight[channel], share,
                                       epsilon);
        }
    }
}
