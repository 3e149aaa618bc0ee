// SPDX-License-Identifier: MIT
// The product of two tiles in local memory, kept in registers, for GPU kernels to include. A
// work-item owns ITEM_ROWS x ITEM_COLUMNS sums, in blocks of 4 x 4; the LANES_DOWN·LANES_ACROSS
// work-items that run in step own neighbouring blocks, and so read few different vectors at a time.
//   tiles    local TILE_VALUE [TILE_DEPTH][TILE_ROWS + 4] and [TILE_DEPTH][TILE_COLUMNS + 4]
//   local    none of its own       needs   OpenCL 1.2, with HALF_MATH cl_khr_fp16
//   source   Volkov & Demmel 2008, "Benchmarking GPUs to tune dense linear algebra"

// What a work-group computes, and how much of the sum it holds at a time.
#ifndef TILE_ROWS
#define TILE_ROWS 64
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 64
#endif
#ifndef TILE_DEPTH
#define TILE_DEPTH 16
#endif
// What a work-item computes; multiples of 4, for it reads local memory four floats at a time.
#ifndef ITEM_ROWS
#define ITEM_ROWS 4
#endif
#ifndef ITEM_COLUMNS
#define ITEM_COLUMNS 4
#endif
// How work-items that run in step lie in the tile; 32 of them on NVIDIA.
#ifndef LANES_DOWN
#define LANES_DOWN 1
#endif
#ifndef LANES_ACROSS
#define LANES_ACROSS (TILE_COLUMNS / ITEM_COLUMNS)
#endif
// 2 loads the next tiles while these are multiplied; 1 takes half the local memory.
#ifndef BUFFERS
#define BUFFERS 1
#endif
#ifndef UNROLL
#define UNROLL 4
#endif

// 1 multiplies in half precision. So many products are added up in half, by multiply-adds, before
// they go to a sum in float: each may be off by CHAIN / 2048 of its terms, and none may exceed 65504.
#ifndef HALF_MATH
#define HALF_MATH 0
#endif
#define CHAIN (TILE_DEPTH < 8 ? TILE_DEPTH : 8)
#if HALF_MATH
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define TILE_VALUE half
#define TILE_VALUE4 half4
#define TO_TILE(VALUE) convert_half_rte(VALUE)
#define TO_TILE4(VALUES) convert_half4_rte(VALUES)
#else
#define TILE_VALUE float
#define TILE_VALUE4 float4
#define TO_TILE(VALUE) (VALUE)
#define TO_TILE4(VALUES) (VALUES)
#endif

// Rows of tiles that consecutive work-groups go down before they move on to the next column.
#ifndef BAND
#define BAND 8
#endif

#define LANES (LANES_DOWN * LANES_ACROSS)
#define TEAMS_ACROSS (TILE_COLUMNS / ITEM_COLUMNS / LANES_ACROSS)
#define WORK_ITEMS (TILE_ROWS * TILE_COLUMNS / (ITEM_ROWS * ITEM_COLUMNS))
// Four more floats per line keep it aligned to vectors, and the transposed writes of eight depths
// by four lines hit all 32 banks.
#define A_LINE (TILE_ROWS + 4)
#define B_LINE (TILE_COLUMNS + 4)
// So many neighbouring values along the depth are loaded by neighbouring work-items. 16 reads fewer
// lines of memory at a time, but of transposed writes two hit each bank.
#ifndef CHUNK
#define CHUNK (TILE_DEPTH < 8 ? TILE_DEPTH : 8)
#endif

// The first row and column of the tile that a work-item owns, and how its others follow.
uint2 item_origin(uint item) {
    uint team = item / LANES;
    uint lane = item % LANES;
    return (uint2)(team / TEAMS_ACROSS * LANES_DOWN * ITEM_ROWS + lane / LANES_ACROSS * 4,
                   team % TEAMS_ACROSS * LANES_ACROSS * ITEM_COLUMNS + lane % LANES_ACROSS * 4);
}
#define ROW_OF(i) ((i) / 4 * 4 * LANES_DOWN + (i) % 4)
#define COLUMN_OF(j) ((j) / 4 * 4 * LANES_ACROSS + (j) % 4)

// Where in a tile `span` wide the vector with this number lies: place across, then depth.
uint2 vector_place(uint number, uint span, uint width, bool along_depth) {
    uint chunk = CHUNK / width;
    if (along_depth)
        return (uint2)(number / chunk % span,
                       (number % chunk + number / (chunk * span) * chunk) * width);
    return (uint2)(number % (span / width) * width, number / (span / width));
}

// Loads `width` floats, 4 or 1; the others become zero.
float4 load(global const float *source, uint width) {
    if (width == 4)
        return *(global const float4 *)(global const void *)source;
    return (float4)(*source, 0.0f, 0.0f, 0.0f);
}

// The same from half precision, which every device can read.
float4 load_halves(global const half *source, uint width) {
    if (width == 4)
        return vloada_half4(0, source);
    return (float4)(vload_half(0, source), 0.0f, 0.0f, 0.0f);
}

// Puts them into local memory, one line of the tile for each value of depth.
void stash_tile(local TILE_VALUE *tile, uint line, const float4 *values, const uint2 *places,
                uint count, uint width, bool along_depth) {
    #pragma unroll
    for (uint v = 0; v < count; v++) {
        local TILE_VALUE *target = tile + places[v].y * line + places[v].x;
        TILE_VALUE4 four = TO_TILE4(values[v]);
        if (width == 1) {
            *target = four.x;
        } else if (along_depth) {
            target[0] = four.x;
            target[line] = four.y;
            target[2 * line] = four.z;
            target[3 * line] = four.w;
        } else {
            *(local TILE_VALUE4 *)(local void *)target = four;
        }
    }
}

// vload4 would not promise that the address is one of a vector, and cost four reads.
TILE_VALUE4 local_four(local const TILE_VALUE *place) {
    return *(local const TILE_VALUE4 *)(local const void *)place;
}

// Reads one depth of both tiles.
void read_depth(local const TILE_VALUE *a_tile, local const TILE_VALUE *b_tile, uint2 origin,
                uint depth, TILE_VALUE a_values[ITEM_ROWS], TILE_VALUE b_values[ITEM_COLUMNS]) {
    #pragma unroll
    for (uint i = 0; i < ITEM_ROWS; i += 4) {
        TILE_VALUE4 four = local_four(a_tile + depth * A_LINE + origin.x + ROW_OF(i));
        a_values[i] = four.x;
        a_values[i + 1] = four.y;
        a_values[i + 2] = four.z;
        a_values[i + 3] = four.w;
    }
    #pragma unroll
    for (uint j = 0; j < ITEM_COLUMNS; j += 4) {
        TILE_VALUE4 four = local_four(b_tile + depth * B_LINE + origin.y + COLUMN_OF(j));
        b_values[j] = four.x;
        b_values[j + 1] = four.y;
        b_values[j + 2] = four.z;
        b_values[j + 3] = four.w;
    }
}

// Adds the product of two tiles to the sums.
void multiply_tiles(local const TILE_VALUE *a_tile, local const TILE_VALUE *b_tile, uint2 origin,
                    float sums[ITEM_ROWS][ITEM_COLUMNS]) {
    TILE_VALUE a_values[ITEM_ROWS], b_values[ITEM_COLUMNS];
    #if HALF_MATH
    #pragma unroll 1
    for (uint start = 0; start < TILE_DEPTH; start += CHAIN) {
        half parts[ITEM_ROWS][ITEM_COLUMNS];
        #pragma unroll
        for (uint z = 0; z < CHAIN; z++) {
            read_depth(a_tile, b_tile, origin, start + z, a_values, b_values);
            #pragma unroll
            for (uint i = 0; i < ITEM_ROWS; i++)
                #pragma unroll
                for (uint j = 0; j < ITEM_COLUMNS; j++)
                    parts[i][j] = z == 0 ? a_values[i] * b_values[j]
                                         : fma(a_values[i], b_values[j], parts[i][j]);
        }
        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i++)
            #pragma unroll
            for (uint j = 0; j < ITEM_COLUMNS; j++)
                sums[i][j] += convert_float(parts[i][j]);
    }
    #else
    #pragma unroll UNROLL
    for (uint depth = 0; depth < TILE_DEPTH; depth++) {
        read_depth(a_tile, b_tile, origin, depth, a_values, b_values);
        #pragma unroll
        for (uint i = 0; i < ITEM_ROWS; i++)
            #pragma unroll
            for (uint j = 0; j < ITEM_COLUMNS; j++)
                sums[i][j] = fma(a_values[i], b_values[j], sums[i][j]);
    }
    #endif
}

void clear(float sums[ITEM_ROWS][ITEM_COLUMNS]) {
    #pragma unroll
    for (uint i = 0; i < ITEM_ROWS; i++)
        #pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j++)
            sums[i][j] = 0.0f;
}

// Consecutive work-groups take tiles that share rows and columns, while these are still in a cache.
uint2 tile_of_group(uint group, uint down, uint across) {
    uint band = group / (BAND * across) * BAND;
    uint height = min((uint)BAND, down - band);
    uint within = group - band * across;
    return (uint2)((band + within % height) * TILE_ROWS, within / height * TILE_COLUMNS);
}
