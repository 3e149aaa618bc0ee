// SPDX-License-Identifier: MIT
// Takes for each place of its own an entry along an axis, as torch.gather does, and puts or adds
// values there, as torch.scatter and scatter_add do. Whoever owns an entry looks through all places
// that may name it, so that nothing is written twice at once: right for few places along the axis.
//   x, y        float, row-major (outer, length, inner)
//   entries     int, row-major (outer, taken, inner); a number outside 0 to length - 1 gives NaN, or
//               is nobody's
//   taken_values  float, row-major (outer, taken, inner)
//   launch      global inner/COLUMNS_PER_ITEM x at least 1; rows beyond the second size are looped
//               over; local any
//   local       none                              needs   OpenCL 1.2
//   source      none

#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif
// 1 adds what is put to what is there, 0 puts the last in its place.
#ifndef ADD
#define ADD 1
#endif

kernel void take_elements(global const float *restrict x, global const int *restrict entries,
                          global float *restrict taken_values, ulong rows, ulong taken,
                          ulong length, ulong inner) {
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min((size_t)inner, first + COLUMNS_PER_ITEM);
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {
        global const float *from = x + row / taken * length * inner;
        for (size_t column = first; column < last; column++) {
            int entry = entries[row * inner + column];
            bool known = entry >= 0 && (ulong)entry < length;
            float value = from[(size_t)(known ? entry : 0) * inner + column];
            taken_values[row * inner + column] = known ? value : NAN;
        }
    }
}

kernel void put_elements(global const float *restrict x, global const int *restrict entries,
                         global const float *restrict taken_values, global float *restrict y,
                         ulong rows, ulong taken, ulong length, ulong inner) {
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min((size_t)inner, first + COLUMNS_PER_ITEM);
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {
        int own = (int)(row % length);
        size_t begin = row / length * taken * inner;
        for (size_t column = first; column < last; column++) {
            float value = x[row * inner + column];
            for (size_t place = 0; place < taken; place++) {
                size_t at = begin + place * inner + column;
                float put = ADD ? value + taken_values[at] : taken_values[at];
                value = entries[at] == own ? put : value;
            }
            y[row * inner + column] = value;
        }
    }
}
