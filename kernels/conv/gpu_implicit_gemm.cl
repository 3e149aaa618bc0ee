// SPDX-License-Identifier: MIT
// A convolution, or its gradient for the images, on a GPU: the product of the filters and a matrix
// of windows that exists only tile by tile, in local memory.
//   filters  float, as gpu_pack.cl lays them out
//   x        float, or half if X_HALF (images, groups·channels, x_size)
//   steps    int4 for each depth, a channel and a tap: how far in x it reads from where a window
//            starts, and down and across; each sum's depth is padded to TILE_DEPTH with reads far
//            outside
//   sums     uint8 for each sum, of which a strided convolution's gradient has several: its first
//            tile, its first depth, its depth, windows down and across (the first starts at 0), where
//            in y the result of the first window lies, down and across, and 0
//   y        float, or half if RESULT_HALF (images, groups·rows, y_size); SPLITS of them in float,
//            for tiled_sum.cl to add
//   stride   how far apart in x neighbouring windows start
//   spread   how far apart in y their results lie
//   bias, residual  as common/epilogue.cl says; residual is laid out like y
//   launch   global tiles·WORK_ITEMS x groups·SPLITS, local WORK_ITEMS x 1, where each sum has
//            ceil(rows / TILE_ROWS)·ceil(images·windows / TILE_COLUMNS) tiles
//   local    (TILE_ROWS + TILE_COLUMNS + 8)·TILE_DEPTH·4·BUFFERS bytes       needs   OpenCL 1.2
//   source   Chetlur et al. 2014, "cuDNN: Efficient Primitives for Deep Learning"

#include "common/epilogue.cl"
#include "matmul/tiled_core.cl"

// Parts of the depth that are summed apart, so that few outputs keep a large device busy.
#ifndef SPLITS
#define SPLITS 1
#endif
// 4 where four neighbouring windows lie in one image and their results side by side.
#ifndef WIDTH_C
#define WIDTH_C 1
#endif
// 1 where x is stored in half.
#ifndef X_HALF
#define X_HALF 0
#endif

#define A_TILE_VECTORS (TILE_ROWS * TILE_DEPTH / 4)
#define A_VECTORS ((A_TILE_VECTORS + WORK_ITEMS - 1) / WORK_ITEMS)
#define B_VALUES (TILE_COLUMNS * TILE_DEPTH / WORK_ITEMS)
#if TILE_COLUMNS * TILE_DEPTH != B_VALUES * WORK_ITEMS
#error A tile of windows is not shared out evenly.
#endif
// Columns of the tile that one work-item loads, always the same ones.
#define POSITIONS (TILE_COLUMNS > WORK_ITEMS ? TILE_COLUMNS / WORK_ITEMS : 1)

// Splits a window's number into image, row and column.
uint3 window_at(uint number, uint2 outputs) {
    uint row = number / outputs.y;
    return (uint3)(row / outputs.x, row % outputs.x, number % outputs.y);
}

kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
void implicit_gemm(global const float *restrict filters, global const STORED(X_HALF) *restrict x,
                   global const int4 *restrict steps, global const uint8 *restrict sums_of_y,
                   global STORED(RESULT_HALF) *restrict y, global const float *bias,
                   global const float *residual, uint images, uint channels, uint rows, uint count,
                   uint all_depth, uint2 x_size, uint2 y_size, uint2 stride, uint2 spread) {
    local float a_tiles[BUFFERS][TILE_DEPTH * A_LINE] __attribute__((aligned(16)));
    local float b_tiles[BUFFERS][TILE_DEPTH * B_LINE] __attribute__((aligned(16)));

    uint item = (uint)get_local_id(0);
    uint group = (uint)get_group_id(1) / SPLITS;
    uint split = (uint)get_group_id(1) % SPLITS;
    uint groups = (uint)get_num_groups(1) / SPLITS;
    uint own = 0;
    while (own + 1 < count && sums_of_y[own + 1].s0 <= (uint)get_group_id(0))
        own++;
    uint8 sum = sums_of_y[own];
    uint depth = sum.s2;
    uint2 outputs = sum.s34, first = sum.s56;
    uint windows = images * outputs.x * outputs.y;
    uint blocks = (rows + TILE_ROWS - 1) / TILE_ROWS;
    uint2 tile = tile_of_group((uint)get_group_id(0) - sum.s0, blocks,
                               (windows + TILE_COLUMNS - 1) / TILE_COLUMNS);
    uint2 origin = item_origin(item);

    uint part = (depth / TILE_DEPTH + SPLITS - 1) / SPLITS * TILE_DEPTH;
    uint begin = min(depth, split * part);
    uint end = min(depth, begin + part);
    global const float4 *a_next = (global const float4 *)(global const void *)(
        filters +
        ((size_t)(group * blocks + tile.x / TILE_ROWS) * all_depth + sum.s1 + begin) * TILE_ROWS);
    steps += sum.s1 + begin;

    size_t plane = (size_t)x_size.x * x_size.y;
    global const STORED(X_HALF) *starts[POSITIONS];
    int2 places[POSITIONS];
    #pragma unroll
    for (uint i = 0; i < POSITIONS; i++) {
        uint number = tile.y + (item + i * WORK_ITEMS) % TILE_COLUMNS;
        uint3 window = window_at(min(number, windows - 1), outputs);
        places[i] = convert_int2(window.yz * stride);
        starts[i] = x + ((size_t)window.x * groups + group) * channels * plane +
                    (size_t)places[i].x * x_size.y + places[i].y;
    }

    float4 a_values[A_VECTORS];
    float b_values[B_VALUES];
    float sums[ITEM_ROWS][ITEM_COLUMNS];
    clear(sums);
    uint now = 0;
    // One round more than there are tiles: the first one only fetches.
    for (uint z = begin; z <= end; z += TILE_DEPTH) {
        bool more = z < end;
        if (more) {
            #pragma unroll
            for (uint v = 0; v < A_VECTORS; v++)
                if (item + v * WORK_ITEMS < A_TILE_VECTORS)
                    a_values[v] = a_next[item + v * WORK_ITEMS];
            #pragma unroll
            for (uint v = 0; v < B_VALUES; v++) {
                int4 step = steps[(item + v * WORK_ITEMS) / TILE_COLUMNS];
                int2 place = places[v % POSITIONS];
                bool inside = (uint)(place.x + step.y) < x_size.x &&
                              (uint)(place.y + step.z) < x_size.y;
                b_values[v] = inside ? READ(X_HALF, starts[v % POSITIONS], step.x) : 0.0f;
            }
            a_next += A_TILE_VECTORS;
            steps += TILE_DEPTH;
        }
        if (z > begin)
            multiply_tiles(a_tiles[now], b_tiles[now], origin, sums);
        if (BUFFERS == 1)
            barrier(CLK_LOCAL_MEM_FENCE);
        now = (now + 1) % BUFFERS;
        if (more) {
            #pragma unroll
            for (uint v = 0; v < A_VECTORS; v++) {
                uint2 at = vector_place(item + v * WORK_ITEMS, TILE_ROWS, 4, false);
                if (item + v * WORK_ITEMS < A_TILE_VECTORS)
                    stash_tile(a_tiles[now], A_LINE, a_values + v, &at, 1, 4, false);
            }
            #pragma unroll
            for (uint v = 0; v < B_VALUES; v++) {
                uint number = item + v * WORK_ITEMS;
                b_tiles[now][number / TILE_COLUMNS * B_LINE + number % TILE_COLUMNS] = b_values[v];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    size_t y_plane = (size_t)y_size.x * y_size.y;
    y += (size_t)split * images * groups * rows * y_plane;
    #pragma unroll
    for (uint j = 0; j < ITEM_COLUMNS; j += WIDTH_C) {
        uint number = tile.y + origin.y + COLUMN_OF(j);
        uint3 window = window_at(number, outputs);
        size_t start = ((size_t)window.x * groups + group) * rows * y_plane +
                       (window.y * spread.x + first.x) * y_size.y + window.z * spread.y + first.y;
        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i++) {
            uint row = tile.x + origin.x + ROW_OF(i);
            size_t index = start + row * y_plane;
            if (number >= windows || row >= rows)
                break;
            float values[WIDTH_C];
            #pragma unroll
            for (uint w = 0; w < WIDTH_C; w++)
                values[w] =
                    finish(sums[i][j + w], bias, residual, group * rows + row, 0, index + w);
            #if WIDTH_C == 4
            WRITE4(RESULT_HALF, (float4)(values[0], values[1], values[2], values[3]), y, index);
            #else
            WRITE(RESULT_HALF, values[0], y, index);
            #endif
        }
    }
}
