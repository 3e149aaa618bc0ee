// SPDX-License-Identifier: MIT
// Convolution with 3 x 3 filters and a stride of 1 on a CPU by Winograd's F(OUT x OUT, 3 x 3). A
// work-item is a work-group and takes blocks of up to 16·VECTORS tiles of OUT x OUT outputs: whole rows
// of tiles, over the ends of images. It transforms the windows of all channels of a block, multiplies
// them with the filters, one product for each of the IN·IN points, and transforms the sums back.
//   x        float, or half if X_HALF, row-major (images, channels, size.x, size.y)
//   filters  float, row-major (IN·IN, rows, channels): winograd_filters.cl
//   y        float, or half if RESULT_HALF, row-major (images, rows, out.x, out.y)
//   scratch  float (work-items, IN·IN, channels + CHUNK, 16·VECTORS)
//   bias, residual  one value per filter, as many as y has; see common/epilogue.cl
//   tiles    rows and columns of tiles of an image; block_rows rows make a block
//   launch   global any, local 1
//   local    4·LINE bytes                      needs   OpenCL 1.2
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks", arXiv:1509.09308

#ifndef ROWS
#define ROWS 6
#endif
#ifndef VECTORS
#define VECTORS 4
#endif
// Filters whose sums are kept before they are transformed back, a multiple of ROWS.
#ifndef CHUNK
#define CHUNK 48
#endif
// Floats of a line of the image with the zeros around it.
#ifndef LINE
#define LINE 1024
#endif
// 1 where x is stored in half.
#ifndef X_HALF
#define X_HALF 0
#endif

#define COLUMNS (16 * VECTORS)
#define POINTS (IN * IN)
// A line of windows has room for what whole vectors write past its end.
#define WIDTH (COLUMNS + 16)

#include "common/epilogue.cl"
#include "common/transpose.cl"
#include "conv/winograd_transforms.cl"
#include "conv/winograd_windows.cl"
#include "conv/winograd_outputs.cl"

// Products of ROWS filters, of which `valid` exist, with all windows of a block at one point.
void multiply(global const float *restrict filter, global const float *restrict windows,
              global float *restrict sums_out, uint channels, uint valid) {
    float16 sums[ROWS][VECTORS];
    uint row_of[ROWS];
    #pragma unroll
    for (uint i = 0; i < ROWS; i++) {
        row_of[i] = min(i, valid - 1) * channels;
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            sums[i][j] = 0.0f;
    }
    for (uint channel = 0; channel < channels; channel++) {
        float16 vectors[VECTORS];
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            vectors[j] = vload16(j, windows + channel * COLUMNS);
        #pragma unroll
        for (uint i = 0; i < ROWS; i++) {
            #pragma unroll
            for (uint j = 0; j < VECTORS; j++)
                sums[i][j] += filter[row_of[i] + channel] * vectors[j];
        }
    }
    #pragma unroll
    for (uint i = 0; i < ROWS; i++)
        #pragma unroll
        for (uint j = 0; j < VECTORS; j++)
            vstore16(sums[i][j], i * VECTORS + j, sums_out);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void winograd(global const STORED(X_HALF) *restrict x, global const float *restrict filters,
              global STORED(RESULT_HALF) *restrict y, global float *restrict scratch,
              global const float *bias, global const float *residual, uint images, uint channels,
              uint rows, uint2 size, uint2 out, uint2 padding, uint2 tiles, uint block_rows) {
    local float line[LINE], windows[POINTS * WIDTH] __attribute__((aligned(64)));
    local float lines[OUT * OUT * COLUMNS] __attribute__((aligned(64)));

    size_t step = (size_t)channels * COLUMNS;
    global float *points =
        scratch + get_group_id(0) * POINTS * (size_t)(channels + CHUNK) * COLUMNS;
    global float *sums = points + POINTS * step;
    for (uint at = 0; at < LINE; at++)
        line[at] = 0.0f;
    for (uint at = 0; at < POINTS * WIDTH; at++)
        windows[at] = 0.0f;

    uint all_rows = images * tiles.x;
    for (uint first = (uint)get_group_id(0) * block_rows; first < all_rows;
         first += (uint)get_num_groups(0) * block_rows) {
        uint last = min(all_rows, first + block_rows);
        for (uint channel = 0; channel < channels; channel++) {
            for (uint row = first; row < last; row++) {
                size_t image = row / tiles.x;
                gather(x + (image * channels + channel) * size.x * size.y, line,
                       windows + (row - first) * tiles.y,
                       (int)(row % tiles.x * OUT) - (int)padding.x, size, padding.y, tiles.y);
            }
            transform_windows(windows, points + channel * COLUMNS, step);
        }
        for (uint chunk = 0; chunk < rows; chunk += CHUNK) {
            uint chunk_end = min(rows, chunk + CHUNK);
            for (uint point = 0; point < POINTS; point++)
                for (uint row = chunk; row < chunk_end; row += ROWS)
                    multiply(filters + ((size_t)point * rows + row) * channels,
                             points + point * step,
                             sums + (size_t)(point * CHUNK + row - chunk) * COLUMNS, channels,
                             rows - row);
            for (uint filter = chunk; filter < chunk_end; filter++) {
                transform_sums(sums + (filter - chunk) * COLUMNS, lines);
                write_outputs(lines, y, bias, residual, first, last, rows, filter, out, tiles);
            }
        }
    }
}
