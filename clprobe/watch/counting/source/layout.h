/* SPDX-License-Identifier: MIT */
/* What a process writes about itself, in the byte order of its machine; records.py reads it.
 *
 * The file is mapped shared and written as the program runs, so that it outlives any death.
 */
#ifndef CLPROBE_LAYOUT_H
#define CLPROBE_LAYOUT_H

#include <stdint.h>

#define RECORD_MAGIC "clprobeW"
/* Ends the names of the files that links.c writes. */
#define LINKS_SUFFIX "links"

enum {
    RECORD_VERSION = 1,
    MOST_CALLS = 32,
    MOST_LOADERS = 16,
    MOST_DEVICES = 32,
    MOST_OUTCOMES = 96,
};

/* flags; a wrapper holds a part of OpenCL only, and passes on to a loader */
enum { LOADER_UNWATCHED = 1, MORE_DEVICES = 2, MORE_OUTCOMES = 4, WRAPPER_SEEN = 8 };
enum { EMPTY = 0, READY = 1 }; /* states */

struct loader_record {
    uint32_t state;
    uint32_t is_watched;
    char path[248];
};

/* The last one is for kernels whose device nobody could tell; its name is empty. */
struct device_record {
    uint32_t state;
    int32_t last_error; /* of enqueueing */
    int32_t last_abort; /* the status of an event, negative */
    uint32_t reserved;
    uint64_t type;
    uint64_t enqueued;
    uint64_t failed;
    uint64_t aborted; /* enqueued, then ended by an error */
    uint64_t timed;
    uint64_t timed_weight; /* of how many kernels the timed ones are a sample */
    uint64_t weighted_ns;  /* the device time of these */
    char name[240];
    char platform[128];
    char driver_version[72];
};

/* key: OUTCOME_IS_SET, the call, the code that it returned. */
#define OUTCOME_IS_SET (UINT64_C(1) << 63)
struct outcome_record {
    uint64_t key;
    uint64_t count;
};

/* Times are of CLOCK_MONOTONIC, those of calls to 10 ms. */
struct record {
    char magic[8]; /* written last */
    uint32_t version;
    uint32_t bytes;
    uint32_t pid;
    uint32_t parent_pid;
    uint64_t started_ns;
    uint64_t first_kernel_ns;
    uint64_t last_call_ns;
    uint64_t ended_ns; /* 0: it runs, or did not end by exit() */
    uint32_t flags;
    uint32_t reserved;
    uint64_t begun[MOST_CALLS]; /* by call; without an outcome they have not returned */
    char program[192];
    struct loader_record loaders[MOST_LOADERS];
    struct device_record devices[MOST_DEVICES];
    struct outcome_record outcomes[MOST_OUTCOMES];
};

#endif
