// SPDX-License-Identifier: MIT
// Rounds values to half precision, to the nearest, ties to even; too large ones become infinite.
//   x        float, count values
//   y        half, as many; stored by vstore_half, which needs no cl_khr_fp16
//   launch   global at least ceil(count / COLUMNS_PER_ITEM), local any
//   local    none                              needs   OpenCL 1.2
//   source   IEEE 754-2008, binary16

// Neighbouring values for one work-item: 1 suits GPUs, many suit CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

kernel void to_half(global const float *restrict x, global half *restrict y, ulong count) {
    ulong first = get_global_id(0) * COLUMNS_PER_ITEM;
    ulong last = min(count, first + COLUMNS_PER_ITEM);
    size_t index = first;
#if COLUMNS_PER_ITEM >= 16
    for (; index + 16 <= last; index += 16)
        vstore_half16_rte(vload16(0, x + index), 0, y + index);
#endif
    for (; index < last; index++)
        vstore_half_rte(x[index], index, y);
}
