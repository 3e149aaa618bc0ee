// SPDX-License-Identifier: MIT
// The sizes of a convolution in the order of Geometry.arguments(), for kernels to include. The
// horizontal stride is the define STRIDE_X, for compilers turn steps of one into vectors.
//   source   none

#ifndef STRIDE_X
#define STRIDE_X 1
#endif

#define GEOMETRY                                                                                 \
    ulong images, uint channels, uint height, uint width, uint kernel_height, uint kernel_width, \
        uint out_height, uint out_width, uint stride_y, uint padding_y, uint padding_x,          \
        uint dilation_y, uint dilation_x
