// SPDX-License-Identifier: MIT
// C = A·B on a GPU: a work-group computes one tile of C from tiles of A and B in local memory, a
// work-item ITEM_ROWS x ITEM_COLUMNS of it in registers.
//   a        float, row-major (m, k), or (k, m) if TRANSPOSE_A
//   b        float, row-major (k, n), or (n, k) if TRANSPOSE_B
//   c        float, row-major (m, n)
//   batches  matrices to multiply; *_step values lie between one and the next (0 repeats one)
//   bias, residual  as common/epilogue.cl says; residual is laid out like c
//   launch   global tiles·WORK_ITEMS x 1, where tiles = ceil(m / TILE_ROWS)·ceil(n / TILE_COLUMNS);
//            batches beyond the second size are looped over; local WORK_ITEMS x 1
//   local    (TILE_ROWS + TILE_COLUMNS + 8)·TILE_DEPTH·4 bytes        needs   OpenCL 1.2
//   source   Volkov & Demmel 2008, "Benchmarking GPUs to tune dense linear algebra"

#include "common/epilogue.cl"

#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif
// What a work-group computes, and how much of K it holds at a time.
#ifndef TILE_ROWS
#define TILE_ROWS 64
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 64
#endif
#ifndef TILE_DEPTH
#define TILE_DEPTH 16
#endif
// What a work-item computes; multiples of 4, for it reads local memory four floats at a time.
#ifndef ITEM_ROWS
#define ITEM_ROWS 4
#endif
#ifndef ITEM_COLUMNS
#define ITEM_COLUMNS 4
#endif

#define ITEMS_DOWN (TILE_ROWS / ITEM_ROWS)
#define ITEMS_ACROSS (TILE_COLUMNS / ITEM_COLUMNS)
#define WORK_ITEMS (ITEMS_DOWN * ITEMS_ACROSS)
// Four more floats per line keep it aligned to vectors and spread transposed writes over banks.
#define PADDING 4

kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
void matmul(global const float *restrict a, global const float *restrict b,
            global float *restrict c, uint m, uint n, uint k, ulong batches, ulong a_step,
            ulong b_step, ulong c_step, global const float *bias, global const float *residual) {
    local float a_tile[TILE_DEPTH][TILE_ROWS + PADDING] __attribute__((aligned(16)));
    local float b_tile[TILE_DEPTH][TILE_COLUMNS + PADDING] __attribute__((aligned(16)));

    uint item = get_local_id(0);
    uint item_row = item / ITEMS_ACROSS * 4;
    uint item_column = item % ITEMS_ACROSS * 4;
    uint tiles_across = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    uint first_row = get_group_id(0) / tiles_across * TILE_ROWS;
    uint first_column = get_group_id(0) % tiles_across * TILE_COLUMNS;

    for (size_t batch = get_global_id(1); batch < batches; batch += get_global_size(1)) {
        global const float *a_matrix = a + batch * a_step;
        global const float *b_matrix = b + batch * b_step;
        float sums[ITEM_ROWS][ITEM_COLUMNS];
        #pragma unroll
        for (int i = 0; i < ITEM_ROWS; i++)
            #pragma unroll
            for (int j = 0; j < ITEM_COLUMNS; j++)
                sums[i][j] = 0.0f;

        for (uint first_depth = 0; first_depth < k; first_depth += TILE_DEPTH) {
            // Neighbouring work-items read neighbouring values, whichever way a matrix lies.
            for (uint index = item; index < TILE_ROWS * TILE_DEPTH; index += WORK_ITEMS) {
                uint row = TRANSPOSE_A ? index % TILE_ROWS : index / TILE_DEPTH;
                uint depth = TRANSPOSE_A ? index / TILE_ROWS : index % TILE_DEPTH;
                size_t y = first_row + row;
                size_t z = first_depth + depth;
                bool inside = y < m && z < k;
                a_tile[depth][row] = inside ? a_matrix[TRANSPOSE_A ? z * m + y : y * k + z] : 0.0f;
            }
            for (uint index = item; index < TILE_COLUMNS * TILE_DEPTH; index += WORK_ITEMS) {
                uint column = TRANSPOSE_B ? index / TILE_DEPTH : index % TILE_COLUMNS;
                uint depth = TRANSPOSE_B ? index % TILE_DEPTH : index / TILE_COLUMNS;
                size_t x = first_column + column;
                size_t z = first_depth + depth;
                bool inside = x < n && z < k;
                b_tile[depth][column] =
                    inside ? b_matrix[TRANSPOSE_B ? x * k + z : z * n + x] : 0.0f;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            #pragma unroll 4
            for (uint depth = 0; depth < TILE_DEPTH; depth++) {
                float a_values[ITEM_ROWS], b_values[ITEM_COLUMNS];
                // Blocks of four lie ITEMS_DOWN·4 apart, so neighbours read neighbouring vectors.
                #pragma unroll
                for (int i = 0; i < ITEM_ROWS; i += 4)
                    vstore4(vload4(0, &a_tile[depth][item_row + i * ITEMS_DOWN]), 0, a_values + i);
                #pragma unroll
                for (int j = 0; j < ITEM_COLUMNS; j += 4)
                    vstore4(vload4(0, &b_tile[depth][item_column + j * ITEMS_ACROSS]), 0,
                            b_values + j);
                #pragma unroll
                for (int i = 0; i < ITEM_ROWS; i++)
                    #pragma unroll
                    for (int j = 0; j < ITEM_COLUMNS; j++)
                        sums[i][j] += a_values[i] * b_values[j];
            }
            // The next round overwrites the tiles.
            barrier(CLK_LOCAL_MEM_FENCE);
        }

        #pragma unroll
        for (int i = 0; i < ITEM_ROWS; i++) {
            size_t row = first_row + item_row + i / 4 * 4 * ITEMS_DOWN + i % 4;
            #pragma unroll
            for (int j = 0; j < ITEM_COLUMNS; j++) {
                size_t column = first_column + item_column + j / 4 * 4 * ITEMS_ACROSS + j % 4;
                size_t index = batch * c_step + row * n + column;
                if (row < m && column < n)
                    c[index] = finish(sums[i][j], bias, residual, row, column, index);
            }
        }
    }
}
