// SPDX-License-Identifier: MIT
// Keeps each value with a given probability and scales it, or makes it zero. Whether a value is
// kept follows from seed, draw and place alone, so the gradient is the same kernel with the same
// draw, and no mask is stored.
//   draws      ulong, one value: how many draws were made; it lies on the device, so that a
//              captured step draws anew each time it is replayed
//   draw       ulong, one value: the number of this draw
//   x, y       float, count values; word w of block b of a draw is for value w·blocks + b, so that
//              neighbouring work-items touch neighbouring values
//   whole_blocks   how many blocks have a value for each of their words; they go without tests
//   threshold  a value is kept where its random word lies below
//   launch     next_draw: global 1; dropout: global at least ceil(blocks / COLUMNS_PER_ITEM), where
//              blocks = ceil(count / 4), local any
//   local      none                            needs   OpenCL 1.2
//   source     Srivastava et al. 2014, "Dropout: a simple way to prevent neural networks from
//              overfitting", scaled in training and not in evaluation

#include "common/philox.cl"

// Neighbouring blocks for one work-item: 1 suits GPUs, many let a CPU's compiler vectorise.
#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

kernel void next_draw(global ulong *restrict draws, global ulong *restrict draw) {
    if (get_global_id(0) == 0) {
        draw[0] = draws[0];
        draws[0] += 1;
    }
}

void random_words(uint words[4], ulong block, ulong number, ulong seed) {
    words[0] = (uint)block;
    words[1] = (uint)(block >> 32);
    words[2] = (uint)number;
    words[3] = (uint)(number >> 32);
    philox(words, (uint)seed, (uint)(seed >> 32));
}

float kept(float value, uint word, uint threshold, float scale) {
    return word < threshold ? value * scale : 0.0f;
}

kernel void dropout(global const float *restrict x, global float *restrict y,
                    global const ulong *restrict draw, ulong count, ulong whole_blocks, ulong seed,
                    uint threshold, float scale) {
    size_t blocks = (size_t)(count + 3) / 4;
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min(blocks, first + COLUMNS_PER_ITEM);
    size_t whole = min(last, (size_t)whole_blocks);
    ulong number = draw[0];
    for (size_t block = first; block < whole; block++) {
        uint words[4];
        random_words(words, block, number, seed);
        for (uint word = 0; word < 4; word++) {
            size_t index = word * blocks + block;
            y[index] = kept(x[index], words[word], threshold, scale);
        }
    }
    for (size_t block = max(first, whole); block < last; block++) {
        uint words[4];
        random_words(words, block, number, seed);
        for (uint word = 0; word < 4; word++) {
            size_t index = word * blocks + block;
            if (index < count)
                y[index] = kept(x[index], words[word], threshold, scale);
        }
    }
}
