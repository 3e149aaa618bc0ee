// SPDX-License-Identifier: MIT
// C = A·B on a GPU: a work-group computes one tile of C from tiles of A and B in local memory, a
// work-item ITEM_ROWS x ITEM_COLUMNS of it in registers, while the next tiles are on their way.
//   a        float, or half if A_HALF, row-major (m, k), or (k, m) if TRANSPOSE_A
//   b        float, or half if B_HALF, row-major (k, n), or (n, k) if TRANSPOSE_B
//   c        float, or half if RESULT_HALF, row-major (m, n), or SPLITS of them in float if k is
//            split, for tiled_sum.cl to add
//   batches  matrices to multiply; *_step values lie between one and the next (0 repeats one)
//   bias, residual  as common/epilogue.cl says; residual is laid out like c
//   launch   global tiles·WORK_ITEMS x 1, where tiles = ceil(m / TILE_ROWS)·ceil(n / TILE_COLUMNS),
//            local WORK_ITEMS x 1; batches·SPLITS beyond the second size are looped over
//   local    (TILE_ROWS + TILE_COLUMNS + 8)·TILE_DEPTH·4·BUFFERS bytes       needs   OpenCL 1.2,
//            with HALF_MATH cl_khr_fp16 and half of that local memory
//   source   Volkov & Demmel 2008, "Benchmarking GPUs to tune dense linear algebra"

#include "common/epilogue.cl"
#include "matmul/tiled_core.cl"

#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif
// 1 says that an operand is stored in half precision; what is added up is float all the same.
#ifndef A_HALF
#define A_HALF 0
#endif
#ifndef B_HALF
#define B_HALF 0
#endif
#define FETCH_A STORED_AS(FETCH_, A_HALF)
#define FETCH_B STORED_AS(FETCH_, B_HALF)
#define FETCH_0 fetch_tile
#define FETCH_1 fetch_tile_of_halves
// Values per access of global memory: 4 where the contiguous size of the matrix is a multiple of 4.
#ifndef WIDTH_A
#define WIDTH_A 1
#endif
#ifndef WIDTH_B
#define WIDTH_B 1
#endif
#ifndef WIDTH_C
#define WIDTH_C 1
#endif
// Parts of k that are summed apart, so that a small C keeps a large device busy.
#ifndef SPLITS
#define SPLITS 1
#endif

#define A_VECTORS (TILE_ROWS * TILE_DEPTH / WIDTH_A / WORK_ITEMS)
#define B_VECTORS (TILE_COLUMNS * TILE_DEPTH / WIDTH_B / WORK_ITEMS)
#if TILE_ROWS * TILE_DEPTH != A_VECTORS * WIDTH_A * WORK_ITEMS
#error A tile of A is not shared out evenly.
#endif
#if TILE_COLUMNS * TILE_DEPTH != B_VECTORS * WIDTH_B * WORK_ITEMS
#error A tile of B is not shared out evenly.
#endif

// Stores as many of four sums of a row as the matrix has.
void store_four(global STORED(RESULT_HALF) *c, const float *sums, global const float *bias,
                global const float *residual, size_t row, size_t column, uint n) {
    size_t index = row * n + column;
    float values[4];
    #pragma unroll
    for (uint x = 0; x < 4; x++)
        if (column + x < n)
            values[x] = finish(sums[x], bias, residual, row, column + x, index + x);
    #if WIDTH_C == 4
    if (column < n)
        WRITE4(RESULT_HALF, (float4)(values[0], values[1], values[2], values[3]), c, index);
    #else
    #pragma unroll
    for (uint x = 0; x < 4; x++)
        if (column + x < n)
            WRITE(RESULT_HALF, values[x], c, index + x);
    #endif
}

kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
void matmul(global const STORED(A_HALF) *restrict a, global const STORED(B_HALF) *restrict b,
            global STORED(RESULT_HALF) *restrict c, uint m, uint n, uint k, ulong batches,
            ulong a_step, ulong b_step, ulong c_step, global const float *bias,
            global const float *residual) {
    local TILE_VALUE a_tiles[BUFFERS][TILE_DEPTH * A_LINE] __attribute__((aligned(16)));
    local TILE_VALUE b_tiles[BUFFERS][TILE_DEPTH * B_LINE] __attribute__((aligned(16)));

    uint item = (uint)get_local_id(0);
    uint2 origin = item_origin(item);
    uint2 first = tile_of_group((uint)get_group_id(0), (m + TILE_ROWS - 1) / TILE_ROWS,
                                (n + TILE_COLUMNS - 1) / TILE_COLUMNS);
    // Rows and columns past the edge repeat the last ones: their sums are not stored.
    uint2 a_places[A_VECTORS], b_places[B_VECTORS];
    size_t a_offsets[A_VECTORS], b_offsets[B_VECTORS];
    #pragma unroll
    for (uint v = 0; v < A_VECTORS; v++) {
        a_places[v] = vector_place(item + v * WORK_ITEMS, TILE_ROWS, WIDTH_A, !TRANSPOSE_A);
        size_t row = min(first.x + a_places[v].x, m - (TRANSPOSE_A ? WIDTH_A : 1));
        a_offsets[v] = TRANSPOSE_A ? (size_t)a_places[v].y * m + row : row * k + a_places[v].y;
    }
    #pragma unroll
    for (uint v = 0; v < B_VECTORS; v++) {
        b_places[v] = vector_place(item + v * WORK_ITEMS, TILE_COLUMNS, WIDTH_B, TRANSPOSE_B);
        size_t column = min(first.y + b_places[v].x, n - (TRANSPOSE_B ? 1 : WIDTH_B));
        b_offsets[v] =
            TRANSPOSE_B ? column * k + b_places[v].y : (size_t)b_places[v].y * n + column;
    }
    uint part = ((k + TILE_DEPTH - 1) / TILE_DEPTH + SPLITS - 1) / SPLITS * TILE_DEPTH;

    for (size_t batch = get_global_id(1); batch < batches * SPLITS; batch += get_global_size(1)) {
        uint depth = min(k, (uint)(batch % SPLITS) * part);
        uint end = min(k, depth + part);
        global const STORED(A_HALF) *a_next =
            a + batch / SPLITS * a_step + (size_t)depth * (TRANSPOSE_A ? m : 1);
        global const STORED(B_HALF) *b_next =
            b + batch / SPLITS * b_step + (size_t)depth * (TRANSPOSE_B ? 1 : n);
        float4 a_values[A_VECTORS], b_values[B_VECTORS];
        FETCH_A(a_values, a_next, a_offsets, a_places, A_VECTORS, WIDTH_A, end - depth);
        FETCH_B(b_values, b_next, b_offsets, b_places, B_VECTORS, WIDTH_B, end - depth);
        stash_tile(a_tiles[0], A_LINE, a_values, a_places, A_VECTORS, WIDTH_A, !TRANSPOSE_A);
        stash_tile(b_tiles[0], B_LINE, b_values, b_places, B_VECTORS, WIDTH_B, TRANSPOSE_B);
        barrier(CLK_LOCAL_MEM_FENCE);

        float sums[ITEM_ROWS][ITEM_COLUMNS];
        clear(sums);
        uint now = 0;
        for (; depth < end; depth += TILE_DEPTH) {
            // The next tiles are on their way while these are multiplied.
            uint left = depth + TILE_DEPTH < end ? end - depth - TILE_DEPTH : 0;
            a_next += (size_t)TILE_DEPTH * (TRANSPOSE_A ? m : 1);
            b_next += (size_t)TILE_DEPTH * (TRANSPOSE_B ? 1 : n);
            FETCH_A(a_values, a_next, a_offsets, a_places, A_VECTORS, WIDTH_A, left);
            FETCH_B(b_values, b_next, b_offsets, b_places, B_VECTORS, WIDTH_B, left);
            multiply_tiles(a_tiles[now], b_tiles[now], origin, sums);
            // With one buffer, nobody may still read what is overwritten now.
            if (BUFFERS == 1)
                barrier(CLK_LOCAL_MEM_FENCE);
            now = (now + 1) % BUFFERS;
            stash_tile(a_tiles[now], A_LINE, a_values, a_places, A_VECTORS, WIDTH_A, !TRANSPOSE_A);
            stash_tile(b_tiles[now], B_LINE, b_values, b_places, B_VECTORS, WIDTH_B, TRANSPOSE_B);
            barrier(CLK_LOCAL_MEM_FENCE);
        }

        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i++) {
            size_t row = first.x + origin.x + ROW_OF(i);
            #pragma unroll
            for (uint j = 0; j < ITEM_COLUMNS; j += 4) {
                size_t column = first.y + origin.y + COLUMN_OF(j);
                if (row < m)
                    store_four(c + batch * c_step, sums[i] + j, bias,
                               RESIDUAL ? residual + batch * c_step : residual, row, column, n);
            }
        }
    }
}
