// SPDX-License-Identifier: MIT
// Multiplies and adds as fast as the device can, to learn its peak: nothing is read from memory.
//   y        float, one vector of VECTOR_SIZE per work-item; every value ends as 16
//   launch   global any, local any; 64 · VECTOR_SIZE · rounds operations per work-item
//   local    none                              needs   OpenCL 1.2
//   source   own; x = x/2 + 1 converges to 2 from anywhere, so the result can be proved

// Lanes of one operation: 1 suits GPUs, a CPU's compiler needs whole vectors.
#ifndef VECTOR_SIZE
#define VECTOR_SIZE 4
#endif

#if VECTOR_SIZE == 1
#define VECTOR float
#else
#define JOINED(A, B) A##B
#define NAMED(N) JOINED(float, N)
#define VECTOR NAMED(VECTOR_SIZE)
#endif

// Eight chains that do not wait for each other, as one operation takes 4 clocks or more.
#define STEP                                                                                       \
    a = mad(a, half_of, one), b = mad(b, half_of, one), c = mad(c, half_of, one),                  \
    d = mad(d, half_of, one), e = mad(e, half_of, one), f = mad(f, half_of, one),                  \
    g = mad(g, half_of, one), h = mad(h, half_of, one)

kernel void fma_chain(global VECTOR *y, float factor, float summand, uint rounds) {
    const VECTOR half_of = (VECTOR)(factor);
    const VECTOR one = (VECTOR)(summand);
    VECTOR a = (VECTOR)(get_global_id(0) % 7);
    VECTOR b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;
    for (uint round = 0; round < rounds; round++) {
        STEP;
        STEP;
        STEP;
        STEP;
    }
    y[get_global_id(0)] = a + b + c + d + e + f + g + h;
}
