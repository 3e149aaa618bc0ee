// SPDX-License-Identifier: MIT
// The linear maps of Winograd's convolution F(OUT x OUT, 3 x 3) along one axis, for kernels to include.
// The products lie at the points 0, 1, -1 and infinity, and for OUT = 4 at 2 and -2 too.
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks", arXiv:1509.09308

// 4 saves three quarters of the multiplications and loses three bits; 2 saves 5/9 and loses one.
#ifndef OUT
#define OUT 4
#endif
#define IN (OUT + 2)

void transform_input(float16 d[IN]) {
    #if OUT == 2
    float16 t0 = d[0] - d[2], t1 = d[1] + d[2], t2 = d[2] - d[1], t3 = d[1] - d[3];
    d[0] = t0;
    d[1] = t1;
    d[2] = t2;
    d[3] = t3;
    #else
    float16 t0 = 4.0f * d[0] - 5.0f * d[2] + d[4], t5 = 4.0f * d[1] - 5.0f * d[3] + d[5];
    float16 even = d[4] - 4.0f * d[2], odd = d[3] - 4.0f * d[1];
    float16 far_even = d[4] - d[2], far_odd = 2.0f * (d[3] - d[1]);
    d[0] = t0;
    d[1] = even + odd;
    d[2] = even - odd;
    d[3] = far_even + far_odd;
    d[4] = far_even - far_odd;
    d[5] = t5;
    #endif
}

void transform_filter(float16 w0, float16 w1, float16 w2, float16 u[IN]) {
    u[0] = w0;
    u[IN - 1] = w2;
    #if OUT == 2
    u[1] = 0.5f * (w0 + w2 + w1);
    u[2] = 0.5f * (w0 + w2 - w1);
    #else
    u[0] = 0.25f * w0;
    u[1] = (-1.0f / 6.0f) * (w0 + w2 + w1);
    u[2] = (-1.0f / 6.0f) * (w0 + w2 - w1);
    u[3] = (1.0f / 24.0f) * w0 + (1.0f / 6.0f) * w2 + (1.0f / 12.0f) * w1;
    u[4] = (1.0f / 24.0f) * w0 + (1.0f / 6.0f) * w2 - (1.0f / 12.0f) * w1;
    #endif
}

// Leaves OUT outputs in the first places.
void transform_output(float16 m[IN]) {
    float16 sum = m[1] + m[2], difference = m[1] - m[2];
    #if OUT == 2
    m[0] += sum;
    m[1] = difference - m[3];
    #else
    float16 far_sum = m[3] + m[4], far_difference = m[3] - m[4];
    m[0] += sum + far_sum;
    m[1] = difference + 2.0f * far_difference;
    m[2] = sum + 4.0f * far_sum;
    m[3] = difference + 8.0f * far_difference + m[5];
    #endif
}
