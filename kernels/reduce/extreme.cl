// SPDX-License-Identifier: MIT
// The largest or smallest value along an axis and where it stands, the first if several. A long axis
// is cut into pieces, and the best of those chosen from in a second pass. NaN wins, as in torch.
//   x           float, row-major (outer, length, inner)
//   y, places   float and int, row-major (outer, pieces, inner); a place counts along the whole axis
//   found, at   what the first pass gave
//   best, place float and int, row-major (outer, inner)
//   launch      global inner/COLUMNS_PER_ITEM x at least 1; rows (outer·pieces, then outer) beyond
//               the second size are looped over; local any
//   local       none                              needs   OpenCL 1.2
//   source      none

#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif
// 1 looks for the smallest.
#ifndef SMALLEST
#define SMALLEST 0
#endif

bool better(float value, float best) {
    return (SMALLEST ? value < best : value > best) || (value != value && best == best);
}

kernel void extreme(global const float *restrict x, global float *restrict y,
                    global int *restrict places, ulong rows, ulong length, ulong inner,
                    ulong pieces, ulong piece) {
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min((size_t)inner, first + COLUMNS_PER_ITEM);
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {
        size_t begin = row % pieces * piece, end = min((size_t)length, begin + (size_t)piece);
        global const float *values = x + row / pieces * length * inner;
        for (size_t column = first; column < last; column++) {
            size_t place = begin;
            float best = values[begin * inner + column];
            for (size_t at = begin + 1; at < end; at++) {
                float value = values[at * inner + column];
                bool wins = better(value, best);
                best = wins ? value : best;
                place = wins ? at : place;
            }
            y[row * inner + column] = best;
            places[row * inner + column] = (int)place;
        }
    }
}

kernel void extreme_of_pieces(global const float *restrict found, global const int *restrict at,
                              global float *restrict best, global int *restrict place, ulong rows,
                              ulong pieces, ulong inner) {
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min((size_t)inner, first + COLUMNS_PER_ITEM);
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {
        for (size_t column = first; column < last; column++) {
            size_t chosen = row * pieces * inner + column;
            for (size_t piece = 1; piece < pieces; piece++) {
                size_t other = (row * pieces + piece) * inner + column;
                chosen = better(found[other], found[chosen]) ? other : chosen;
            }
            best[row * inner + column] = found[chosen];
            place[row * inner + column] = at[chosen];
        }
    }
}
