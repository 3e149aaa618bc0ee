// SPDX-License-Identifier: MIT
// C = A·B on a CPU: one work-item is a work-group and computes a tile of C. It copies a panel of B
// to where its vectors lie one after the other, and runs blocks of ROWS rows of A over it.
//   a        float, row-major (m, k), or (k, m) if TRANSPOSE_A
//   b        float, row-major (k, n), or (n, k) if TRANSPOSE_B
//   c        float, row-major (m, n)
//   batches  matrices to multiply; *_step values lie between one and the next (0 repeats one)
//   bias, residual  as common/epilogue.cl says; residual is laid out like c
//   launch   global tiles x 1, where tiles = ceil(m / TILE_ROWS)·ceil(n / (16·VECTORS)); batches
//            beyond the second size are looped over; local 1 x 1
//   local    64·VECTORS·TILE_DEPTH bytes       needs   OpenCL 1.2
//   source   Goto & van de Geijn 2008, "Anatomy of high-performance matrix multiplication"

#include "common/epilogue.cl"

#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif
// Most rows that share one packing of B, a multiple of ROWS; fewer make more tiles, more make
// packing cheaper.
#ifndef TILE_ROWS
#define TILE_ROWS 240
#endif
// A panel of TILE_DEPTH·16·VECTORS floats should stay in the second-level cache.
#ifndef TILE_DEPTH
#define TILE_DEPTH 256
#endif
// ROWS·VECTORS sums, VECTORS values of B and one of A fit the 32 registers of AVX-512.
#ifndef ROWS
#define ROWS 6
#endif
#ifndef VECTORS
#define VECTORS 4
#endif

#define COLUMNS (16 * VECTORS)

// Copies `depth` rows of B, of which `columns` columns exist; the others become zero.
void pack(global const float *restrict b, local float *restrict panel, size_t stride, uint depth,
          uint columns) {
    for (uint z = 0; z < depth; z++) {
        local float *line = panel + z * COLUMNS;
        if (!TRANSPOSE_B && columns == COLUMNS) {
            for (uint j = 0; j < VECTORS; j++)
                vstore16(vload16(j, b + z * stride), j, line);
        } else {
            for (uint x = 0; x < COLUMNS; x++) {
                size_t index = TRANSPOSE_B ? x * stride + z : z * stride + x;
                line[x] = x < columns ? b[index] : 0.0f;
            }
        }
    }
}

// Adds ROWS rows of A times the panel to C, or starts C with them. Rows from `rows` on do not
// exist: the last one is computed again in their place, which costs less than code of its own.
void multiply(global const float *restrict a, local const float *restrict panel,
              global float *restrict c, size_t a_stride, size_t c_stride, uint depth, uint rows,
              uint columns, bool add) {
    float16 sums[ROWS][VECTORS];
    size_t row_of[ROWS];
    #pragma unroll
    for (uint i = 0; i < ROWS; i++) {
        row_of[i] = min(i, rows - 1) * (TRANSPOSE_A ? 1 : a_stride);
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            sums[i][j] = 0.0f;
    }
    for (uint z = 0; z < depth; z++) {
        float16 b_vectors[VECTORS];
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            b_vectors[j] = vload16(j, panel + z * COLUMNS);
        #pragma unroll
        for (uint i = 0; i < ROWS; i++) {
            float a_value = a[row_of[i] + z * (TRANSPOSE_A ? a_stride : 1)];
            #pragma unroll
            for (uint j = 0; j < VECTORS; j++)
                sums[i][j] += a_value * b_vectors[j];
        }
    }
    #pragma unroll
    for (uint i = 0; i < ROWS; i++) {
        for (uint j = 0; j < VECTORS && i < rows; j++) {
            global float *target = c + i * c_stride + 16 * j;
            if (columns >= 16 * (j + 1)) {
                vstore16(add ? vload16(0, target) + sums[i][j] : sums[i][j], 0, target);
            } else {
                float values[16];
                vstore16(sums[i][j], 0, values);
                for (uint x = 0; x + 16 * j < columns; x++)
                    target[x] = add ? target[x] + values[x] : values[x];
            }
        }
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void matmul(global const float *restrict a, global const float *restrict b,
            global float *restrict c, uint m, uint n, uint k, ulong batches, ulong a_step,
            ulong b_step, ulong c_step, global const float *bias, global const float *residual) {
    local float panel[TILE_DEPTH * COLUMNS] __attribute__((aligned(64)));

    uint tiles_across = (n + COLUMNS - 1) / COLUMNS;
    // Tiles share the rows evenly: one with a few rows left over would pack B for them alone.
    uint tiles_down = (m + TILE_ROWS - 1) / TILE_ROWS;
    uint tile_rows = ((m + tiles_down - 1) / tiles_down + ROWS - 1) / ROWS * ROWS;
    size_t first_row = get_group_id(0) / tiles_across * tile_rows;
    size_t first_column = get_group_id(0) % tiles_across * COLUMNS;
    size_t last_row = min((size_t)m, first_row + tile_rows);
    uint columns = min((size_t)COLUMNS, n - first_column);

    for (size_t batch = get_global_id(1); batch < batches; batch += get_global_size(1)) {
        for (size_t z = 0; z < k; z += TILE_DEPTH) {
            uint depth = min((size_t)TILE_DEPTH, k - z);
            global const float *b_block =
                b + batch * b_step + (TRANSPOSE_B ? first_column * k + z : z * n + first_column);
            pack(b_block, panel, TRANSPOSE_B ? k : n, depth, columns);
            for (size_t row = first_row; row < last_row; row += ROWS) {
                global const float *a_block =
                    a + batch * a_step + (TRANSPOSE_A ? z * m + row : row * k + z);
                global float *c_block = c + batch * c_step + row * n + first_column;
                multiply(a_block, panel, c_block, TRANSPOSE_A ? m : k, n, depth,
                         min((size_t)ROWS, last_row - row), columns, z > 0);
            }
        }
        for (size_t row = first_row; row < last_row && (BIAS || RESIDUAL || RELU); row++) {
            for (size_t column = first_column; column < first_column + columns; column++) {
                size_t index = batch * c_step + row * n + column;
                c[index] = finish(c[index], bias, residual, row, column, index);
            }
        }
    }
}
