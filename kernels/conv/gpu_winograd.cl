// SPDX-License-Identifier: MIT
// The transforms of Winograd's convolutions F(4 x 4, 3 x 3) and F(2 x 2, 5 x 5) on a GPU, between
// which stand 36 matrix products, one for each point: `windows` before them, `outputs` after them;
// the gradient for the filters multiplies `gradients` with the windows. gpu_winograd_filters.cl has
// the rest.
//   x, dy, y  float (x and dy half if X_HALF, y if RESULT_HALF) (images, channels or rows, size)
//   points   float (36, channels or rows, images·tiles.x·tiles.y)
//   tiles    down and across, each OUT x OUT outputs; padding is what the windows start before 0
//   bias, residual  as common/epilogue.cl says; residual is laid out like y
//   launch   global at least images·tiles.x·tiles.y x channels or rows; any local size
//   local    none                               needs   OpenCL 1.2
//   source   Lavin & Gray 2016, "Fast algorithms for convolutional neural networks",
//            arXiv:1509.09308; products at 0, 1, -1, 2, -2 and infinity

#include "common/epilogue.cl"
#include "conv/gpu_winograd_maps.cl"

// 1 where x is stored in half.
#ifndef X_HALF
#define X_HALF 0
#endif

// Reads an n x n square of a plane, zero outside, into the corner of a 6 x 6 one.
void read_square(float *square, uint n, global const STORED(X_HALF) *plane, int2 corner,
                 uint2 size) {
    #pragma unroll
    for (uint i = 0; i < n; i++) {
        #pragma unroll
        for (uint j = 0; j < n; j++) {
            int2 at = corner + (int2)((int)i, (int)j);
            bool inside = (uint)at.x < size.x && (uint)at.y < size.y;
            square[6 * i + j] = inside ? READ(X_HALF, plane, at.x * (int)size.y + at.y) : 0.0f;
        }
    }
}

int2 tile_corner(uint tile, uint2 tiles) {
    return (int2)((int)(tile / tiles.y % tiles.x), (int)(tile % tiles.y)) * OUT;
}

kernel void windows(global const STORED(X_HALF) *restrict x, global float *restrict points, uint images,
                    uint channels, uint2 size, uint2 tiles, uint2 padding) {
    uint tile = (uint)get_global_id(0), channel = (uint)get_global_id(1);
    uint count = images * tiles.x * tiles.y;
    if (tile >= count)
        return;
    size_t plane = (size_t)(tile / (tiles.x * tiles.y)) * channels + channel;
    float square[36];
    read_square(square, 6, x + plane * size.x * size.y,
                tile_corner(tile, tiles) - convert_int2(padding), size);
    FOR_EACH_LINE(6) transform_window(square + 6 * line, 1);
    FOR_EACH_LINE(6) transform_window(square + line, 6);
    write_points(square, points + (size_t)channel * count + tile, (size_t)channels * count);
}

kernel void gradients(global const STORED(X_HALF) *restrict dy, global float *restrict points,
                      uint images, uint rows, uint2 size, uint2 tiles) {
    uint tile = (uint)get_global_id(0), row = (uint)get_global_id(1);
    uint count = images * tiles.x * tiles.y;
    if (tile >= count)
        return;
    size_t plane = (size_t)(tile / (tiles.x * tiles.y)) * rows + row;
    float square[36];
    read_square(square, OUT, dy + plane * size.x * size.y, tile_corner(tile, tiles), size);
    FOR_EACH_LINE(OUT) transform_gradient(square + 6 * line, 1);
    FOR_EACH_LINE(6) transform_gradient(square + line, 6);
    write_points(square, points + (size_t)row * count + tile, (size_t)rows * count);
}

kernel void outputs(global const float *restrict points, global STORED(RESULT_HALF) *restrict y,
                    global const float *bias, global const float *residual, uint images, uint rows,
                    uint2 size, uint2 tiles) {
    uint tile = (uint)get_global_id(0), row = (uint)get_global_id(1);
    uint count = images * tiles.x * tiles.y;
    if (tile >= count)
        return;
    float square[36];
    read_points(square, points + (size_t)row * count + tile, (size_t)rows * count);
    FOR_EACH_LINE(6) transform_output(square + line, 6);
    FOR_EACH_LINE(OUT) transform_output(square + 6 * line, 1);
    size_t plane = (size_t)(tile / (tiles.x * tiles.y)) * rows + row;
    uint2 corner = convert_uint2(tile_corner(tile, tiles));
    #pragma unroll
    for (uint i = 0; i < OUT; i++) {
        #pragma unroll
        for (uint j = 0; j < OUT; j++) {
            size_t index = (plane * size.x + corner.x + i) * size.y + corner.y + j;
            if (corner.x + i < size.x && corner.y + j < size.y) {
                float sum = finish(square[6 * i + j], bias, residual, row, 0, index);
                WRITE(RESULT_HALF, sum, y, index);
            }
        }
    }
}
