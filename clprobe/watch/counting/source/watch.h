/* SPDX-License-Identifier: MIT */
/* How the parts know each other: audit finds loaders, calls stands in for their functions, queues
 * and times know what runs where and for how long, process holds what this process knows.
 *
 * All of it runs inside somebody else's program: no part prints, has a C library, waits for a lock
 * without end, or keeps a descriptor open. What cannot be done is left out.
 */
#ifndef CLPROBE_WATCH_H
#define CLPROBE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "opencl.h"
#include "system.h"

#define ADD(place, number) __atomic_fetch_add(&(place), (number), __ATOMIC_RELAXED)
#define GET(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define SET(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)
/* Exchanges what is as expected; leaves in `expected` what was there. */
#define SWAP(place, expected, value)                                                              \
    __atomic_compare_exchange_n(&(place), &(expected), (value), false, __ATOMIC_ACQ_REL,           \
                                __ATOMIC_ACQUIRE)

/* A library that exports OpenCL's functions. */
struct loader {
    void *real[ALL_CALLS];
    uint32_t is_open;
    uint32_t generation; /* grows when it is closed: its functions are gone then */
    void *symbols;       /* our copy of its symbol table */
    size_t symbols_bytes;
    const void *map;     /* the linker's entry of it */
    char path[sizeof(((struct loader_record *)0)->path)];
};
extern struct loader loaders[MOST_LOADERS];
#define REAL(loader, call) ((call##_type)(loader)->real[CALL_##call])

enum { MOST_QUEUES = 512, MOST_WORDS = 16, MOST_PENDING = 4096 };

struct queue {
    void *handle;
    uint32_t device;      /* its place in the record */
    uint32_t is_profiled; /* events have times */
    uint32_t is_altered;  /* we asked for these, the program did not */
    uint32_t words;
    uint64_t properties[MOST_WORDS]; /* as the program gave them, with the final 0 */
};

struct pending {
    void *event;
    void *queue;
    uint16_t loader;
    uint16_t device;
    uint32_t generation;
    uint64_t weight;
};

/* What belongs to this process alone: a forked child finds it empty and begins anew. */
struct state {
    uint32_t pid; /* where Linux does not wipe this memory */
    struct record *record;
    void *device_handles[MOST_DEVICES];
    uint32_t has_altered;
    uint32_t shift; /* one of 2^shift kernels is timed */
    uint64_t spent_ns;
    uint64_t timed;
    uint64_t window_began_ns;
    uint64_t window_first; /* launch */
    uint64_t next_check;
    uint64_t head;
    uint64_t tail;
    struct queue queues[MOST_QUEUES];
    struct pending pending[MOST_PENDING];
};

/* process.c */
bool process_starts(void);           /* false: this program cannot be watched */
struct state *process_state(void);   /* NULL: nothing can be written */
void note_loader(const struct loader *loader, uint32_t flags);
void note_outcome(struct state *state, enum call call, int32_t code);

const char *watch_folder(void);
extern uint32_t first_pid; /* that of the process when this program began */
enum { LONGEST_FOLDER = 3072 };

/* links.c */
void find_stream(void);
bool has_stream(void);
void links_start(void);
void links_started(void); /* from here on the program itself runs */
void note_surroundings(void);
void note_wish(const char *name, const char *asked_by);
void note_opened(const char *file);
void note_closed(const char *file);
void note_asked(uint64_t type, int32_t code);
void note_property(uint32_t property);
void note_build(const char *log); /* of a program that does not build */

/* calls.c */
void *stand_in(unsigned loader, enum call call);

/* In calls that we make, or pass on: what is called meanwhile is not the program's. */
void enter(void);
void leave(void);

/* queues.c */
struct queue *find_queue(struct state *state, const void *handle);
struct queue *add_queue(struct state *state, void *handle, uint32_t device);
void forget_queue(struct state *state, const void *handle);
uint32_t find_device(struct state *state, const struct loader *loader, void *device);
uint32_t device_of_queue(struct state *state, const struct loader *loader, void *queue);
#define NO_DEVICE (MOST_DEVICES - 1)

/* times.c */
void choose_times(void);
bool wants_times(void);
/* Of the launch of that number, which grows; 0: it is not timed. */
uint64_t choose_weight(struct state *state, uint64_t number);
void await(struct state *state, const struct loader *loader, const struct queue *queue,
           void *event, uint64_t weight, bool is_ours);
void harvest_some(struct state *state);
void harvest_all(struct state *state);
void drop_queue(struct state *state, const void *queue);

#endif
