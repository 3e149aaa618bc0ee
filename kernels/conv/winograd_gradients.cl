// SPDX-License-Identifier: MIT
// The linear maps of the gradient for 3 x 3 filters by Winograd along one axis, for kernels to include:
// those of F(4 x 4, 3 x 3) transposed, at the same points 0, 1, -1, 2, -2 and infinity.
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks", arXiv:1509.09308

// Gradients of four outputs become six factors.
void transform_gradient(float16 y[6]) {
    float16 even = y[0] + y[2], odd = y[1] + y[3];
    float16 far_even = y[0] + 4.0f * y[2], far_odd = 2.0f * y[1] + 8.0f * y[3];
    y[5] = y[3];
    y[1] = even + odd;
    y[2] = even - odd;
    y[3] = far_even + far_odd;
    y[4] = far_even - far_odd;
}

// Six sums of products become the gradients of three values, in the first places.
void transform_filter_sums(float16 u[6]) {
    float16 sum = (-1.0f / 6.0f) * (u[1] + u[2]), difference = (1.0f / 6.0f) * (u[2] - u[1]);
    float16 far_sum = u[3] + u[4], far_difference = u[3] - u[4];
    u[0] = 0.25f * u[0] + sum + (1.0f / 24.0f) * far_sum;
    u[1] = difference + (1.0f / 12.0f) * far_difference;
    u[2] = sum + (1.0f / 6.0f) * far_sum + u[5];
}
