// SPDX-License-Identifier: MIT
// C = A·B on an Intel GPU without local memory: a sub-group computes ITEM_ROWS x SUB_GROUP·VECTORS
// of C. Block reads bring a row of B, a value of A lies in each lane and reaches the others as an
// operand of the multiply-add itself.
//   a        float, row-major (m, k), or (k, m) if TRANSPOSE_A
//   b        float, row-major (k, n), or (n, k) if TRANSPOSE_B, which is read column by column
//   c        float, row-major (m, n)
//   batches  matrices to multiply; *_step values lie between one and the next (0 repeats one)
//   bias, residual  as common/epilogue.cl says; residual is laid out like c
//   launch   global tiles·WORK_ITEMS x 1, where tiles = ceil(m / TILE_ROWS)·ceil(n / TILE_COLUMNS),
//            local WORK_ITEMS x 1; batches beyond the second size are looped over
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
// Columns of a work-item, SUB_GROUP apart: with ITEM_ROWS of them all sums stay in registers.
#ifndef VECTORS
#define VECTORS 4
#endif
// Sub-groups below each other, which read the same part of B.
#ifndef SUB_GROUPS
#define SUB_GROUPS 4
#endif

#define WORK_ITEMS (SUB_GROUP * SUB_GROUPS)
#define TILE_ROWS (ITEM_ROWS * SUB_GROUPS)
#define TILE_COLUMNS (SUB_GROUP * VECTORS)

float block_read(global const float *source) {
    return as_float(intel_sub_group_block_read((const global uint *)source));
}

// One value of depth per lane, for each row; past the edge, zero along the depth and any along rows.
void read_a(float values[ITEM_ROWS], global const float *a, uint row, uint depth, uint m, uint k) {
    uint z = depth + get_sub_group_local_id();
    #pragma unroll
    for (uint i = 0; i < ITEM_ROWS; i++) {
        size_t line = min(row + i, m - 1);
        if (!TRANSPOSE_A && depth + SUB_GROUP <= k)
            values[i] = block_read(a + line * k + depth);
        else
            values[i] = z < k ? a[TRANSPOSE_A ? (size_t)z * m + line : line * k + z] : 0.0f;
    }
}

void read_b(float values[VECTORS], global const float *b, uint column, uint z, uint n, uint k) {
    #pragma unroll
    for (uint j = 0; j < VECTORS; j++) {
        uint first = column + j * SUB_GROUP;
        uint x = min(first + get_sub_group_local_id(), n - 1);
        uint line = min(z, k - 1);
        if (!TRANSPOSE_B && first + SUB_GROUP <= n)
            values[j] = block_read(b + (size_t)line * n + first);
        else
            values[j] = b[TRANSPOSE_B ? (size_t)x * k + line : (size_t)line * n + x];
    }
}

kernel __attribute__((reqd_work_group_size(WORK_ITEMS, 1, 1)))
__attribute__((intel_reqd_sub_group_size(SUB_GROUP)))
void matmul(global const float *restrict a, global const float *restrict b,
            global float *restrict c, uint m, uint n, uint k, ulong batches, ulong a_step,
            ulong b_step, ulong c_step, global const float *bias, global const float *residual) {
    uint tiles_across = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    uint row = (uint)get_group_id(0) / tiles_across * TILE_ROWS + get_sub_group_id() * ITEM_ROWS;
    uint column = (uint)get_group_id(0) % tiles_across * TILE_COLUMNS;

    for (size_t batch = get_global_id(1); batch < batches; batch += get_global_size(1)) {
        float sums[ITEM_ROWS][VECTORS];
        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i++)
            #pragma unroll
            for (uint j = 0; j < VECTORS; j++)
                sums[i][j] = 0.0f;
        for (uint depth = 0; depth < k; depth += SUB_GROUP) {
            float a_values[ITEM_ROWS];
            read_a(a_values, a + batch * a_step, row, depth, m, k);
            #pragma unroll
            for (uint z = 0; z < SUB_GROUP; z++) {
                float b_values[VECTORS];
                read_b(b_values, b + batch * b_step, column, depth + z, n, k);
                #pragma unroll
                for (uint i = 0; i < ITEM_ROWS; i++) {
                    float value = intel_sub_group_shuffle(a_values[i], z);
                    #pragma unroll
                    for (uint j = 0; j < VECTORS; j++)
                        sums[i][j] = fma(value, b_values[j], sums[i][j]);
                }
            }
        }
        global float *result = c + batch * c_step;
        global const float *rest = RESIDUAL ? residual + batch * c_step : residual;
        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i++) {
            #pragma unroll
            for (uint j = 0; j < VECTORS; j++) {
                uint x = column + j * SUB_GROUP + get_sub_group_local_id();
                size_t index = (size_t)(row + i) * n + x;
                if (row + i < m && x < n)
                    result[index] = finish(sums[i][j], bias, rest, row + i, x, index);
            }
        }
    }
}
