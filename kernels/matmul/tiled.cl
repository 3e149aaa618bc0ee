// SPDX-License-Identifier: MIT
// C = A·B on a GPU: a work-group computes one tile of C from tiles of A and B in local memory, a
// work-item ITEM_ROWS x ITEM_COLUMNS of it in registers, while the next tiles are on their way.
//   a        float, or half if A_HALF, row-major (m, k), or (k, m) if TRANSPOSE_A
//   b        float, or half if B_HALF, row-major (k, n), or (n, k) if TRANSPOSE_B
//   c        float, or half if RESULT_HALF, row-major (m, n)
//   batches  matrices to multiply; *_step values lie between one and the next (0 repeats one)
//   inner    if MERGED, b and c are batches of so many columns each, which count as n columns of one
//            matrix; then batches is 1, a_step 0, and b is not transposed
//   bias, residual  as common/epilogue.cl says; residual is laid out like c
//   launch   global tiles·WORK_ITEMS x 1, where tiles = ceil(m / TILE_ROWS)·ceil(n / TILE_COLUMNS),
//            local WORK_ITEMS x 1; batches beyond the second size are looped over
//   shares   if SHARED, the first `whole` tiles of all batches are computed as always, and the steps
//            of TILE_DEPTH of the others are dealt out to work-groups, `share` to each, no more than
//            a tile has; each leaves up to two parts of tiles here, for add_shares. Launch global
//            (whole + shares)·WORK_ITEMS x 1, then add_shares with (tiles - whole)·WORK_ITEMS x
//            ITEM_ROWS / 4, local WORK_ITEMS x 1
//   local    (TILE_ROWS + TILE_COLUMNS + 8)·TILE_DEPTH·4·BUFFERS bytes       needs   OpenCL 1.2,
//            with HALF_MATH cl_khr_fp16 and half of that local memory
//   source   Volkov & Demmel 2008, "Benchmarking GPUs to tune dense linear algebra"; Osama et al.
//            2023, "Stream-K", arXiv:2301.03598

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
#define LOAD_A STORED_AS(LOAD_, A_HALF)
#define LOAD_B STORED_AS(LOAD_, B_HALF)
#define LOAD_0 load
#define LOAD_1 load_halves
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
#ifndef SHARED
#define SHARED 0
#endif
#ifndef MERGED
#define MERGED 0
#endif
// 1 where C has fewer rows or columns than a tile, which else lies within C, moved back if need be.
#ifndef CLAMPED
#define CLAMPED 0
#endif

#define A_VECTORS (TILE_ROWS * TILE_DEPTH / WIDTH_A / WORK_ITEMS)
#define B_VECTORS (TILE_COLUMNS * TILE_DEPTH / WIDTH_B / WORK_ITEMS)
#if TILE_ROWS * TILE_DEPTH != A_VECTORS * WIDTH_A * WORK_ITEMS
#error A tile of A is not shared out evenly.
#endif
#if TILE_COLUMNS * TILE_DEPTH != B_VECTORS * WIDTH_B * WORK_ITEMS
#error A tile of B is not shared out evenly.
#endif

// Sums stay in registers only where no function is called.
#define INLINE __attribute__((always_inline))

#if MERGED && WORK_ITEMS * WIDTH_B % TILE_COLUMNS
#error All values of B that a work-item fetches must be of the same columns.
#endif

#define A_TILE (TILE_DEPTH * A_LINE)
#define B_TILE (TILE_DEPTH * B_LINE)
#define LOCAL_VALUES (BUFFERS * (A_TILE + B_TILE))
#define ROW_LANES (TILE_ROWS / ITEM_ROWS)
// Rows of each work-item that go through local memory at a time, so that work-items in step store
// neighbours even where no vectors can be stored; 0 where that has no room.
#if WIDTH_C == 4 || HALF_MATH
#define STAGED 0
#elif LOCAL_VALUES >= 4 * ROW_LANES * TILE_COLUMNS
#define STAGED 4
#elif LOCAL_VALUES >= 2 * ROW_LANES * TILE_COLUMNS
#define STAGED 2
#elif LOCAL_VALUES >= ROW_LANES * TILE_COLUMNS
#define STAGED 1
#else
#define STAGED 0
#endif

// Where C's value lies in its batch.
size_t c_index(uint row, uint column, uint n, uint inner, ulong c_step) {
    if (MERGED)
        return column / inner * c_step + column % inner + (size_t)row * inner;
    return (size_t)row * n + column;
}

// Where a tile is computed that is to begin there.
uint2 moved_back(uint2 start, uint m, uint n) {
    if (CLAMPED)
        return start;
    return (uint2)(min(start.x, m - TILE_ROWS), min(start.y, n - TILE_COLUMNS));
}

// Says whether C has such a value and this tile is the one to store it.
bool is_stored(uint row, uint column, uint2 start, uint m, uint n) {
    return CLAMPED ? row < m && column < n : row >= start.x && column >= start.y;
}

// Stores as many of four sums of a row as the matrix has.
INLINE
void store_four(global STORED(RESULT_HALF) *c, const float *sums, global const float *bias,
                global const float *residual, uint row, uint column, uint2 start, uint m, uint n,
                uint inner, ulong c_step) {
    size_t index = c_index(row, column, n, inner, c_step);
    #if WIDTH_C == 4
    float values[4];
    #pragma unroll
    for (uint x = 0; x < 4; x++)
        if (is_stored(row, column, start, m, n))
            values[x] = finish(sums[x], bias, residual, row, column + x, index + x);
    if (is_stored(row, column, start, m, n))
        WRITE4(RESULT_HALF, (float4)(values[0], values[1], values[2], values[3]), c, index);
    #else
    #pragma unroll
    for (uint x = 0; x < 4; x++)
        if (is_stored(row, column + x, start, m, n)) {
            index = c_index(row, column + x, n, inner, c_step);
            WRITE(RESULT_HALF, finish(sums[x], bias, residual, row, column + x, index), c, index);
        }
    #endif
}

// Stores four rows of a work-item's sums, of which the first is number `i`, of a tile that is to begin
// at `start`.
INLINE
void store_rows(global STORED(RESULT_HALF) *c, float sums[4][ITEM_COLUMNS], uint i,
                local TILE_VALUE *stage, uint2 start, uint item, global const float *bias,
                global const float *residual, uint m, uint n, uint inner, ulong c_step) {
    uint2 origin = item_origin(item), first = moved_back(start, m, n);
    #if STAGED
    size_t c_line = MERGED ? inner : n;
    uint own = origin.x / (LANES_DOWN * ITEM_ROWS) * LANES_DOWN +
               origin.x % (LANES_DOWN * ITEM_ROWS) / 4;
    #pragma unroll
    for (uint part = 0; part < 4; part += STAGED) {
        #pragma unroll
        for (uint y = 0; y < STAGED; y++)
            #pragma unroll
            for (uint j = 0; j < ITEM_COLUMNS; j += 4) {
                float *four = sums[part + y] + j;
                uint place = (y * ROW_LANES + own) * TILE_COLUMNS + origin.y + COLUMN_OF(j);
                *(local float4 *)(local void *)(stage + place) =
                    (float4)(four[0], four[1], four[2], four[3]);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint v = 0; v < STAGED * ROW_LANES * TILE_COLUMNS / WORK_ITEMS; v++) {
            uint place = item + v * WORK_ITEMS;
            uint line = place / TILE_COLUMNS, lane = line % ROW_LANES;
            uint row = lane / LANES_DOWN * (LANES_DOWN * ITEM_ROWS) + lane % LANES_DOWN * 4 +
                       ROW_OF(i + part + line / ROW_LANES);
            uint column = first.y + place % TILE_COLUMNS;
            if (is_stored(first.x + row, column, start, m, n)) {
                size_t index = c_index(first.x, column, n, inner, c_step) + row * c_line;
                float value = finish(stage[place], bias, residual, first.x + row, column, index);
                WRITE(RESULT_HALF, value, c, index);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    #else
    #pragma unroll
    for (uint y = 0; y < 4; y++) {
        uint row = first.x + origin.x + ROW_OF(i + y);
        #pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j += 4) {
            uint column = first.y + origin.y + COLUMN_OF(j);
            store_four(c, sums[y] + j, bias, residual, row, column, start, m, n, inner, c_step);
        }
    }
    #endif
}

// Sizes are powers of two, so that a work-item's vectors lie at the same distances from its first one,
// whichever that is: between places in the tile, and between values in memory.
#define A_AWAY(v) vector_place((v) * WORK_ITEMS, TILE_ROWS, WIDTH_A, !TRANSPOSE_A)
#define B_AWAY(v) vector_place((v) * WORK_ITEMS, TILE_COLUMNS, WIDTH_B, TRANSPOSE_B)

// Sums the steps of a tile from one up to another. The first step is the one that may be shorter.
INLINE
void sum_steps(float sums[ITEM_ROWS][ITEM_COLUMNS], local TILE_VALUE *tiles, uint2 first, uint item,
               uint from, uint to, global const STORED(A_HALF) *a,
               global const STORED(B_HALF) *b, uint m, uint n, uint k, uint inner,
               ulong b_step) {
    uint2 origin = item_origin(item);
    size_t a_line = TRANSPOSE_A ? m : 1;
    size_t b_line = TRANSPOSE_B ? 1 : MERGED ? inner : n;
    uint shorter = (k - 1) % TILE_DEPTH + 1;
    size_t depth = from ? shorter + (size_t)(from - 1) * TILE_DEPTH : 0;
    uint left = from ? TILE_DEPTH : shorter;
    uint2 a_place = vector_place(item, TILE_ROWS, WIDTH_A, !TRANSPOSE_A);
    uint2 b_place = vector_place(item, TILE_COLUMNS, WIDTH_B, TRANSPOSE_B);
    #if CLAMPED
    // Rows and columns past the edge repeat the last ones: their sums are not stored.
    uint last_row = m - first.x - (TRANSPOSE_A ? WIDTH_A : 1);
    uint last_column = n - first.y - (TRANSPOSE_B ? 1 : WIDTH_B);
    #define A_ROW(away) ((size_t)min(a_place.x + (away).x, last_row) - a_place.x)
    #define B_COLUMN(away) ((size_t)min(b_place.x + (away).x, last_column) - b_place.x)
    #else
    #define A_ROW(away) ((size_t)(away).x)
    #define B_COLUMN(away) ((size_t)(away).x)
    #endif
    size_t row = first.x + a_place.x, column = first.y + b_place.x;
    a += TRANSPOSE_A ? (depth + a_place.y) * m + row : row * k + depth + a_place.y;
    #if MERGED
    // All vectors of a work-item are of the same columns.
    uint existing = min((uint)column, n - WIDTH_B);
    b += existing / inner * b_step + existing % inner + (depth + b_place.y) * inner;
    #undef B_COLUMN
    #define B_COLUMN(away) 0
    #else
    b += TRANSPOSE_B ? column * k + depth + b_place.y : (depth + b_place.y) * n + column;
    #endif
    #define FETCH(whole)                                                                           \
        _Pragma("unroll") for (uint v = 0; v < A_VECTORS; v++) {                                   \
            uint2 away = A_AWAY(v);                                                                \
            a_values[v] = 0.0f;                                                                    \
            if (whole || a_place.y + away.y < left)                                                \
                a_values[v] = LOAD_A(a + (TRANSPOSE_A ? away.y * a_line + A_ROW(away)              \
                                                      : A_ROW(away) * k + away.y), WIDTH_A);       \
        }                                                                                          \
        _Pragma("unroll") for (uint v = 0; v < B_VECTORS; v++) {                                   \
            uint2 away = B_AWAY(v);                                                                \
            b_values[v] = 0.0f;                                                                    \
            if (whole || b_place.y + away.y < left)                                                \
                b_values[v] = LOAD_B(b + (TRANSPOSE_B ? B_COLUMN(away) * k + away.y                \
                                                      : away.y * b_line + B_COLUMN(away)), WIDTH_B); \
        }
    #define STASH(now)                                                                             \
        _Pragma("unroll") for (uint v = 0; v < A_VECTORS; v++) {                                   \
            uint2 place = a_place + A_AWAY(v);                                                     \
            stash_tile(tiles + (now) * A_TILE, A_LINE, a_values + v, &place, 1, WIDTH_A,           \
                       !TRANSPOSE_A);                                                              \
        }                                                                                          \
        _Pragma("unroll") for (uint v = 0; v < B_VECTORS; v++) {                                   \
            uint2 place = b_place + B_AWAY(v);                                                     \
            stash_tile(b_tiles + (now) * B_TILE, B_LINE, b_values + v, &place, 1, WIDTH_B,         \
                       TRANSPOSE_B);                                                               \
        }

    float4 a_values[A_VECTORS], b_values[B_VECTORS];
    local TILE_VALUE *b_tiles = tiles + BUFFERS * A_TILE;
    FETCH(false)
    STASH(0)
    barrier(CLK_LOCAL_MEM_FENCE);
    clear(sums);
    uint now = 0;
    for (uint step = from; step < to; step++) {
        // The next tiles are on their way while these are multiplied.
        bool more = step + 1 < to;
        if (more) {
            a += left * a_line;
            b += left * b_line;
            left = TILE_DEPTH;
            FETCH(true)
        }
        multiply_tiles(tiles + now * A_TILE, b_tiles + now * B_TILE, origin, sums);
        // With one buffer, nobody may still read what is overwritten now.
        if (BUFFERS == 1)
            barrier(CLK_LOCAL_MEM_FENCE);
        now = (now + 1) % BUFFERS;
        if (more) {
            STASH(now)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
void matmul(global const STORED(A_HALF) *restrict a, global const STORED(B_HALF) *restrict b,
            global STORED(RESULT_HALF) *restrict c, uint m, uint n, uint k, ulong batches,
            ulong a_step, ulong b_step, ulong c_step, global const float *bias,
            global const float *residual, uint inner
#if SHARED
            , global float *restrict shares, uint whole, uint share
#endif
            ) {
    local TILE_VALUE tiles[LOCAL_VALUES] __attribute__((aligned(16)));

    uint item = (uint)get_local_id(0);
    uint group = (uint)get_group_id(0);
    uint down = (m + TILE_ROWS - 1) / TILE_ROWS, across = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    uint steps = (k + TILE_DEPTH - 1) / TILE_DEPTH;
    #if SHARED
    uint at = group * steps, last = at + steps;
    if (group >= whole) {
        at = whole * steps + (group - whole) * share;
        last = min(at + share, (uint)batches * down * across * steps);
    }
    for (uint part = 0; at < last; part++) {
        uint number = at / steps, from = at % steps;
        uint to = min(steps, from + last - at);
        at += to - from;
        size_t batch = number / (down * across);
        uint2 first = tile_of_group(number % (down * across), down, across);
    #else
    for (size_t batch = get_global_id(1); batch < batches; batch += get_global_size(1)) {
        uint from = 0, to = steps;
        uint2 first = tile_of_group(group, down, across);
    #endif
        float sums[ITEM_ROWS][ITEM_COLUMNS];
        sum_steps(sums, tiles, moved_back(first, m, n), item, from, to, a + batch * a_step, b + batch * b_step, m, n,
                  k, inner, b_step);
        #if SHARED
        if (group >= whole) {
            size_t place = ((size_t)(group - whole) * 2 + part) * (TILE_ROWS * TILE_COLUMNS) + item;
            #pragma unroll
            for (uint i = 0; i < ITEM_ROWS; i++)
                #pragma unroll
                for (uint j = 0; j < ITEM_COLUMNS; j++)
                    shares[place + (i * ITEM_COLUMNS + j) * WORK_ITEMS] = sums[i][j];
            continue;
        }
        #endif
        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i += 4)
            store_rows(c + batch * c_step, sums + i, i, tiles, first, item, bias,
                       RESIDUAL ? residual + batch * c_step : residual, m, n, inner, c_step);
    }
}

#define AT_ONCE 4

// Adds the parts of shared tiles, always in the same order, and finishes the result.
#if SHARED
kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
void add_shares(global const float *restrict shares, global STORED(RESULT_HALF) *restrict c, uint m,
                uint n, uint k, ulong c_step, global const float *bias,
                global const float *residual, uint inner, uint whole, uint share) {
    local TILE_VALUE stage[LOCAL_VALUES] __attribute__((aligned(16)));

    uint item = (uint)get_local_id(0);
    uint i = (uint)get_group_id(1) * 4;
    uint down = (m + TILE_ROWS - 1) / TILE_ROWS, across = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    uint steps = (k + TILE_DEPTH - 1) / TILE_DEPTH;
    uint begin = (uint)get_group_id(0) * steps;
    uint number = whole + (uint)get_group_id(0);
    float sums[4][ITEM_COLUMNS];
    #pragma unroll
    for (uint y = 0; y < 4; y++)
        #pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j++)
            sums[y][j] = 0.0f;
    // Several parts are on their way at once: to wait for one after the other takes long.
    for (uint from = begin / share; from * share < begin + steps; from += AT_ONCE) {
        float values[AT_ONCE][4][ITEM_COLUMNS];
        #pragma unroll
        for (uint u = 0; u < AT_ONCE; u++) {
            // A work-group that began in the tile before has this tile's part second.
            uint part = (from + u) * 2 + ((from + u) * share < begin);
            size_t place = (size_t)part * (TILE_ROWS * TILE_COLUMNS) + i * ITEM_COLUMNS * WORK_ITEMS;
            bool exists = (from + u) * share < begin + steps;
            #pragma unroll
            for (uint y = 0; y < 4; y++)
                #pragma unroll
                for (uint j = 0; j < ITEM_COLUMNS; j++)
                    values[u][y][j] =
                        exists ? shares[place + (y * ITEM_COLUMNS + j) * WORK_ITEMS + item] : 0.0f;
        }
        #pragma unroll
        for (uint u = 0; u < AT_ONCE; u++)
            #pragma unroll
            for (uint y = 0; y < 4; y++)
                #pragma unroll
                for (uint j = 0; j < ITEM_COLUMNS; j++)
                    sums[y][j] += values[u][y][j];
    }
    size_t batch = number / (down * across);
    uint2 first = tile_of_group(number % (down * across), down, across);
    store_rows(c + batch * c_step, sums, i, stage, first, item, bias,
               RESIDUAL ? residual + batch * c_step : residual, m, n, inner, c_step);
}
#endif
