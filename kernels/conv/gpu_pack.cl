// SPDX-License-Identifier: MIT
// Lays filters out as the tiles of rows that gpu_implicit_gemm.cl reads, one depth after the other.
//   weight   float, groups of filters, `group_step` values from one to the next
//   steps    int4 for each depth, a channel and a tap; its last value says how far that is into a
//            group's part of weight, to which each row adds `row_step`
//   packed   float (groups, ceil(rows / TILE_ROWS), depth, TILE_ROWS), zero where no row is
//   launch   global TILE_ROWS·ceil(rows / TILE_ROWS) x any x groups; any local size
//   local    none                               needs   OpenCL 1.2
//   source   none

#ifndef TILE_ROWS
#define TILE_ROWS 64
#endif

kernel void pack(global const float *restrict weight, global const int4 *restrict steps,
                 global float *restrict packed, uint rows, uint depth, uint group_step,
                 uint row_step) {
    size_t row = get_global_id(0);
    size_t group = get_global_id(2);
    size_t block = group * (get_global_size(0) / TILE_ROWS) + row / TILE_ROWS;
    packed += block * depth * TILE_ROWS + row % TILE_ROWS;
    weight += group * group_step + row * row_step;
    for (size_t z = get_global_id(1); z < depth; z += get_global_size(1))
        packed[z * TILE_ROWS] = row < rows ? weight[steps[z].w] : 0.0f;
}
