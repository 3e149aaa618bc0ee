// SPDX-License-Identifier: MIT
// The linear maps of Winograd's convolutions F(4 x 4, 3 x 3) and F(2 x 2, 5 x 5) along one line of a
// 6 x 6 square in registers, whose values lie `step` apart, for kernels to include.
//   local    none                               needs   OpenCL 1.2
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks",
//            arXiv:1509.09308; products at 0, 1, -1, 2, -2 and infinity

// Values of a filter along one axis: 3 or 5. A tile has as many outputs as six points leave over.
#ifndef TAPS
#define TAPS 3
#endif
#define OUT (7 - TAPS)

// Values between neighbours in a line that is transformed: along the second axis, then the first.
#define FOR_EACH_LINE(n) _Pragma("unroll") for (uint line = 0; line < (n); line++)

// Six values at `step` become six products' factors: the transpose of B in the source.
void transform_window(float *d, uint step) {
    float d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step];
    float even = d4 - 4.0f * d2, odd = d3 - 4.0f * d1;
    d[0] = 4.0f * d0 - 5.0f * d2 + d4;
    d[step] = even + odd;
    d[2 * step] = even - odd;
    even = d4 - d2;
    odd = 2.0f * (d3 - d1);
    d[3 * step] = even + odd;
    d[4 * step] = even - odd;
    d[5 * step] = 4.0f * d1 - 5.0f * d3 + d[5 * step];
}

// The values of a filter become six: G.
void transform_filter(float *g, uint step) {
    float g0 = g[0], g1 = g[step], g2 = g[2 * step];
    float even = g0 + g2, odd = g1;
    float wide_even = g0 * (1.0f / 24.0f) + g2 * (1.0f / 6.0f), wide_odd = g1 * (1.0f / 12.0f);
    float last = g2;
#if TAPS == 5
    float g3 = g[3 * step], g4 = g[4 * step];
    even += g4;
    odd += g3;
    wide_even += g4 * (2.0f / 3.0f);
    wide_odd += g3 * (1.0f / 3.0f);
    last = g4;
#endif
    g[0] = g0 * 0.25f;
    g[step] = (even + odd) * (-1.0f / 6.0f);
    g[2 * step] = (even - odd) * (-1.0f / 6.0f);
    g[3 * step] = wide_even + wide_odd;
    g[4 * step] = wide_even - wide_odd;
    g[5 * step] = last;
}

// Six sums of products become the outputs: the transpose of A.
void transform_output(float *m, uint step) {
    float m0 = m[0], m5 = m[5 * step];
    float sum = m[step] + m[2 * step], difference = m[step] - m[2 * step];
    float wide_sum = m[3 * step] + m[4 * step];
    float wide_difference = m[3 * step] - m[4 * step];
    m[0] = m0 + sum + wide_sum;
    m[step] = difference + 2.0f * wide_difference;
#if OUT == 4
    m[2 * step] = sum + 4.0f * wide_sum;
    m[3 * step] = difference + 8.0f * wide_difference;
#endif
    m[(OUT - 1) * step] += m5;
}

// The outputs' gradients become six factors: A.
void transform_gradient(float *y, uint step) {
    float y0 = y[0], y1 = y[step];
    float even = y0, odd = y1, wide_even = y0, wide_odd = 2.0f * y1, last = y1;
#if OUT == 4
    float y2 = y[2 * step], y3 = y[3 * step];
    even += y2;
    odd += y3;
    wide_even += 4.0f * y2;
    wide_odd += 8.0f * y3;
    last = y3;
#endif
    y[step] = even + odd;
    y[2 * step] = even - odd;
    y[3 * step] = wide_even + wide_odd;
    y[4 * step] = wide_even - wide_odd;
    y[5 * step] = last;
}

// Six sums become the gradient of a filter's values: the transpose of G.
void transform_filter_sums(float *u, uint step) {
    float sum = (u[step] + u[2 * step]) * (-1.0f / 6.0f);
    float difference = (u[2 * step] - u[step]) * (1.0f / 6.0f);
    float wide_sum = u[3 * step] + u[4 * step];
    float wide_difference = u[3 * step] - u[4 * step];
    float u5 = u[5 * step];
    u[0] = u[0] * 0.25f + sum + wide_sum * (1.0f / 24.0f);
    u[step] = difference + wide_difference * (1.0f / 12.0f);
    u[2 * step] = sum + wide_sum * (1.0f / 6.0f);
#if TAPS == 5
    u[3 * step] = difference + wide_difference * (1.0f / 3.0f);
    u[4 * step] = sum + wide_sum * (2.0f / 3.0f);
#endif
    u[(TAPS - 1) * step] += u5;
}

void write_points(const float *square, global float *points, size_t step) {
    #pragma unroll
    for (uint point = 0; point < 36; point++)
        points[point * step] = square[point];
}

void read_points(float *square, global const float *points, size_t step) {
    #pragma unroll
    for (uint point = 0; point < 36; point++)
        square[point] = points[point * step];
}
