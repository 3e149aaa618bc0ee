// SPDX-License-Identifier: MIT
// A convolution's gradient for the filters on a GPU: the product of the outputs' gradient and a
// matrix of windows that exists only tile by tile; its long sum over all windows is split.
//   dy       float (images, groups·rows, outputs)
//   x        float, or half if X_HALF (images, groups·channels, x_size)
//   steps    int4 for each column, a channel and a tap: how far in x it reads from where a window
//            starts, and down and across
//   dw       SPLITS times float (groups, rows, columns), for tiled_sum.cl to add
//   stride   how far apart windows start in x; the first starts at 0
//   by_plane, by_line  what `divide` needs to divide by the windows of an image and of a line
//   launch   global tiles·WORK_ITEMS x groups·SPLITS, local WORK_ITEMS x 1, where tiles =
//            ceil(rows / TILE_ROWS)·ceil(columns / TILE_COLUMNS)
//   local    (TILE_ROWS + TILE_COLUMNS + 8)·TILE_DEPTH·4·BUFFERS bytes       needs   OpenCL 1.2
//   source   Chetlur et al. 2014, "cuDNN: Efficient Primitives for Deep Learning"; Granlund &
//            Montgomery 1994, "Division by invariant integers using multiplication"

#include "common/stored.cl"
#include "matmul/tiled_core.cl"

#ifndef SPLITS
#define SPLITS 1
#endif
// Windows per access of dy: 4 where an image has a multiple of 4.
#ifndef WIDTH_A
#define WIDTH_A 1
#endif
// 1 where x is stored in half.
#ifndef X_HALF
#define X_HALF 0
#endif

#define A_VECTORS (TILE_ROWS * TILE_DEPTH / WIDTH_A / WORK_ITEMS)
#define B_VALUES (TILE_COLUMNS * TILE_DEPTH / WORK_ITEMS)
#if TILE_ROWS * TILE_DEPTH != A_VECTORS * WIDTH_A * WORK_ITEMS
#error A tile of dy is not shared out evenly.
#endif
#if TILE_COLUMNS * TILE_DEPTH != B_VALUES * WORK_ITEMS
#error A tile of windows is not shared out evenly.
#endif

// Exact for numbers below 2^31.
uint divide(uint number, uint2 by) {
    return (mul_hi(number, by.x) + number) >> by.y;
}

kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
void weight_gradient(global const float *restrict dy, global const STORED(X_HALF) *restrict x,
                     global const int4 *restrict steps, global float *restrict dw, uint images,
                     uint channels, uint rows, uint columns, uint2 x_size, uint2 outputs,
                     uint2 stride, uint2 by_plane, uint2 by_line) {
    local float a_tiles[BUFFERS][TILE_DEPTH * A_LINE] __attribute__((aligned(16)));
    local float b_tiles[BUFFERS][TILE_DEPTH * B_LINE] __attribute__((aligned(16)));

    uint item = (uint)get_local_id(0);
    uint group = (uint)get_group_id(1) / SPLITS;
    uint split = (uint)get_group_id(1) % SPLITS;
    uint groups = (uint)get_num_groups(1) / SPLITS;
    uint pixels = outputs.x * outputs.y;
    uint windows = images * pixels;
    uint2 tile = tile_of_group((uint)get_group_id(0), (rows + TILE_ROWS - 1) / TILE_ROWS,
                               (columns + TILE_COLUMNS - 1) / TILE_COLUMNS);
    uint2 origin = item_origin(item);
    uint part = ((windows + TILE_DEPTH - 1) / TILE_DEPTH + SPLITS - 1) / SPLITS * TILE_DEPTH;
    uint begin = min(windows, split * part);
    uint end = min(windows, begin + part);

    // Rows and columns past the edge repeat the last ones: their sums are not stored.
    uint2 a_places[A_VECTORS], b_places[B_VALUES];
    size_t a_offsets[A_VECTORS];
    int4 b_steps[B_VALUES];
    #pragma unroll
    for (uint v = 0; v < A_VECTORS; v++) {
        a_places[v] = vector_place(item + v * WORK_ITEMS, TILE_ROWS, WIDTH_A, true);
        a_offsets[v] = (size_t)(group * rows + min(tile.x + a_places[v].x, rows - 1)) * pixels;
    }
    #pragma unroll
    for (uint v = 0; v < B_VALUES; v++) {
        b_places[v] = vector_place(item + v * WORK_ITEMS, TILE_COLUMNS, 1, true);
        b_steps[v] = steps[min(tile.y + b_places[v].x, columns - 1)];
    }
    size_t dy_step = (size_t)groups * rows * pixels;
    size_t plane = (size_t)x_size.x * x_size.y;
    size_t x_step = groups * channels * plane;
    x += group * channels * plane;

    float4 a_values[A_VECTORS];
    float b_values[B_VALUES];
    float sums[ITEM_ROWS][ITEM_COLUMNS];
    clear(sums);
    uint now = 0;
    // One round more than there are tiles: the first one only fetches.
    for (uint z = begin; z < end + TILE_DEPTH; z += TILE_DEPTH) {
        bool more = z < end;
        if (more) {
            #pragma unroll
            for (uint v = 0; v < A_VECTORS; v++) {
                uint window = z + a_places[v].y;
                uint image = divide(window, by_plane);
                global const float *source =
                    dy + image * dy_step + a_offsets[v] + (window - image * pixels);
                a_values[v] = 0.0f;
                if (window < end)
                    a_values[v] = load(source, WIDTH_A);
            }
            #pragma unroll
            for (uint v = 0; v < B_VALUES; v++) {
                uint window = z + b_places[v].y;
                uint image = divide(window, by_plane);
                uint pixel = window - image * pixels;
                uint line = divide(pixel, by_line);
                int2 place = convert_int2((uint2)(line, pixel - line * outputs.y) * stride);
                int2 there = place + (int2)(b_steps[v].y, b_steps[v].z);
                bool inside = (uint)there.x < x_size.x && (uint)there.y < x_size.y && window < end;
                int offset = place.x * (int)x_size.y + place.y + b_steps[v].x;
                b_values[v] = inside ? READ(X_HALF, x + image * x_step, offset) : 0.0f;
            }
        }
        if (z > begin)
            multiply_tiles(a_tiles[now], b_tiles[now], origin, sums);
        if (BUFFERS == 1)
            barrier(CLK_LOCAL_MEM_FENCE);
        now = (now + 1) % BUFFERS;
        if (more) {
            stash_tile(a_tiles[now], A_LINE, a_values, a_places, A_VECTORS, WIDTH_A, true);
            #pragma unroll
            for (uint v = 0; v < B_VALUES; v++)
                b_tiles[now][b_places[v].y * B_LINE + b_places[v].x] = b_values[v];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    dw += (split * groups + group) * (size_t)rows * columns;
    #pragma unroll
    for (uint i = 0; i < ITEM_ROWS; i++) {
        #pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j++) {
            uint row = tile.x + origin.x + ROW_OF(i);
            uint column = tile.y + origin.y + COLUMN_OF(j);
            if (row < rows && column < columns)
                dw[(size_t)row * columns + column] = sums[i][j];
        }
    }
}
