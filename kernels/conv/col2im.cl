// SPDX-License-Identifier: MIT
// The gradient of im2col: every pixel gathers from the windows that it was copied to.
//   columns  float, row-major (images, channels·kernel_height·kernel_width, out_height·out_width)
//   x        float, row-major (images, channels, height, width)
//   launch   global at least height·width x 1; planes beyond the second size are looped over
//   local    none                              needs   OpenCL 1.2
//   source   Chellapilla, Puri & Simard 2006

kernel void col2im(global const float *restrict columns, global float *restrict x, ulong images,
                   uint channels, uint height, uint width, uint kernel_height, uint kernel_width,
                   uint out_height, uint out_width, uint stride, uint padding) {
    uint pixel = get_global_id(0);
    if (pixel >= height * width)
        return;
    uint row = pixel / width + padding;
    uint column = pixel % width + padding;
    uint last_row = min(row / stride + 1, out_height);
    uint last_column = min(column / stride + 1, out_width);
    uint first_row = row < kernel_height ? 0 : (row - kernel_height) / stride + 1;
    uint first_column = column < kernel_width ? 0 : (column - kernel_width) / stride + 1;
    size_t pixels = (size_t)out_height * out_width;
    for (size_t plane = get_global_id(1); plane < images * channels; plane += get_global_size(1)) {
        global const float *block = columns + plane * kernel_height * kernel_width * pixels;
        float sum = 0.0f;
        for (uint out_row = first_row; out_row < last_row; out_row++) {
            for (uint out_column = first_column; out_column < last_column; out_column++) {
                uint kernel_row = row - out_row * stride;
                uint kernel_column = column - out_column * stride;
                size_t offset = kernel_row * kernel_width + kernel_column;
                sum += block[offset * pixels + out_row * out_width + out_column];
            }
        }
        x[plane * height * width + pixel] = sum;
    }
}
