// SPDX-License-Identifier: MIT
// The sizes that kernels of this folder take, in the order of Geometry.arguments().

#define GEOMETRY                                                                                 \
    ulong images, uint channels, uint height, uint width, uint filters, uint kernel_height,      \
        uint kernel_width, uint out_height, uint out_width, uint stride_y, uint stride_x,        \
        uint padding_y, uint padding_x, uint dilation_y, uint dilation_x, uint groups
