// SPDX-License-Identifier: MIT
// Max-pooling over square windows, and its gradient, which gathers so that it needs no atomics.
//   x, dx        float, row-major (planes, height, width), a plane being one channel of one image
//   y, dy        float, row-major (planes, out_height, out_width)
//   positions    int, shaped as y: where in its plane each maximum was found, the first if several
//   launch       global at least one plane's pixels (of y forward, of x backward) x 1; planes
//                beyond the second size are looped over
//   local        none                          needs   OpenCL 1.2
//   source       none

kernel void max_pool(global const float *restrict x, global float *restrict y,
                     global int *restrict positions, ulong planes, uint height, uint width,
                     uint out_height, uint out_width, uint size, uint stride) {
    uint pixel = get_global_id(0);
    if (pixel >= out_height * out_width)
        return;
    uint top = pixel / out_width * stride;
    uint left = pixel % out_width * stride;
    for (size_t plane = get_global_id(1); plane < planes; plane += get_global_size(1)) {
        global const float *values = x + plane * height * width;
        uint best = top * width + left;
        for (uint row = top; row < top + size; row++) {
            for (uint column = left; column < left + size; column++) {
                float value = values[row * width + column];
                // NaN wins, as in NumPy and torch.
                if (value > values[best] || isnan(value))
                    best = row * width + column;
            }
        }
        size_t output = plane * out_height * out_width + pixel;
        y[output] = values[best];
        positions[output] = best;
    }
}

kernel void max_pool_gradient(global const float *restrict dy, global const int *restrict positions,
                              global float *restrict dx, ulong planes, uint height, uint width,
                              uint out_height, uint out_width, uint size, uint stride) {
    uint pixel = get_global_id(0);
    if (pixel >= height * width)
        return;
    uint row = pixel / width;
    uint column = pixel % width;
    // The windows over this pixel: those whose first row is at most row and above row - size.
    uint first_row = row < size ? 0 : (row - size) / stride + 1;
    uint first_column = column < size ? 0 : (column - size) / stride + 1;
    uint last_row = min(row / stride + 1, out_height);
    uint last_column = min(column / stride + 1, out_width);
    for (size_t plane = get_global_id(1); plane < planes; plane += get_global_size(1)) {
        size_t base = plane * out_height * out_width;
        float sum = 0.0f;
        for (uint out_row = first_row; out_row < last_row; out_row++) {
            for (uint out_column = first_column; out_column < last_column; out_column++) {
                size_t output = base + out_row * out_width + out_column;
                if (positions[output] == pixel)
                    sum += dy[output];
            }
        }
        dx[plane * height * width + pixel] = sum;
    }
}
