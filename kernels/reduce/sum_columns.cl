// SPDX-License-Identifier: MIT
// Sums of pieces along the middle axis: a work-item sums one piece of neighbouring columns.
//   x        float, row-major (outer, length, inner)
//   y        float, row-major (outer, pieces, inner), where pieces = ceil(length / piece)
//   launch   global at least ceil(inner / COLUMNS_PER_ITEM) x 1 (outer·pieces beyond the second
//            size is looped over), local any
//   local    none                              needs   OpenCL 1.2
//   source   none

// Neighbouring columns for one work-item: 1 suits GPUs, a cache line or more suits CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

kernel void sum_columns(global const float *restrict x, global float *restrict y, ulong outer,
                        ulong length, ulong inner, ulong piece, ulong pieces) {
    size_t first_column = get_global_id(0) * COLUMNS_PER_ITEM;
    if (first_column >= inner)
        return;
    uint columns = (uint)min((ulong)COLUMNS_PER_ITEM, inner - first_column);
    for (size_t row = get_global_id(1); row < outer * pieces; row += get_global_size(1)) {
        size_t first = row % pieces * piece;
        size_t last = min(length, first + piece);
        global const float *block = x + row / pieces * length * inner + first_column;
        global float *target = y + row * inner + first_column;
        float sums[COLUMNS_PER_ITEM];
        for (uint column = 0; column < COLUMNS_PER_ITEM; column++)
            sums[column] = 0.0f;
        if (columns == COLUMNS_PER_ITEM) {
            // The same again with a length that the compiler knows.
            for (size_t index = first; index < last; index++)
                for (uint column = 0; column < COLUMNS_PER_ITEM; column++)
                    sums[column] += block[index * inner + column];
        } else {
            for (size_t index = first; index < last; index++)
                for (uint column = 0; column < columns; column++)
                    sums[column] += block[index * inner + column];
        }
        for (uint column = 0; column < columns; column++)
            target[column] = sums[column];
    }
}
