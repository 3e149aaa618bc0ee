// SPDX-License-Identifier: MIT
// Philox 4x32-10, for kernels to include: four random words from a counter and a key, the same on
// every device, and no state to keep.
//   words    the counter, lowest word first; the random words on return
//   key_low, key_high   the key
//   local    none                              needs   OpenCL 1.2
//   source   Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"

#define PHILOX_ROUNDS 10

// Scalars and not a uint4, so that a CPU's compiler makes vectors of neighbouring counters.
void philox(uint words[4], uint key_low, uint key_high) {
    #pragma unroll
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        uint first_high = mul_hi(0xD2511F53u, words[0]);
        uint first_low = 0xD2511F53u * words[0];
        uint second_high = mul_hi(0xCD9E8D57u, words[2]);
        uint second_low = 0xCD9E8D57u * words[2];
        words[0] = second_high ^ words[1] ^ key_low;
        words[1] = second_low;
        words[2] = first_high ^ words[3] ^ key_high;
        words[3] = first_low;
        key_low += 0x9E3779B9u;
        key_high += 0xBB67AE85u;
    }
}
