// SPDX-License-Identifier: MIT
// Puts together what planes.cl or columns.cl found in each piece of a channel.
//   pieces     float, row-major (kinds, piece_count, channels), as planes.cl describes them
//   mean, scale   float, per channel; the scale is 1 / sqrt(squares / count + epsilon)
//   running_mean, running_variance   float, per channel; moved by `momentum` towards the mean, and
//              towards the variance divided by the count less one
//   first, second    float, per channel: the sums of the two kinds over all pieces
//   launch     global at least ceil(channels / COLUMNS_PER_ITEM), local any
//   local      none                            needs   OpenCL 1.2
//   source     Chan, Golub & LeVeque 1983, "Algorithms for computing the sample variance"; Ioffe &
//              Szegedy 2015, "Batch normalization", as torch.nn.BatchNorm2d keeps running values

// Channels for one work-item: 1 suits GPUs, many suit CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

#define FOR_CHANNELS                                                                               \
    size_t first_channel = get_global_id(0) * COLUMNS_PER_ITEM;                                    \
    size_t last_channel = min((size_t)channels, first_channel + COLUMNS_PER_ITEM);                 \
    for (size_t channel = first_channel; channel < last_channel; channel++)

kernel void merge_statistics(global const float *restrict pieces, global float *restrict mean,
                             global float *restrict scale, global float *restrict running_mean,
                             global float *restrict running_variance, ulong piece_count,
                             ulong channels, float momentum, float epsilon) {
    size_t kind = piece_count * channels;
    FOR_CHANNELS {
        float count = 0.0f, center = 0.0f, squares = 0.0f;
        for (size_t piece = 0; piece < piece_count; piece++) {
            global const float *own = pieces + piece * channels + channel;
            float total = count + own[0];
            float distance = own[kind] - center;
            squares += own[2 * kind] + distance * distance * count * (own[0] / total);
            center += distance * (own[0] / total);
            count = total;
        }
        mean[channel] = center;
        scale[channel] = 1.0f / sqrt(squares / count + epsilon);
        running_mean[channel] += momentum * (center - running_mean[channel]);
        running_variance[channel] +=
            momentum * (squares / (count - 1.0f) - running_variance[channel]);
    }
}

kernel void merge_sums(global const float *restrict pieces, global float *restrict first,
                       global float *restrict second, ulong piece_count, ulong channels) {
    FOR_CHANNELS {
        float first_sum = 0.0f, second_sum = 0.0f;
        for (size_t piece = 0; piece < piece_count; piece++) {
            first_sum += pieces[piece * channels + channel];
            second_sum += pieces[(piece_count + piece) * channels + channel];
        }
        first[channel] = first_sum;
        second[channel] = second_sum;
    }
}
