// SPDX-License-Identifier: MIT
// Sums of pieces along the middle axis: one work-item sums one piece of one column.
//   x        float, row-major (outer, length, inner)
//   y        float, row-major (outer, pieces, inner), where pieces = ceil(length / piece)
//   launch   global at least inner x 1 (outer·pieces beyond the second size is looped over)
//   local    none                              needs   OpenCL 1.2
//   source   none

kernel void sum_columns(global const float *restrict x, global float *restrict y, ulong outer,
                        ulong length, ulong inner, ulong piece, ulong pieces) {
    size_t column = get_global_id(0);
    if (column >= inner)
        return;
    for (size_t row = get_global_id(1); row < outer * pieces; row += get_global_size(1)) {
        size_t first = row % pieces * piece;
        size_t last = min((size_t)length, first + piece);
        global const float *block = x + row / pieces * length * inner + column;
        float sum = 0.0f;
        for (size_t index = first; index < last; index++)
            sum += block[index * inner];
        y[row * inner + column] = sum;
    }
}
