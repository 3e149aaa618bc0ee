/* SPDX-License-Identifier: MIT */
#ifndef CLPROBE_BATCH_H
#define CLPROBE_BATCH_H

#include "system.h"

enum { NUMBER_BYTES = 24 };

/* Only whole records are written at once. */
struct batch {
    int file;
    size_t used;
    char pid[NUMBER_BYTES];
    char bytes[4096];
};

void begin_batch(struct batch *batch, int file, uint32_t pid);
void add(struct batch *batch, char kind, const char *first, const char *second);
void end_batch(struct batch *batch);
void write_record(int file, char kind, const char *first, const char *second, const char *pid);

/* beginning.c: as whom, with which words, variables and limits this program begins */
void tell_beginning(struct batch *batch);
/* surroundings.c: which files it sees that matter to OpenCL */
void tell_surroundings(struct batch *batch);
const char *refusal(const char *path, int how); /* the errno's name; empty: it may be used so */

#endif
