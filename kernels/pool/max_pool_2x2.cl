// SPDX-License-Identifier: MIT
// Max-pooling over 2x2 squares for CPUs, sixteen squares at a time even where rows are shorter: what
// is stored beyond a row is overwritten with the next one, so a work-item goes through its planes in
// order, and the last squares of its last plane are taken one by one.
//   x, y, positions, dy, dx   as in max_pool.cl; for the gradient height and width are even
//   launch   global 1 x at least 1, local any; each work-item takes an equal run of planes
//   local    none                              needs   OpenCL 1.2
//   source   none

#include "common/stored.cl"

#ifndef RELU
#define RELU 0
#endif
// 1 where x and y are stored in half; the largest of some halves is one of them.
#ifndef X_HALF
#define X_HALF 0
#endif

#define SQUARES 16
#define EVEN(A, B) ((float16)((A).even, (B).even))
#define ODD(A, B) ((float16)((A).odd, (B).odd))
// NaN wins, as in NumPy and torch.
#define TAKE(VALUE, PLACE)                                                                         \
    do {                                                                                           \
        int16 better = (VALUE > best) | (VALUE != VALUE);                                          \
        best = select(best, VALUE, better);                                                        \
        place = select(place, (int16)(PLACE), better);                                             \
    } while (0)

constant int16 STEPS = (int16)(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);

// A long row ends with squares that were done already; only a short one is stored beyond.
uint column_of(uint start, uint out_width) {
    return out_width > SQUARES ? min(start, out_width - SQUARES) : start;
}

// One square; `corner` is its first pixel.
void pool_one(global const STORED(X_HALF) *plane, uint corner, uint width,
              global STORED(X_HALF) *y, global int *position) {
    uint best = corner;
    for (uint pixel = 1; pixel < 4; pixel++) {
        uint index = corner + pixel / 2 * width + pixel % 2;
        float value = READ(X_HALF, plane, index);
        if (value > READ(X_HALF, plane, best) || value != value)
            best = index;
    }
    float value = READ(X_HALF, plane, best);
    bool kept = !RELU || value > 0.0f;
    WRITE(X_HALF, RELU && value < 0.0f ? 0.0f : value, y, 0);
    *position = kept ? (int)best : -1;
}

kernel void max_pool_2x2(global const STORED(X_HALF) *restrict x, global STORED(X_HALF) *restrict y,
                         global int *restrict positions, ulong planes, uint height, uint width,
                         uint out_height, uint out_width) {
    ulong share = (planes + get_global_size(1) - 1) / get_global_size(1);
    ulong last = min(planes, (get_global_id(1) + 1) * share);
    ulong squares = (ulong)out_height * out_width, pixels = (ulong)height * width;
    for (ulong plane = get_global_id(1) * share; plane < last; plane++) {
        global const STORED(X_HALF) *values = x + plane * pixels;
        ulong pixels_left = (last - plane) * pixels, squares_left = (last - plane) * squares;
        for (uint row = 0; row < out_height; row++) {
            for (uint start = 0; start < out_width; start += SQUARES) {
                uint column = column_of(start, out_width);
                uint corner = 2 * row * width + 2 * column;
                uint square = row * out_width + column;
                global STORED(X_HALF) *target = y + plane * squares + square;
                global int *found = positions + plane * squares + square;
                if (square + SQUARES > squares_left || corner + width + 32 > pixels_left) {
                    for (uint each = 0; each < min((uint)SQUARES, out_width - column); each++)
                        pool_one(values, corner + 2 * each, width, target + each, found + each);
                    continue;
                }
                global const STORED(X_HALF) *top = values + corner, *bottom = top + width;
                float16 a = READ16(X_HALF, top, 0), b = READ16(X_HALF, top, 16);
                float16 c = READ16(X_HALF, bottom, 0), d = READ16(X_HALF, bottom, 16);
                float16 best = EVEN(a, b);
                int16 place = (int)corner + STEPS;
                int16 right = place + 1, below = place + (int)width;
                TAKE(ODD(a, b), right);
                TAKE(EVEN(c, d), below);
                TAKE(ODD(c, d), below + 1);
                if (RELU) {
                    place = select(place, (int16)(-1), !(best > 0.0f));
                    best = select(best, (float16)(0.0f), best < 0.0f);
                }
                WRITE16(X_HALF, best, target, 0);
                vstore16(place, 0, found);
            }
        }
    }
}

kernel void max_pool_2x2_gradient(global const float *restrict dy,
                                  global const int *restrict positions, global float *restrict dx,
                                  ulong planes, uint height, uint width, uint out_height,
                                  uint out_width) {
    ulong share = (planes + get_global_size(1) - 1) / get_global_size(1);
    ulong last = min(planes, (get_global_id(1) + 1) * share);
    ulong squares = (ulong)out_height * out_width, pixels = (ulong)height * width;
    for (ulong plane = get_global_id(1) * share; plane < last; plane++) {
        ulong pixels_left = (last - plane) * pixels, squares_left = (last - plane) * squares;
        for (uint row = 0; row < out_height; row++) {
            for (uint start = 0; start < out_width; start += SQUARES) {
                uint column = column_of(start, out_width);
                uint corner = 2 * row * width + 2 * column;
                uint square = row * out_width + column;
                global const float *source = dy + plane * squares + square;
                global const int *found = positions + plane * squares + square;
                global float *top = dx + plane * pixels + corner, *bottom = top + width;
                if (square + SQUARES > squares_left || corner + width + 32 > pixels_left) {
                    for (uint each = 0; each < min((uint)SQUARES, out_width - column); each++) {
                        int first = (int)(corner + 2 * each), below = first + (int)width;
                        top[2 * each] = found[each] == first ? source[each] : 0.0f;
                        top[2 * each + 1] = found[each] == first + 1 ? source[each] : 0.0f;
                        bottom[2 * each] = found[each] == below ? source[each] : 0.0f;
                        bottom[2 * each + 1] = found[each] == below + 1 ? source[each] : 0.0f;
                    }
                    continue;
                }
                float16 gradient = vload16(0, source), none = (float16)(0.0f);
                int16 place = vload16(0, found) - (int)corner - STEPS;
                float16 left = select(none, gradient, place == 0);
                float16 right = select(none, gradient, place == 1);
                float16 left_below = select(none, gradient, place == (int)width);
                float16 right_below = select(none, gradient, place == (int)width + 1);
                float16 a, b;
                a.even = left.lo, a.odd = right.lo, b.even = left.hi, b.odd = right.hi;
                vstore16(a, 0, top);
                vstore16(b, 1, top);
                a.even = left_below.lo, a.odd = right_below.lo;
                b.even = left_below.hi, b.odd = right_below.hi;
                vstore16(a, 0, bottom);
                vstore16(b, 1, bottom);
            }
        }
    }
}
