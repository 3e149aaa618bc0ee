// SPDX-License-Identifier: MIT
// Copies what one view shows into another: transposed, sliced, repeated or joined values.
//   source, target   any values of four bytes, each view with an offset and a stride in each loop
//   sizes            of RANK nested loops, the outermost first; the innermost is `columns`
//   launch   global columns/COLUMNS_PER_ITEM x at least 1; rows beyond the second size are looped
//            over; local any
//   local    none                              needs   OpenCL 1.2
//   source   none

#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

kernel void strided_copy(global const uint *restrict source, global uint *restrict target,
                         ulong source_offset, ulong target_offset, ulong rows, ulong columns,
                         ulong source_step, ulong target_step, ulong size0, ulong size1,
                         ulong size2, ulong size3, ulong from0, ulong from1, ulong from2,
                         ulong from3, ulong from4, ulong to0, ulong to1, ulong to2, ulong to3,
                         ulong to4) {
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min((size_t)columns, first + COLUMNS_PER_ITEM);
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {
        // size0 to size3 are those of the loops just outside the columns, the nearest first.
        size_t rest = row, place0 = rest % size0;
        rest /= size0;
        size_t place1 = rest % size1;
        rest /= size1;
        size_t place2 = rest % size2;
        rest /= size2;
        size_t place3 = rest % size3;
        rest /= size3;
        size_t from = source_offset + place0 * from0 + place1 * from1 + place2 * from2 +
                      place3 * from3 + rest * from4;
        size_t to = target_offset + place0 * to0 + place1 * to1 + place2 * to2 + place3 * to3 +
                    rest * to4;
        for (size_t column = first; column < last; column++)
            target[to + column * target_step] = source[from + column * source_step];
    }
}
