// SPDX-License-Identifier: MIT
// The negative logarithm of the likelihood of each label, and its gradient.
//   logs, dx   float, row-major (outer, classes, inner), of which each place has a label
//   labels     int (outer, inner): 0 to classes - 1, or `ignored`; any other gives NaN
//   weights    float, one per class
//   losses, used   float (outer, inner): the loss times the label's weight, and that weight
//   scales     float (outer, inner): the gradient of each loss
//   launch     global inner/COLUMNS_PER_ITEM x at least 1; rows beyond the second size are looped
//              over; local any
//   local      none                              needs   OpenCL 1.2
//   source     Goodfellow, Bengio & Courville 2016, Deep Learning, 6.2.2.3

#ifndef COLUMNS_PER_ITEM
#define COLUMNS_PER_ITEM 1
#endif

float weight_of(int label, global const float *weights, ulong classes, int ignored) {
    bool known = label >= 0 && (ulong)label < classes;
    return label == ignored ? 0.0f : (known ? weights[label] : NAN);
}

kernel void nll(global const float *restrict logs, global const int *restrict labels,
                global const float *restrict weights, global float *restrict losses,
                global float *restrict used, ulong rows, ulong classes, ulong inner, int ignored) {
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min((size_t)inner, first + COLUMNS_PER_ITEM);
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {
        for (size_t column = first; column < last; column++) {
            size_t place = row * inner + column;
            int label = labels[place];
            float weight = weight_of(label, weights, classes, ignored);
            bool counts = label != ignored && weight == weight;
            size_t at = (row * classes + (size_t)(counts ? label : 0)) * inner + column;
            losses[place] = counts ? -weight * logs[at] : weight;
            used[place] = weight;
        }
    }
}

kernel void nll_gradient(global const int *restrict labels, global const float *restrict weights,
                         global const float *restrict scales, global float *restrict dx,
                         ulong rows, ulong classes, ulong inner, int ignored) {
    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;
    size_t last = min((size_t)inner, first + COLUMNS_PER_ITEM);
    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {
        size_t outer = row / classes;
        int class = (int)(row % classes);
        for (size_t column = first; column < last; column++) {
            size_t place = outer * inner + column;
            float weight = weight_of(labels[place], weights, classes, ignored);
            bool counts = labels[place] == class || weight != weight;
            dx[row * inner + column] = counts ? -weight * scales[place] : 0.0f;
        }
    }
}
