// SPDX-License-Identifier: MIT
// Takes windows of IN x IN pixels to the points, 16 neighbouring tiles side by side, for winograd.cl
// to include, whose macros it needs.
//   plane    float, or half if X_HALF, row-major (size.x, size.y): a channel of an image
//   line     float (LINE): zeros around a row of the plane
//   windows  float (IN, IN, WIDTH), a block of tiles in one channel
//   target   float (IN·IN points that lie `step` apart, COLUMNS)
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks", arXiv:1509.09308

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
void gather(global const STORED(X_HALF) *restrict plane, local float *restrict line,
            local float *restrict windows, int row, uint2 size, uint padding, uint tiles) {
    for (uint i = 0; i < IN; i++, row++, windows += IN * WIDTH) {
        if (row < 0 || row >= (int)size.x) {
            for (uint j = 0; j < IN; j++)
                for (uint tile = 0; tile < tiles; tile++)
                    windows[j * WIDTH + tile] = 0.0f;
            continue;
        }
        global const STORED(X_HALF) *source = plane + (size_t)row * size.y;
        local float *middle = line + padding;
        for (uint at = 0; at + 16 <= size.y; at += 16)
            vstore16(READ16(X_HALF, source, at), 0, middle + at);
        if (size.y >= 16) {
            vstore16(READ16(X_HALF, source + size.y - 16, 0), 0, middle + size.y - 16);
        } else {
            for (uint at = 0; at < size.y; at++)
                middle[at] = READ(X_HALF, source, at);
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
