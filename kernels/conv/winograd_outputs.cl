// SPDX-License-Identifier: MIT
// Takes sums at the points back to outputs, for winograd.cl to include, whose macros it needs.
//   sums     float (IN·IN, CHUNK, COLUMNS), from the filter in hand on
//   lines    float (OUT, OUT·COLUMNS): lines of outputs of one filter, tile after tile
//   y        float, or half if RESULT_HALF, row-major (images, rows, out.x, out.y)
//   bias, residual: common/epilogue.cl
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks", arXiv:1509.09308

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

// Writes the lines of one filter where its rows of tiles lie in the images.
void write_outputs(local const float *restrict lines, global STORED(RESULT_HALF) *restrict y,
                   global const float *bias, global const float *residual, uint first, uint last,
                   uint rows, uint filter, uint2 out, uint2 tiles) {
    for (uint row = first; row < last; row++) {
        uint image = row / tiles.x, out_row = row % tiles.x * OUT;
        for (uint i = 0; i < OUT && out_row + i < out.x; i++) {
            size_t target = (((size_t)image * rows + filter) * out.x + out_row + i) * out.y;
            local const float *values = lines + i * OUT * COLUMNS + (row - first) * tiles.y * OUT;
            uint at = 0;
            for (; at + 16 <= out.y; at += 16)
                WRITE16(RESULT_HALF,
                        finish16(vload16(0, values + at), bias, residual, filter, 0, target + at),
                        y + target + at, 0);
            for (; at < out.y; at++)
                WRITE(RESULT_HALF, finish(values[at], bias, residual, filter, 0, target + at), y,
                      target + at);
        }
    }
}
