// SPDX-License-Identifier: MIT
// Sums over all pixels of a channel, for batch-norm. One work-group takes one channel of a piece:
// some images, and some pixels of their planes.
//   x, dy      float, row-major (images, channels, pixels)
//   mean, scale   float, per channel; the scale is 1 / deviation
//   pieces     float, row-major (3 or 2 kinds, pieces, channels): count, mean and sum of squared
//              deviations; or the sums of dy and of dy·(x - mean)·scale
//   images_per_piece, pixels_per_piece   how the images and pixels are cut; the pieces of one image
//              are neighbours
//   launch     global channels·pieces·WORK_GROUP_SIZE, local WORK_GROUP_SIZE (a power of two)
//   local      WORK_GROUP_SIZE·4 bytes         needs   OpenCL 1.2
//   source     Chan, Golub & LeVeque 1983, "Algorithms for computing the sample variance": two
//              passes, the second of which corrects the first

#include "common/work_group_reduce.cl"

// Work-items that share a plane, a power of two; the others take other images.
#ifndef ITEMS_ACROSS
#define ITEMS_ACROSS WORK_GROUP_SIZE
#endif
// Partial results that each work-item keeps apart: 1 suits GPUs, a vector suits CPUs.
#ifndef LANES
#define LANES 1
#endif

typedef struct {
    ulong channel, first_image, last_image, first_pixel, last_pixel, count, number;
} piece_t;

piece_t own_piece(ulong images, ulong channels, ulong pixels, ulong images_per_piece,
                  ulong pixels_per_piece) {
    piece_t piece;
    ulong cuts = (pixels + pixels_per_piece - 1) / pixels_per_piece;
    piece.channel = get_group_id(0) % channels;
    piece.number = get_group_id(0) / channels;
    piece.first_image = piece.number / cuts * images_per_piece;
    piece.last_image = min(images, piece.first_image + images_per_piece);
    piece.first_pixel = piece.number % cuts * pixels_per_piece;
    piece.last_pixel = min(pixels, piece.first_pixel + pixels_per_piece);
    piece.count =
        (piece.last_image - piece.first_image) * (piece.last_pixel - piece.first_pixel);
    return piece;
}

// Sums FACTOR and FACTOR·(x - CENTER) over the piece; `at` is the place of one value.
#define SUM_PIECE(SUMS, FACTOR, CENTER)                                                            \
    float2 SUMS = 0.0f;                                                                            \
    {                                                                                              \
        float first[LANES], second[LANES];                                                         \
        for (uint lane = 0; lane < LANES; lane++)                                                  \
            first[lane] = second[lane] = 0.0f;                                                     \
        size_t image = piece.first_image + get_local_id(0) / ITEMS_ACROSS;                         \
        for (; image < piece.last_image; image += WORK_GROUP_SIZE / ITEMS_ACROSS) {                \
            size_t plane = (image * channels + piece.channel) * pixels;                            \
            size_t pixel = piece.first_pixel + get_local_id(0) % ITEMS_ACROSS * LANES;             \
            for (; pixel + LANES <= piece.last_pixel; pixel += ITEMS_ACROSS * LANES)               \
                for (uint lane = 0; lane < LANES; lane++) {                                        \
                    size_t at = plane + pixel + lane;                                              \
                    first[lane] += FACTOR;                                                         \
                    second[lane] += FACTOR * (x[at] - CENTER);                                     \
                }                                                                                  \
            for (uint lane = 0; pixel + lane < piece.last_pixel; lane++) {                         \
                size_t at = plane + pixel + lane;                                                  \
                first[lane] += FACTOR;                                                             \
                second[lane] += FACTOR * (x[at] - CENTER);                                         \
            }                                                                                      \
        }                                                                                          \
        for (uint lane = 0; lane < LANES; lane++)                                                  \
            SUMS += (float2)(first[lane], second[lane]);                                           \
        SUMS.x = work_group_sum(SUMS.x, scratch);                                                  \
        SUMS.y = work_group_sum(SUMS.y, scratch);                                                  \
    }

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void plane_statistics(global const float *restrict x, global float *restrict pieces, ulong images,
                      ulong channels, ulong pixels, ulong images_per_piece,
                      ulong pixels_per_piece) {
    local float scratch[WORK_GROUP_SIZE];
    piece_t piece = own_piece(images, channels, pixels, images_per_piece, pixels_per_piece);
    float count = (float)piece.count;
    // Any value of the channel is a better first guess at the mean than 0.
    float guess = x[piece.channel * pixels];
    SUM_PIECE(from_guess, (x[at] - guess), guess)
    float mean = guess + from_guess.x / count;
    SUM_PIECE(from_mean, (x[at] - mean), mean)
    if (get_local_id(0) == 0) {
        size_t kind = get_num_groups(0);
        size_t index = piece.number * channels + piece.channel;
        pieces[index] = count;
        pieces[kind + index] = mean + from_mean.x / count;
        pieces[2 * kind + index] = from_mean.y - from_mean.x * from_mean.x / count;
    }
}

kernel __attribute__((reqd_work_group_size(WORK_GROUP_SIZE, 1, 1)))
void plane_gradient_sums(global const float *restrict x, global const float *restrict dy,
                         global const float *restrict mean, global const float *restrict scale,
                         global float *restrict pieces, ulong images, ulong channels, ulong pixels,
                         ulong images_per_piece, ulong pixels_per_piece) {
    local float scratch[WORK_GROUP_SIZE];
    piece_t piece = own_piece(images, channels, pixels, images_per_piece, pixels_per_piece);
    float center = mean[piece.channel];
    SUM_PIECE(sums, dy[at], center)
    if (get_local_id(0) == 0) {
        size_t index = piece.number * channels + piece.channel;
        pieces[index] = sums.x;
        pieces[get_num_groups(0) + index] = sums.y * scale[piece.channel];
    }
}
