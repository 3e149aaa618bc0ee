// SPDX-License-Identifier: MIT
// Convolution with 3 x 3 filters and a stride of 1 on a CPU by Winograd's F(OUT x OUT, 3 x 3). A
// work-item is a work-group and takes blocks of up to 16·VECTORS tiles of OUT x OUT outputs: whole rows
// of tiles, over the ends of images. It transforms the windows of all channels of a block, multiplies
// them with the filters, one product for each of the IN·IN points, and transforms the sums back.
//   x        float, row-major (images, channels, size.x, size.y)
//   filters  float, row-major (IN·IN, rows, channels): winograd_filters.cl
//   y        float, row-major (images, rows, out.x, out.y)
//   scratch  float (work-items, IN·IN, channels + CHUNK, 16·VECTORS)
//   bias, residual  one value per filter, as many as y has; see common/epilogue.cl
//   tiles    rows and columns of tiles of an image; block_rows rows make a block
//   launch   global any, local 1
//   local    4·LINE bytes                      needs   OpenCL 1.2
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks", arXiv:1509.09308

#include "common/epilogue.cl"
#include "common/transpose.cl"
#include "conv/winograd_transforms.cl"

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

#define COLUMNS (16 * VECTORS)
#define POINTS (IN * IN)
// A line of windows has room for what whole vectors write past its end.
#define WIDTH (COLUMNS + 16)
// So few tiles are copied faster value by value.
#define NARROW 6

#define EVEN(a, b) (float16)(a.even, b.even)
#define ODD(a, b) (float16)(a.odd, b.odd)

// Takes a line apart: the values that 16 neighbouring tiles have in the same place lie side by side.
void split(local const float *restrict line, local float *restrict target) {
    float16 v0 = vload16(0, line), v1 = vload16(1, line);
    #if OUT == 2
    vstore16(EVEN(v0, v1), 0, target);
    vstore16(ODD(v0, v1), 0, target + WIDTH);
    v0 = vload16(0, line + 2);
    v1 = vload16(1, line + 2);
    vstore16(EVEN(v0, v1), 0, target + 2 * WIDTH);
    vstore16(ODD(v0, v1), 0, target + 3 * WIDTH);
    #else
    float16 v2 = vload16(2, line), v3 = vload16(3, line);
    float16 even0 = EVEN(v0, v1), even1 = EVEN(v2, v3), odd0 = ODD(v0, v1), odd1 = ODD(v2, v3);
    vstore16(EVEN(even0, even1), 0, target);
    vstore16(EVEN(odd0, odd1), 0, target + WIDTH);
    vstore16(ODD(even0, even1), 0, target + 2 * WIDTH);
    vstore16(ODD(odd0, odd1), 0, target + 3 * WIDTH);
    v0 = vload16(0, line + 4);
    v1 = vload16(1, line + 4);
    v2 = vload16(2, line + 4);
    v3 = vload16(3, line + 4);
    even0 = EVEN(v0, v1);
    even1 = EVEN(v2, v3);
    odd0 = ODD(v0, v1);
    odd1 = ODD(v2, v3);
    vstore16(EVEN(even0, even1), 0, target + 4 * WIDTH);
    vstore16(EVEN(odd0, odd1), 0, target + 5 * WIDTH);
    #endif
}

// Copies the windows of one row of tiles in one channel.
void gather(global const float *restrict plane, local float *restrict line,
            local float *restrict windows, int row, uint2 size, uint padding, uint tiles) {
    for (uint i = 0; i < IN; i++, row++, windows += IN * WIDTH) {
        if (row < 0 || row >= (int)size.x) {
            for (uint j = 0; j < IN; j++)
                for (uint tile = 0; tile < tiles; tile++)
                    windows[j * WIDTH + tile] = 0.0f;
            continue;
        }
        global const float *source = plane + (size_t)row * size.y;
        local float *middle = line + padding;
        for (uint at = 0; at + 16 <= size.y; at += 16)
            vstore16(vload16(0, source + at), 0, middle + at);
        if (size.y >= 16) {
            vstore16(vload16(0, source + size.y - 16), 0, middle + size.y - 16);
        } else {
            for (uint at = 0; at < size.y; at++)
                middle[at] = source[at];
        }
        if (tiles < NARROW) {
            for (uint tile = 0; tile < tiles; tile++)
                for (uint j = 0; j < IN; j++)
                    windows[j * WIDTH + tile] = line[tile * OUT + j];
        } else {
            // What goes past the end of the row, the next row overwrites.
            for (uint tile = 0; tile < tiles; tile += 16)
                split(line + tile * OUT, windows + tile);
        }
    }
}

void transform_windows(local const float *restrict windows, global float *restrict target,
                       size_t step) {
    for (uint vector = 0; vector < VECTORS; vector++) {
        float16 points[IN][IN];
        #pragma unroll
        for (uint j = 0; j < IN; j++) {
            float16 column[IN];
            #pragma unroll
            for (uint i = 0; i < IN; i++)
                column[i] = vload16(vector, windows + (i * IN + j) * WIDTH);
            transform_input(column);
            #pragma unroll
            for (uint i = 0; i < IN; i++)
                points[i][j] = column[i];
        }
        #pragma unroll
        for (uint i = 0; i < IN; i++) {
            transform_input(points[i]);
            #pragma unroll
            for (uint j = 0; j < IN; j++)
                vstore16(points[i][j], vector, target + (i * IN + j) * step);
        }
    }
}

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

// Turns the sums of one filter into OUT lines of outputs, those of neighbouring tiles side by side.
void transform_sums(global const float *restrict sums, local float *restrict lines) {
    for (uint vector = 0; vector < VECTORS; vector++) {
        float16 points[IN][IN];
        #pragma unroll
        for (uint i = 0; i < IN; i++) {
            #pragma unroll
            for (uint j = 0; j < IN; j++)
                points[i][j] = vload16(vector, sums + (i * IN + j) * CHUNK * COLUMNS);
            transform_output(points[i]);
        }
        #pragma unroll
        for (uint j = 0; j < OUT; j++) {
            float16 column[IN];
            #pragma unroll
            for (uint i = 0; i < IN; i++)
                column[i] = points[i][j];
            transform_output(column);
            #pragma unroll
            for (uint i = 0; i < OUT; i++)
                points[i][j] = column[i];
        }
        #pragma unroll
        for (uint i = 0; i < OUT; i++) {
            local float *line = lines + i * OUT * COLUMNS + vector * OUT * 16;
            #if OUT == 2
            vstore16(LOW_HALVES(points[i][0], points[i][1]), 0, line);
            vstore16(HIGH_HALVES(points[i][0], points[i][1]), 1, line);
            #else
            float16 even = LOW_HALVES(points[i][0], points[i][2]);
            float16 odd = LOW_HALVES(points[i][1], points[i][3]);
            vstore16(LOW_HALVES(even, odd), 0, line);
            vstore16(HIGH_HALVES(even, odd), 1, line);
            even = HIGH_HALVES(points[i][0], points[i][2]);
            odd = HIGH_HALVES(points[i][1], points[i][3]);
            vstore16(LOW_HALVES(even, odd), 2, line);
            vstore16(HIGH_HALVES(even, odd), 3, line);
            #endif
        }
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void winograd(global const float *restrict x, global const float *restrict filters,
              global float *restrict y, global float *restrict scratch, global const float *bias,
              global const float *residual, uint images, uint channels, uint rows, uint2 size,
              uint2 out, uint2 padding, uint2 tiles, uint block_rows) {
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
                for (uint row = first; row < last; row++) {
                    uint image = row / tiles.x, out_row = row % tiles.x * OUT;
                    for (uint i = 0; i < OUT && out_row + i < out.x; i++) {
                        size_t target =
                            (((size_t)image * rows + filter) * out.x + out_row + i) * out.y;
                        local const float *values =
                            lines + i * OUT * COLUMNS + (row - first) * tiles.y * OUT;
                        uint at = 0;
                        for (; at + 16 <= out.y; at += 16)
                            vstore16(finish16(vload16(0, values + at), bias, residual, filter, 0,
                                              target + at), 0, y + target + at);
                        for (; at < out.y; at++)
                            y[target + at] =
                                finish(values[at], bias, residual, filter, 0, target + at);
                    }
                }
            }
        }
    }
}
