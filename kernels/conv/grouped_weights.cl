// SPDX-License-Identifier: MIT
// The gradient for the filters straight from the definition. A work-item adds up, for one value of a
// filter, the rows of some images; the sums of all pieces are added up afterwards.
//   x        float, row-major (images, channels, height, width)
//   dy       float, row-major (images, filters, out_height, out_width)
//   sums     float, row-major (pieces, filters, channels / groups, kernel_height, kernel_width)
//   launch   global at least filters·channels / groups·kernel_height·kernel_width x pieces; local any
//   local    none                              needs   OpenCL 1.2
//   source   the definition

// Neighbouring columns that a CPU adds up side by side; 1 suits GPUs.
#ifndef LANES
#define LANES 1
#endif

#include "conv/geometry.cl"

kernel void conv_grouped_weights(global const float *restrict dy, global const float *restrict x,
                                 global float *restrict sums, GEOMETRY, uint filters,
                                 uint groups, uint pieces) {
    uint depth = channels / groups;
    uint area = kernel_height * kernel_width;
    ulong index = get_global_id(0);
    if (index >= (ulong)filters * depth * area || get_global_id(1) >= pieces)
        return;
    uint i = (uint)(index % area) / kernel_width, j = (uint)(index % area) % kernel_width;
    uint filter = (uint)(index / area / depth);
    uint channel = filter / (filters / groups) * depth + (uint)(index / area % depth);
    int shift = (int)(j * dilation_x) - (int)padding_x;
    // The columns whose pixel column·STRIDE_X + shift lies inside the row.
    int from = max(0, STRIDE_X - 1 - shift) / STRIDE_X;
    int to = min((int)out_width, ((int)width - shift + STRIDE_X - 1) / STRIDE_X);
    float total = 0.0f;
    for (ulong line = get_global_id(1); line < images * out_height; line += pieces) {
        ulong image = line / out_height;
        uint out_row = (uint)(line % out_height);
        // Unsigned, so that a row before the first one wraps around to a huge index.
        uint row = out_row * stride_y + i * dilation_y - padding_y;
        if (row >= height)
            continue;
        global const float *source = x + ((image * channels + channel) * height + row) * width;
        global const float *gradient =
            dy + ((image * filters + filter) * out_height + out_row) * out_width;
        float lanes[LANES];
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] = 0.0f;
        int column = from;
        for (; column + LANES <= to; column += LANES)
            for (int lane = 0; lane < LANES; lane++)
                lanes[lane] += gradient[column + lane] * source[(column + lane) * STRIDE_X + shift];
        for (; column < to; column++)
            lanes[0] += gradient[column] * source[column * STRIDE_X + shift];
        // A sum of its own for each row keeps the error from growing with all of them.
        float sum = 0.0f;
        for (int lane = 0; lane < LANES; lane++)
            sum += lanes[lane];
        total += sum;
    }
    sums[get_global_id(1) * filters * depth * area + index] = total;
}
