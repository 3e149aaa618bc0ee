// SPDX-License-Identifier: MIT
// Lays the windows of a convolution out as columns, so that a matrix product does the rest.
//   x        float, row-major (images, channels, height, width)
//   columns  float, row-major (images, channels·kernel_height·kernel_width, out_height·out_width)
//   launch   global at least out_height·out_width x 1; rows of `columns` beyond the second size
//            are looped over
//   local    none                              needs   OpenCL 1.2
//   source   Chellapilla, Puri & Simard 2006

kernel void im2col(global const float *restrict x, global float *restrict columns, ulong images,
                   uint channels, uint height, uint width, uint kernel_height, uint kernel_width,
                   uint out_height, uint out_width, uint stride, uint padding) {
    uint pixel = get_global_id(0);
    uint pixels = out_height * out_width;
    if (pixel >= pixels)
        return;
    uint top = pixel / out_width * stride;
    uint left = pixel % out_width * stride;
    size_t rows = images * channels * kernel_height * kernel_width;
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {
        size_t plane = row / (kernel_height * kernel_width);
        uint offset = row % (kernel_height * kernel_width);
        // Unsigned, so that a pixel before the first one wraps around to a huge index.
        uint y_in = top + offset / kernel_width - padding;
        uint x_in = left + offset % kernel_width - padding;
        bool inside = y_in < height && x_in < width;
        columns[row * pixels + pixel] = inside ? x[(plane * height + y_in) * width + x_in] : 0.0f;
    }
}
