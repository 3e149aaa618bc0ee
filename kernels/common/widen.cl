// SPDX-License-Identifier: MIT
// Copies lines of halves as floats, for kernels to include that read each value often.
//   halves   half, lines `stride` values apart, of which `length` are copied
//   floats   float, private, lines `line` values apart
//   local    none of its own                   needs   OpenCL 1.2
//   source   none

void widen(global const half *restrict halves, size_t stride, float *restrict floats, uint line,
           uint lines, uint length) {
    for (uint i = 0; i < lines; i++, halves += stride, floats += line) {
        uint at = 0;
        for (; at + 16 <= length; at += 16)
            vstore16(vload_half16(0, halves + at), 0, floats + at);
        for (; at < length; at++)
            floats[at] = vload_half(0, halves + at);
    }
}
