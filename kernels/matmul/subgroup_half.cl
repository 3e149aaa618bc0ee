// SPDX-License-Identifier: MIT
// C = A·B of halves on an Intel GPU, multiplied in half precision at twice the rate of float: a
// sub-group computes ITEM_ROWS x 16·ITEM_COLUMNS of C without local memory, as subgroup.cl does.
// CHAIN products are added up in half, by multiply-adds, before they go to a sum in float: each may
// be off by CHAIN / 2048 of its terms, and none may exceed 65504.
//   a        half, row-major (m, k); k and n are even, for block reads begin at multiples of four bytes
//   b        half, row-major (k, n), or (n, k) if TRANSPOSE_B, of which each lane reads columns
//   c        float, or half if RESULT_HALF, row-major (m, n)
//   batches  matrices to multiply; *_step values lie between one and the next (0 repeats one)
//   bias, residual  as common/epilogue.cl says; residual is laid out like c
//   launch   global tiles·WORK_ITEMS x batches, local WORK_ITEMS x 1,
//            where tiles = ceil(m / TILE_ROWS)·ceil(n / TILE_COLUMNS)
//   local    none
//   needs    cl_khr_fp16, cl_intel_subgroups_short, cl_intel_required_subgroup_size
//   source   Intel 2018, cl_intel_subgroups_short version 2

#ifndef cl_intel_subgroups_short
#error This device has no cl_intel_subgroups_short.
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable

#include "common/epilogue.cl"

#ifndef TRANSPOSE_B
#define TRANSPOSE_B 0
#endif
// Registers hold 16 halves: with 8 lanes half of them would lie idle.
#define SUB_GROUP 16
// Two columns for each lane, which one block read brings.
#define ITEM_COLUMNS 2
// 12 rows fit the registers, and 8 beside columns of B.
#ifndef ITEM_ROWS
#define ITEM_ROWS 8
#endif
// Sub-groups below each other, which read the same part of B.
#ifndef SUB_GROUPS
#define SUB_GROUPS 4
#endif
#ifndef CHAIN
#define CHAIN 16
#endif

#define WORK_ITEMS (SUB_GROUP * SUB_GROUPS)
#define TILE_ROWS (ITEM_ROWS * SUB_GROUPS)
#define TILE_COLUMNS (SUB_GROUP * ITEM_COLUMNS)

// The value of a lane among 16 that lie together.
half read_line(global const half *source) {
    return as_half(intel_sub_group_block_read_us((global const ushort *)source));
}

// The same of twice 16.
half2 read_lines(global const half *source) {
    return as_half2(intel_sub_group_block_read_us2((global const ushort *)source));
}

// The next eight values of a column of B for this lane; 16 would not fit the registers of Gen9.
half8 read_column(global const half *source) {
    return as_half8(vload4(0, (global const uint *)(global const void *)source));
}

kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
__attribute__((intel_reqd_sub_group_size(SUB_GROUP)))
void matmul(global const half *restrict a, global const half *restrict b,
            global STORED(RESULT_HALF) *restrict c, uint m, uint n, uint k, ulong batches,
            ulong a_step, ulong b_step, ulong c_step, global const float *bias,
            global const float *residual) {
    uint lane = get_sub_group_local_id();
    uint tiles_across = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    // The shuffle tells the compiler that the row is the same in all lanes.
    uint row = (uint)get_group_id(0) / tiles_across * TILE_ROWS +
               intel_sub_group_shuffle(get_sub_group_id(), 0) * ITEM_ROWS;
    uint column = (uint)get_group_id(0) % tiles_across * TILE_COLUMNS;
    bool is_inside = row + ITEM_ROWS <= m && column + TILE_COLUMNS <= n;
    size_t batch = get_global_id(1);
    global const half *a_now = a + batch * a_step;
    global const half *b_now = b + batch * b_step;
    float2 sums[ITEM_ROWS];
    #pragma unroll
    for (uint i = 0; i < ITEM_ROWS; i++)
        sums[i] = 0.0f;
    uint depth = 0;
    for (; is_inside && depth + SUB_GROUP <= k; depth += SUB_GROUP) {
        // Each lane holds its depth of every row.
        half a_values[ITEM_ROWS];
        global const half *a_next = a_now + (size_t)row * k + depth;
        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i++) {
            a_values[i] = read_line(a_next);
            a_next += k;
        }
        half2 parts[ITEM_ROWS];
        #if TRANSPOSE_B
        global const half *b_next = b_now + (size_t)(column + lane) * k + depth;
        half b_columns[ITEM_COLUMNS][8];
        #else
        global const half *b_next = b_now + (size_t)depth * n + column;
        #endif
        #pragma unroll
        for (uint z = 0; z < SUB_GROUP; z++) {
            #if TRANSPOSE_B
            if (z % 8 == 0) {
                vstore8(read_column(b_next + z), 0, b_columns[0]);
                vstore8(read_column(b_next + (size_t)SUB_GROUP * k + z), 0, b_columns[1]);
            }
            half2 b_values = (half2)(b_columns[0][z % 8], b_columns[1][z % 8]);
            #else
            half2 b_values = read_lines(b_next);
            b_next += n;
            #endif
            #pragma unroll
            for (uint i = 0; i < ITEM_ROWS; i++) {
                half a_value = intel_sub_group_shuffle(a_values[i], z);
                parts[i] = z % CHAIN == 0 ? a_value * b_values : fma(a_value, b_values, parts[i]);
                if (z % CHAIN == CHAIN - 1)
                    sums[i] += convert_float2(parts[i]);
            }
        }
    }
    // The rest of the depth, and all of it at the edges, in float. Columns past the edge repeat the
    // last one, and so do rows of A: their sums are not stored.
    #pragma unroll 1
    for (; depth < k; depth++) {
        size_t line = min(row + min(lane, (uint)ITEM_ROWS - 1), m - 1);
        float a_value = vload_half(line * k + depth, a_now);
        float b_pair[ITEM_COLUMNS];
        #pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j++) {
            size_t x = min(column + j * SUB_GROUP + lane, n - 1);
            b_pair[j] = vload_half(TRANSPOSE_B ? x * k + depth : (size_t)depth * n + x, b_now);
        }
        float2 b_values = (float2)(b_pair[0], b_pair[1]);
        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i++)
            sums[i] = fma(intel_sub_group_shuffle(a_value, i), b_values, sums[i]);
    }
    #pragma unroll
    for (uint i = 0; i < ITEM_ROWS; i++) {
        float of_row[ITEM_COLUMNS] = {sums[i].x, sums[i].y};
        #pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j++) {
            uint x = column + j * SUB_GROUP + lane;
            size_t index = batch * c_step + (size_t)(row + i) * n + x;
            if (row + i < m && x < n)
                WRITE(RESULT_HALF, finish(of_row[j], bias, residual, row + i, x, index), c, index);
        }
    }
}
