// SPDX-License-Identifier: MIT
// Arrays that are stored as float or as half, for kernels to include; all of them calculate in float.
//   HALF             a macro that is 0 for float and 1 for half
//   STORED(HALF)     the type in memory
//   READ, WRITE      one value, INDEX values after ARRAY; with a 4 four there, which begin where a
//                    vector of their type may; with a 16 as many that begin anywhere
//   local    none                  needs   OpenCL 1.2, whose vload_half needs no cl_khr_fp16
//   source   IEEE 754-2008, binary16; halves are rounded to nearest, ties to even

#define STORED(HALF) STORED_AS(STORED_, HALF)
#define READ(HALF, ARRAY, INDEX) STORED_AS(READ_, HALF)(ARRAY, INDEX)
#define READ4(HALF, ARRAY, INDEX) STORED_AS(READ4_, HALF)(ARRAY, INDEX)
#define READ16(HALF, ARRAY, INDEX) STORED_AS(READ16_, HALF)(ARRAY, INDEX)
#define WRITE(HALF, VALUE, ARRAY, INDEX) STORED_AS(WRITE_, HALF)(VALUE, ARRAY, INDEX)
#define WRITE4(HALF, VALUE, ARRAY, INDEX) STORED_AS(WRITE4_, HALF)(VALUE, ARRAY, INDEX)
#define WRITE16(HALF, VALUE, ARRAY, INDEX) STORED_AS(WRITE16_, HALF)(VALUE, ARRAY, INDEX)

#define STORED_AS(NAME, HALF) STORED_NAME(NAME, HALF)
#define STORED_NAME(NAME, HALF) NAME##HALF

#define STORED_0 float
#define READ_0(ARRAY, INDEX) ((ARRAY)[INDEX])
#define READ4_0(ARRAY, INDEX) (*(global const float4 *)(global const void *)((ARRAY) + (INDEX)))
#define READ16_0(ARRAY, INDEX) vload16(0, (ARRAY) + (INDEX))
#define WRITE_0(VALUE, ARRAY, INDEX) ((ARRAY)[INDEX] = (VALUE))
#define WRITE4_0(VALUE, ARRAY, INDEX)                                                             \
    (*(global float4 *)(global void *)((ARRAY) + (INDEX)) = (VALUE))
#define WRITE16_0(VALUE, ARRAY, INDEX) vstore16(VALUE, 0, (ARRAY) + (INDEX))

#define STORED_1 half
#define READ_1(ARRAY, INDEX) vload_half(0, (ARRAY) + (INDEX))
#define READ4_1(ARRAY, INDEX) vloada_half4(0, (ARRAY) + (INDEX))
#define READ16_1(ARRAY, INDEX) vload_half16(0, (ARRAY) + (INDEX))
#define WRITE_1(VALUE, ARRAY, INDEX) vstore_half_rte(VALUE, 0, (ARRAY) + (INDEX))
#define WRITE4_1(VALUE, ARRAY, INDEX) vstorea_half4_rte(VALUE, 0, (ARRAY) + (INDEX))
#define WRITE16_1(VALUE, ARRAY, INDEX) vstore_half16_rte(VALUE, 0, (ARRAY) + (INDEX))
