// SPDX-License-Identifier: MIT
// Takes planes of images, or of gradients, to the 36 points of Winograd's F(3 x 3, 4 x 4), for kernels
// to include. 16 channels lie side by side, so that vectors are full whatever the size of the images.
//   planes   float, row-major (images, all_planes, size.x, size.y)
//   pixels   float (6 rows, 4·tiles.y + 2, 16): a row of tiles of 16 planes, with zeros around it
//   points   float (36, vectors of planes, capacity, 16), `step` between the points
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks", arXiv:1509.09308

#include "common/transpose.cl"
#include "conv/winograd_transforms.cl"
#include "conv/winograd_gradients.cl"

// Copies rows of up to 16 planes that are `step` apart, so that their values at a pixel are neighbours.
void gather(global const float *restrict planes, size_t step, uint valid, uint width, uint rows,
            local float *restrict target, uint line) {
    uint count = rows * width;
    for (uint at = 0; at < count; at += 16) {
        float values[16 * 16];
        if (count >= 16) {
            // What the last sixteen have in common with those before is copied twice.
            at = min(at, count - 16);
            float16 pixels[16];
            #pragma unroll
            for (uint i = 0; i < 16; i++)
                pixels[i] = vload16(0, planes + min(i, valid - 1) * step + at);
            transpose16(pixels);
            #pragma unroll
            for (uint i = 0; i < 16; i++)
                vstore16(pixels[i], i, values);
        } else {
            for (uint i = 0; i < 16; i++)
                for (uint j = 0; j < count; j++)
                    values[16 * j + i] = planes[min(i, valid - 1) * step + j];
        }
        uint row = at / width, column = at % width;
        for (uint j = 0; j < min(16u, count); j++) {
            vstore16(vload16(j, values), row * line + column, target);
            if (++column == width) {
                column = 0;
                row++;
            }
        }
    }
}

// Brings rows of planes into local memory, with zeros for those that lie outside.
void copy_rows(global const float *restrict planes, uint2 size, uint valid, int row, uint rows,
               local float *restrict target, uint line, uint left) {
    uint from = (uint)clamp(-row, 0, (int)rows);
    uint to = (uint)clamp((int)size.x - row, (int)from, (int)rows);
    for (uint i = 0; i < rows; i++) {
        if (i < from || i >= to) {
            for (uint j = 0; j < line; j++)
                vstore16((float16)0.0f, i * line + j, target);
        }
    }
    gather(planes + (size_t)(row + (int)from) * size.y, (size_t)size.x * size.y, valid, size.y,
           to - from, target + 16 * (from * line + left), line);
}

// Takes a row of tiles to the points: windows of 6 x 6 pixels, or gradients of 4 x 4.
void transform(local const float *restrict pixels, uint line, uint tiles, const bool gradient,
               global float *restrict target, size_t step) {
    const uint values = gradient ? 4 : 6;
    for (uint tile = 0; tile < tiles; tile++) {
        float16 points[6][6];
        #pragma unroll
        for (uint j = 0; j < values; j++) {
            float16 column[6];
            #pragma unroll
            for (uint i = 0; i < values; i++)
                column[i] = vload16(i * line + 4 * tile + j, pixels);
            if (gradient)
                transform_gradient(column);
            else
                transform_input(column);
            #pragma unroll
            for (uint i = 0; i < 6; i++)
                points[i][j] = column[i];
        }
        #pragma unroll
        for (uint i = 0; i < 6; i++) {
            if (gradient)
                transform_gradient(points[i]);
            else
                transform_input(points[i]);
            #pragma unroll
            for (uint j = 0; j < 6; j++)
                vstore16(points[i][j], tile, target + (i * 6 + j) * step);
        }
    }
}

// Takes a block of tiles to the points, 16 planes at a time.
void transform_block(global const float *restrict planes, uint first_plane, uint last_plane,
                     uint all_planes, uint2 size, uint first, uint last, uint2 tiles, uint2 padding,
                     const bool gradient, local float *restrict pixels, uint capacity,
                     global float *restrict points, size_t step) {
    uint line = 4 * tiles.y + 2;
    for (uint at = 0; at < 6 * line; at++)
        vstore16((float16)0.0f, at, pixels);
    for (uint plane = first_plane; plane < last_plane; plane += 16) {
        for (uint row = first; row < last; row++) {
            size_t image = row / tiles.x;
            copy_rows(planes + (image * all_planes + plane) * size.x * size.y, size,
                      min(16u, all_planes - plane), (int)(row % tiles.x * 4) - (int)padding.x,
                      gradient ? 4 : 6, pixels, line, padding.y);
            transform(pixels, line, tiles.y, gradient,
                      points + 16 * ((plane - first_plane) / 16 * capacity + (row - first) * tiles.y),
                      step);
        }
    }
}
