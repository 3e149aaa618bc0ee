// SPDX-License-Identifier: MIT
// Transposes 16 x 16 values in registers, for kernels to include: four rounds of interleaving.
//   source   Stone 1971, "Parallel processing with the perfect shuffle"

#define LOW_HALVES(a, b)                                                                         \
    (float16)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, \
              a.s7, b.s7)
#define HIGH_HALVES(a, b)                                                                        \
    (float16)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se, b.se, \
              a.sf, b.sf)

void transpose16(float16 rows[16]) {
    #pragma unroll
    for (int round = 0; round < 4; round++) {
        float16 next[16];
        #pragma unroll
        for (int i = 0; i < 8; i++) {
            next[2 * i] = LOW_HALVES(rows[i], rows[i + 8]);
            next[2 * i + 1] = HIGH_HALVES(rows[i], rows[i + 8]);
        }
        #pragma unroll
        for (int i = 0; i < 16; i++)
            rows[i] = next[i];
    }
}
