// SPDX-License-Identifier: MIT
// Copies a block of a matrix to where the vectors that a CPU multiplies lie one after the other, for
// kernels to include. A panel has PANEL_COLUMNS (a multiple of 16) floats for each of `depth` lines.
//   matrix   float, or half if B_HALF; the panel is float
//   columns  how many columns of the matrix there are; what the others hold is of no use
//   stride   values from one row of the matrix as it lies in memory to the next
//   local    none of its own                   needs   OpenCL 1.2
//   source   Goto & van de Geijn 2008, "Anatomy of high-performance matrix multiplication"

#include "common/stored.cl"
#include "common/transpose.cl"

#ifndef B_HALF
#define B_HALF 0
#endif

#ifndef PANEL_COLUMNS
#define PANEL_COLUMNS 16
#endif

// The matrix holds line after line.
void pack_lines(global const STORED(B_HALF) *restrict matrix, local float *restrict panel,
                size_t stride, uint depth, uint columns) {
    for (uint z = 0; z < depth; z++) {
        for (uint x = 0; x < PANEL_COLUMNS; x += 16) {
            local float *line = panel + z * PANEL_COLUMNS + x;
            if (x + 16 <= columns) {
                vstore16(READ16(B_HALF, matrix + z * stride + x, 0), 0, line);
            } else {
                for (uint i = 0; i < 16; i++)
                    line[i] = x + i < columns ? READ(B_HALF, matrix, z * stride + x + i) : 0.0f;
            }
        }
    }
}

// The matrix lies transposed: it holds column after column.
void pack_columns(global const STORED(B_HALF) *restrict matrix, local float *restrict panel,
                  size_t stride, uint depth, uint columns) {
    for (uint x = 0; x < PANEL_COLUMNS; x += 16) {
        for (uint block = 0; block < depth; block += 16) {
            if (depth < 16) {
                for (uint z = 0; z < depth; z++)
                    for (uint i = x; i < x + 16; i++)
                        panel[z * PANEL_COLUMNS + i] =
                            i < columns ? READ(B_HALF, matrix, i * stride + z) : 0.0f;
                continue;
            }
            // The last block overlaps the one before it rather than read beyond its column.
            uint z = min(block, depth - 16);
            float16 lines[16];
            #pragma unroll
            for (uint i = 0; i < 16; i++)
                lines[i] = READ16(B_HALF, matrix + min(x + i, columns - 1) * stride + z, 0);
            transpose16(lines);
            #pragma unroll
            for (uint i = 0; i < 16; i++)
                vstore16(lines[i], 0, panel + (z + i) * PANEL_COLUMNS + x);
        }
    }
}
