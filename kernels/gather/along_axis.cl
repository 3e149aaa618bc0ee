// SPDX-License-Identifier: MIT
// Takes entries along an axis by their number, as an embedding or an enlarged image does, and the
// gradient of that: each entry's is the sum over all places that took it. The places come sorted by
// entry, so that nothing is added twice at once.
//   x, dx      float, row-major (outer, length, inner)
//   y, dy      float, row-major (outer, taken, inner)
//   entries    int, one per place taken; a number outside 0 to length - 1 gives NaN
//   places     int, the places that took each entry, entry after entry
//   starts     int, length + 1: where in `places` each entry's begin
//   launch     global inner/COLUMNS_PER_ITEM x at least 1; rows beyond the second size are looped
//              over; local any
//   local      none                              needs   OpenCL 1.2
//   source     none

#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

kernel void take(global const float *restrict x, global const int *restrict entries,
                 global float *restrict y, ulong rows, ulong taken, ulong length, ulong inner) {
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min((size_t)inner, first + COLUMNS_PER_ITEM);
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {
        int entry = entries[row % taken];
        bool known = entry >= 0 && (ulong)entry < length;
        global const float *from = x + (row / taken * length + (size_t)(known ? entry : 0)) * inner;
        for (size_t column = first; column < last; column++)
            y[row * inner + column] = known ? from[column] : NAN;
    }
}

kernel void take_gradient(global const float *restrict dy, global const int *restrict places,
                          global const int *restrict starts, global float *restrict dx,
                          ulong rows, ulong taken, ulong length, ulong inner) {
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min((size_t)inner, first + COLUMNS_PER_ITEM);
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {
        size_t entry = row % length;
        int begin = starts[entry], end = starts[entry + 1];
        global const float *from = dy + row / length * taken * inner;
        for (size_t column = first; column < last; column++) {
            float sum = 0.0f;
            for (int place = begin; place < end; place++)
                sum += from[(size_t)places[place] * inner + column];
            dx[row * inner + column] = sum;
        }
    }
}
