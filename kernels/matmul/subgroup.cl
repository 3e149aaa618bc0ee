// SPDX-License-Identifier: MIT
// C = A·B on an Intel GPU without local memory: a sub-group computes ITEM_ROWS x SUB_GROUP·4
// of C. Block reads bring a row of B, a value of A lies in each lane and reaches the others as an
// operand of the multiply-add itself. No loop surrounds all of this: what a compiler would compute
// before it costs registers.
//   a        float, row-major (m, k), or (k, m) if TRANSPOSE_A
//   b        float, row-major (k, n), or (n, k) if TRANSPOSE_B, which is read column by column
//   c        float, row-major (m, n)
//   batches  matrices to multiply; *_step values lie between one and the next (0 repeats one)
//   bias, residual  as common/epilogue.cl says; residual is laid out like c
//   launch   global tiles·WORK_ITEMS x batches, local WORK_ITEMS x 1,
//            where tiles = ceil(m / TILE_ROWS)·ceil(n / TILE_COLUMNS)
//   local    none
//   needs    cl_intel_subgroups, cl_intel_required_subgroup_size with a sub-group of SUB_GROUP
//   source   Intel 2018, cl_intel_subgroups version 7

#ifndef cl_intel_subgroups
#error This device has no cl_intel_subgroups.
#endif
#pragma OPENCL EXTENSION cl_intel_subgroups : enable

#include "common/epilogue.cl"

#ifndef TRANSPOSE_A
#define TRANSPOSE_A 0
#endif
#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif
// Lanes that exchange values, and so the depth of a step; 8 does not exist on Xe2 and newer.
#ifndef SUB_GROUP
#define SUB_GROUP 8
#endif
#ifndef ITEM_ROWS
#define ITEM_ROWS 16
#endif
// Sub-groups below each other, which read the same part of B.
#ifndef SUB_GROUPS
#define SUB_GROUPS 4
#endif

#define WORK_ITEMS (SUB_GROUP * SUB_GROUPS)
#define TILE_ROWS (ITEM_ROWS * SUB_GROUPS)
#define TILE_COLUMNS (SUB_GROUP * 4)
#define ROWS_OF_LANE ((ITEM_ROWS + SUB_GROUP - 1) / SUB_GROUP)

float block_read(global const float *source) {
    return as_float(intel_sub_group_block_read((global const uint *)source));
}

float4 block_read4(global const float *source) {
    return as_float4(intel_sub_group_block_read4((global const uint *)source));
}

// Four values of a row of B for each lane, SUB_GROUP apart. Columns past the edge repeat the last one,
// and so do rows of A: their sums are not stored.
float4 read_b(global const float *b, uint column, uint z, uint n, uint k) {
    float values[4];
    #pragma unroll
    for (uint j = 0; j < 4; j++) {
        size_t x = min(column + j * SUB_GROUP + get_sub_group_local_id(), n - 1);
        values[j] = b[TRANSPOSE_B ? x * k + z : (size_t)z * n + x];
    }
    return (float4)(values[0], values[1], values[2], values[3]);
}

kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
__attribute__((intel_reqd_sub_group_size(SUB_GROUP)))
void matmul(global const float *restrict a, global const float *restrict b,
            global float *restrict c, uint m, uint n, uint k, ulong batches, ulong a_step,
            ulong b_step, ulong c_step, global const float *bias, global const float *residual) {
    uint lane = get_sub_group_local_id();
    uint tiles_across = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    // The shuffle tells the compiler that the row is the same in all lanes.
    uint row = (uint)get_group_id(0) / tiles_across * TILE_ROWS +
               intel_sub_group_shuffle(get_sub_group_id(), 0) * ITEM_ROWS;
    uint column = (uint)get_group_id(0) % tiles_across * TILE_COLUMNS;
    bool is_inside = row + ITEM_ROWS <= m && column + TILE_COLUMNS <= n;
    size_t batch = get_global_id(1);
    global const float *a_now = a + batch * a_step;
    global const float *b_now = b + batch * b_step;
    float4 sums[ITEM_ROWS];
    #pragma unroll
    for (uint i = 0; i < ITEM_ROWS; i++)
        sums[i] = 0.0f;
    uint depth = 0;
    for (; is_inside && depth + SUB_GROUP <= k; depth += SUB_GROUP) {
        float a_values[ITEM_ROWS];
        global const float *next =
            a_now + (TRANSPOSE_A ? (size_t)(depth + lane) * m + row : (size_t)row * k + depth);
        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i++) {
            a_values[i] = TRANSPOSE_A ? next[i] : block_read(next);
            next += TRANSPOSE_A ? 0 : k;
        }
        #pragma unroll
        for (uint z = 0; z < SUB_GROUP; z++) {
            float4 b_values = TRANSPOSE_B ? read_b(b_now, column, depth + z, n, k)
                                          : block_read4(b_now + (size_t)(depth + z) * n + column);
            #pragma unroll
            for (uint i = 0; i < ITEM_ROWS; i++)
                sums[i] = fma(intel_sub_group_shuffle(a_values[i], z), b_values, sums[i]);
        }
    }
    // The rest of the depth, and all of it at the edges: each lane reads A for one row, or two.
    #pragma unroll 1
    for (; depth < k; depth++) {
        float a_values[ROWS_OF_LANE];
        #pragma unroll
        for (uint i = 0; i < ROWS_OF_LANE; i++) {
            size_t line = min(row + i * SUB_GROUP + lane, m - 1);
            a_values[i] = a_now[TRANSPOSE_A ? (size_t)depth * m + line : line * k + depth];
        }
        float4 b_values = read_b(b_now, column, depth, n, k);
        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i++) {
            float a_value = intel_sub_group_shuffle(a_values[i / SUB_GROUP], i % SUB_GROUP);
            sums[i] = fma(a_value, b_values, sums[i]);
        }
    }
    #pragma unroll
    for (uint i = 0; i < ITEM_ROWS; i++) {
        float of_row[4] = {sums[i].x, sums[i].y, sums[i].z, sums[i].w};
        #pragma unroll
        for (uint j = 0; j < 4; j++) {
            uint x = column + j * SUB_GROUP + lane;
            size_t index = batch * c_step + (size_t)(row + i) * n + x;
            if (row + i < m && x < n)
                c[index] = finish(of_row[j], bias, residual, row + i, x, index);
        }
    }
}
