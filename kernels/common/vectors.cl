// SPDX-License-Identifier: MIT
// One float or a vector of WIDTH floats under one name, for kernels to include.
//   VALUES                        the type
//   LOAD, STORE                   WIDTH neighbours from a column of a row on
//   LANES_FROM(FIRST, A, B)       A in the lanes from FIRST on, B in those before
//   FOLD_LANES(COMBINE, VALUE)    the lanes combined into one float
//   exponential                   e to the power of each lane; to one unit in the last place or two
//   local    none                              needs   OpenCL 1.2
//   source   Cody & Waite 1980, "Software manual for the elementary functions": the exponential

// 1 suits GPUs, the floats of a vector register suit CPUs.
#ifndef WIDTH
#define WIDTH 1
#endif

#define JOIN_NAMES(A, B) A##B
#define JOIN(A, B) JOIN_NAMES(A, B)

#if WIDTH > 1
#define VALUES JOIN(float, WIDTH)
#define INTS JOIN(int, WIDTH)
#define LOAD(ROW, COLUMN) JOIN(vload, WIDTH)(0, (ROW) + (COLUMN))
#define STORE(VALUE, ROW, COLUMN) JOIN(vstore, WIDTH)(VALUE, 0, (ROW) + (COLUMN))
#define LANES_FROM(FIRST, A, B)                                                                    \
    (JOIN(vload, WIDTH)(0, LANE_NUMBERS) >= (int)(FIRST) ? (A) : (VALUES)(B))
constant int LANE_NUMBERS[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#else
#define VALUES float
#define LOAD(ROW, COLUMN) ((ROW)[COLUMN])
#define STORE(VALUE, ROW, COLUMN) ((ROW)[COLUMN] = (VALUE))
#define LANES_FROM(FIRST, A, B) (A)
#endif

#define FOLD1(COMBINE, VALUE) (VALUE)
#define FOLD2(COMBINE, VALUE) COMBINE((VALUE).s0, (VALUE).s1)
#define FOLD4(COMBINE, VALUE) FOLD2(COMBINE, COMBINE((VALUE).lo, (VALUE).hi))
#define FOLD8(COMBINE, VALUE) FOLD4(COMBINE, COMBINE((VALUE).lo, (VALUE).hi))
#define FOLD16(COMBINE, VALUE) FOLD8(COMBINE, COMBINE((VALUE).lo, (VALUE).hi))
#define FOLD_LANES JOIN(FOLD, WIDTH)

#if WIDTH > 1
// CPUs' own functions call one scalar function after another, or cost twice as much.
VALUES exponential(VALUES x) {
    // What lies beyond gives 0 or infinity; a NaN passes.
    x = x < -104.0f ? (VALUES)(-104.0f) : (x > 89.0f ? (VALUES)(89.0f) : x);
    VALUES count = rint(x * 1.44269504f);
    // log 2 in two parts, the first of which has few digits, so that its multiples are exact.
    VALUES rest = (x - count * 0.693359375f) + count * 2.12194440e-4f;
    VALUES power = 1.375146e-3f;  // coefficients fitted to within 4e-9 of the whole
    power = power * rest + 8.368942e-3f;
    power = power * rest + 4.1669536e-2f;
    power = power * rest + 1.6666518e-1f;
    power = power * rest + 0.49999988f;
    power = power * rest * rest + rest + 1.0f;
    // Two factors, for the power of two alone may lie beyond floats.
    INTS exponent = JOIN(convert_int, WIDTH)(count);
    INTS first = exponent >> 1;
    power *= JOIN(as_float, WIDTH)((first + 127) << 23);
    return power * JOIN(as_float, WIDTH)((exponent - first + 127) << 23);
}
#else
#define exponential exp
#endif
