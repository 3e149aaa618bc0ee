// SPDX-License-Identifier: MIT
// C = A·B on a CPU: one work-item is a work-group and computes a tile of C. It copies a panel of B
// to where its vectors lie one after the other, and runs blocks of ROWS rows of A over it.
//   a        float, or half if A_HALF, row-major (m, k), or (k, m) if transpose_a
//   b        float, or half if B_HALF, row-major (k, n), or (n, k) if TRANSPOSE_B
//   c        float, or half if RESULT_HALF, row-major (m, n); half only where k is at most TILE_DEPTH,
//            for what is added up stays in float
//   batches  matrices to multiply; *_step values lie between one and the next (0 repeats one)
//   bias, residual  as common/epilogue.cl says; residual is laid out like c
//   launch   global ceil(n / (16·VECTORS))·tiles_down x 1: the tiles of a column share the rows, so
//            tiles_down may be anything from 1; batches beyond the second size are looped over;
//            local 1 x 1
//   local    64·VECTORS·TILE_DEPTH bytes       needs   OpenCL 1.2
//   source   Goto & van de Geijn 2008, "Anatomy of high-performance matrix multiplication"

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
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif

#ifndef A_HALF
#define A_HALF 0
#endif

// 1: while a panel is used, the lines of the next one are asked for. That takes a builtin of clang's:
// OpenCL's prefetch() is nothing to PoCL and halves the speed of Intel's runtime, as this does PoCL's.
#ifndef PREFETCH
#define PREFETCH 0
#endif

#if PREFETCH
#define ASK_FOR(pointer) __builtin_prefetch((void *)(size_t)(pointer), 0, 2)
#else
#define ASK_FOR(pointer) (void)(pointer)
#endif

#define PANEL_COLUMNS (16 * VECTORS)

#include "common/epilogue.cl"
#include "common/pack_panel.cl"

// Where a block of C lies, and which part of the whole sum is computed.
typedef struct {
    size_t row, column, index, stride;
    uint rows, columns;
    bool is_first, is_last;
} Block;

// Rows of A in half are copied as floats: each conversion serves a whole panel. Transposed, 16 of
// them lie side by side.
#if A_HALF
#include "common/widen.cl"
#define A_VALUES const float *
#if ROWS > 16
#error A line of transposed rows does not hold so many.
#endif
#else
#define A_VALUES global const float *
#endif

// Sets `sums` to ROWS rows of A times the panel. Rows from `rows` on do not exist: the last one is
// computed again in their place, which costs less than code of its own. The steps lie between values
// of A; one build serves both ways, for PoCL takes 0.4 s for another. Asks for a line of B at `ahead`,
// and one every `ahead_step` values from there, for each column of A.
void multiply(float16 sums[ROWS][VECTORS], A_VALUES restrict a,
              local const float *restrict panel, size_t row_step, size_t depth_step,
              uint depth, uint rows, global const STORED(B_HALF) *ahead, size_t ahead_step) {
    size_t row_of[ROWS];
    #pragma unroll
    for (uint i = 0; i < ROWS; i++) {
        row_of[i] = min(i, rows - 1) * row_step;
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            sums[i][j] = 0.0f;
    }
    for (uint z = 0; z < depth; z++) {
        float16 b_vectors[VECTORS];
        ASK_FOR(ahead + z * ahead_step);
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            b_vectors[j] = vload16(j, panel + z * PANEL_COLUMNS);
        #pragma unroll
        for (uint i = 0; i < ROWS; i++) {
            float a_value = a[row_of[i] + z * depth_step];
            #pragma unroll
            for (uint j = 0; j < VECTORS; j++)
                sums[i][j] += a_value * b_vectors[j];
        }
    }
}

// Writes the sums to C, or adds them to what earlier parts of K left there.
void store(float16 sums[ROWS][VECTORS], global STORED(RESULT_HALF) *restrict c, Block at,
           global const float *bias, global const float *residual) {
    float rest[ROWS * 16];
    #pragma unroll
    for (uint i = 0; i < ROWS; i++) {
        for (uint j = 0; j < VECTORS && i < at.rows; j++) {
            size_t row = at.row + i, column = at.column + 16 * j;
            size_t index = at.index + i * at.stride + 16 * j;
            if (at.columns >= 16 * (j + 1)) {
                float16 sum = at.is_first ? sums[i][j] : READ16(RESULT_HALF, c, index) + sums[i][j];
                sum = at.is_last ? finish16(sum, bias, residual, row, column, index) : sum;
                WRITE16(RESULT_HALF, sum, c, index);
            } else if (at.columns > 16 * j) {
                vstore16(sums[i][j], i, rest);
            }
        }
    }
    // Columns that fill no vector: one loop for all rows, for in place of each sum, PoCL would take a
    // third of its time to compile it.
    uint first = at.columns / 16 * 16;
    for (uint i = 0; i < at.rows; i++) {
        for (uint x = first; x < at.columns; x++) {
            size_t index = at.index + i * at.stride + x;
            float sum = rest[16 * i + x - first];
            if (!at.is_first)
                sum += READ(RESULT_HALF, c, index);
            sum = at.is_last ? finish(sum, bias, residual, at.row + i, at.column + x, index) : sum;
            WRITE(RESULT_HALF, sum, c, index);
        }
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void matmul(global const STORED(A_HALF) *restrict a, global const STORED(B_HALF) *restrict b,
            global STORED(RESULT_HALF) *restrict c, uint m, uint n, uint k, ulong batches,
            ulong a_step, ulong b_step, ulong c_step, global const float *bias,
            global const float *residual, uint transpose_a) {
    local float panel[TILE_DEPTH * PANEL_COLUMNS] __attribute__((aligned(64)));

    uint tiles_across = (n + PANEL_COLUMNS - 1) / PANEL_COLUMNS;
    uint tiles_down = (uint)get_num_groups(0) / tiles_across;
    // Whole blocks of rows: a tile with a few rows left over would pack B for them alone.
    uint tile_rows = ((m + tiles_down - 1) / tiles_down + ROWS - 1) / ROWS * ROWS;
    size_t first_row = get_group_id(0) / tiles_across * tile_rows;
    size_t first_column = get_group_id(0) % tiles_across * PANEL_COLUMNS;
    size_t last_row = min((size_t)m, first_row + tile_rows);
    uint columns = (uint)min((size_t)PANEL_COLUMNS, n - first_column);
    size_t row_step = transpose_a ? 1 : k, depth_step = transpose_a ? m : 1;

    for (size_t batch = get_global_id(1); batch < batches; batch += get_global_size(1)) {
        for (size_t z = 0; z < k && first_row < m; z += TILE_DEPTH) {
            uint depth = (uint)min((size_t)TILE_DEPTH, k - z);
            global const STORED(B_HALF) *b_matrix = b + batch * b_step;
            if (TRANSPOSE_B)
                pack_columns(b_matrix + first_column * k + z, panel, k, depth, columns);
            else
                pack_lines(b_matrix + z * n + first_column, panel, n, depth, columns);
            for (size_t row = first_row; row < last_row; row += ROWS) {
                uint rows = (uint)min((size_t)ROWS, last_row - row);
                // Each of the first blocks of rows asks for one of the next panel's vectors.
                size_t vector = (row - first_row) / ROWS;
                bool asks = !TRANSPOSE_B && vector < VECTORS && z + TILE_DEPTH < k;
                size_t ahead = asks ? (z + TILE_DEPTH) * n + first_column + 16 * vector : 0;
                float16 sums[ROWS][VECTORS];
                global const STORED(A_HALF) *a_rows =
                    a + batch * a_step + row * row_step + z * depth_step;
                #if A_HALF
                float lines[16 * TILE_DEPTH];
                uint line = transpose_a ? 16 : TILE_DEPTH;
                widen(a_rows, transpose_a ? m : k, lines, line, transpose_a ? depth : rows,
                      transpose_a ? (uint)min((size_t)16, m - row) : depth);
                multiply(sums, lines, panel, transpose_a ? 1 : line, transpose_a ? line : 1, depth,
                         rows, b_matrix + ahead, asks ? n : 0);
                #else
                multiply(sums, a_rows, panel, row_step, depth_step, depth, rows, b_matrix + ahead,
                         asks ? n : 0);
                #endif
                Block at = {row, first_column, batch * c_step + row * n + first_column, n, rows,
                            columns, z == 0, z + depth == k};
                store(sums, c, at, bias, residual);
            }
        }
    }
}
