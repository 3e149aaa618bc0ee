// SPDX-License-Identifier: MIT
// Random numbers, evenly from 0 up to but not including 1, or normal with mean 0 and deviation 1.
// They follow from seed, draw and place alone.
//   y          float, count values; block b has the four values from 4·b on
//   draw       ulong, one value: the number of this draw (dropout/dropout.cl counts them)
//   launch     global at least ceil(blocks / COLUMNS_PER_ITEM), where blocks = ceil(count / 4);
//              local any
//   local      none                            needs   OpenCL 1.2
//   source     Box & Muller 1958, "A note on the generation of random normal deviates"

#include "common/philox.cl"

// Neighbouring blocks for one work-item: 1 suits GPUs, many suit CPUs.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif
#ifndef NORMAL
#define NORMAL 0
#endif

// The 24 bits that a float holds.
float share(uint word) { return (float)(word >> 8) * 0x1p-24f; }

kernel void random_values(global float *restrict y, global const ulong *restrict draw, ulong count,
                          ulong seed) {
    size_t blocks = (size_t)(count + 3) / 4;
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min(blocks, first + COLUMNS_PER_ITEM);
    ulong number = draw[0];
    for (size_t block = first; block < last; block++) {
        uint words[4] = {(uint)block, (uint)((ulong)block >> 32), (uint)number,
                         (uint)(number >> 32)};
        philox(words, (uint)seed, (uint)(seed >> 32));
        float values[4];
        for (uint pair = 0; pair < 4; pair += 2) {
            float one = share(words[pair]), other = share(words[pair + 1]);
#if NORMAL
            // 1 - one is above 0, so that its logarithm is finite.
            float radius = sqrt(-2.0f * log(1.0f - one)), angle = 6.2831853f * other;
            values[pair] = radius * cos(angle);
            values[pair + 1] = radius * sin(angle);
#else
            values[pair] = one;
            values[pair + 1] = other;
#endif
        }
        for (uint word = 0; word < 4 && block * 4 + word < count; word++)
            y[block * 4 + word] = values[word];
    }
}
