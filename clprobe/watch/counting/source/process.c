/* SPDX-License-Identifier: MIT */
/* The file of this process, made when it first meets an OpenCL loader. */
#define _GNU_SOURCE
#include "watch.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { LONGEST_FOLDER = 3072, LONGEST_WAIT = 100000, LONGEST_STATUS = 1024 };
#define NOTHING ((struct record *)0)
#define BEING_MADE ((struct record *)1)
#define IMPOSSIBLE ((struct record *)2)
#define BEING_WIPED UINT32_MAX
#define VARIABLE "CLPROBE_WATCH"

static char folder[LONGEST_FOLDER];
static struct state *state;
static bool is_wiped_on_fork;
static uint32_t first_pid;
static uint64_t started_ns;

uint64_t now_ns(void)
{
    struct timespec time;
    if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
        return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

const char *watch_folder(void)
{
    return folder;
}

bool process_starts(void)
{
    const char *stated = getenv(VARIABLE);
    find_stream();
    if (stated == NULL || stated[0] != '/' || strlen(stated) >= LONGEST_FOLDER)
        return false;
    strcpy(folder, stated);
    started_ns = now_ns();
    first_pid = (uint32_t)getpid();

    char mark[LONGEST_FOLDER + sizeof "/" WATCHED_MARK];
    snprintf(mark, sizeof mark, "%s/%s", folder, WATCHED_MARK);
    int file = open(mark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    if (file >= 0)
        close(file);
    /* Another user's mark is no file of ours; what counts is whether we may add some. */
    return file >= 0 || access(folder, W_OK) == 0 || has_stream();
}

/* Of a forked child: what it began as was another process. */
static uint64_t forked_ns(void)
{
    char text[LONGEST_STATUS];
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    long ticks_per_second = sysconf(_SC_CLK_TCK);
    struct timespec booted;
    uint64_t now = now_ns();
    if (bytes <= 0 || ticks_per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &booted) != 0)
        return now;
    text[bytes] = '\0';
    char *field = strrchr(text, ')'); /* the second; the start is the 22nd: proc(5) */
    for (int number = 2; field != NULL && number < 22; number++)
        field = strchr(field + 1, ' ');
    if (field == NULL)
        return now;
    double ago_ns = (double)booted.tv_sec * 1e9 + (double)booted.tv_nsec -
                    strtod(field, NULL) * 1e9 / (double)ticks_per_second;
    return ago_ns >= 0 && ago_ns <= (double)now ? now - (uint64_t)ago_ns : now;
}

/* Zeros are written, not left out: a page that a full disk cannot hold would kill the program. */
static bool fill(int file)
{
    static const char zeros[512];
    for (size_t written = 0; written < sizeof(struct record);) {
        size_t rest = sizeof(struct record) - written;
        ssize_t bytes = write(file, zeros, rest < sizeof zeros ? rest : sizeof zeros);
        if (bytes <= 0)
            return false;
        written += (size_t)bytes;
    }
    return true;
}

static struct record *map_new_file(uint64_t began_ns)
{
    char path[LONGEST_FOLDER + 64];
    snprintf(path, sizeof path, "%s/%d-%llx", folder, (int)getpid(), (unsigned long long)began_ns);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return NULL;
    struct rlimit most; /* to go beyond it is a signal */
    void *mapped = MAP_FAILED;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur >= sizeof(struct record) && fill(file))
        mapped = mmap(NULL, sizeof(struct record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file); /* what is left empty says that this process could not be counted */
    return mapped == MAP_FAILED ? NULL : mapped;
}

static struct record *make_record(void)
{
    uint64_t began_ns = started_ns;
    if (first_pid != (uint32_t)getpid()) {
        uint64_t forked = forked_ns(); /* to 10 ms, which may be before its parent began */
        began_ns = forked > began_ns ? forked : began_ns;
    }
    struct record *record = map_new_file(began_ns);
    if (record == NULL)
        return NULL;
    record->version = RECORD_VERSION;
    record->bytes = sizeof *record;
    record->pid = (uint32_t)getpid();
    record->parent_pid = (uint32_t)getppid();
    record->started_ns = began_ns;
    ssize_t bytes = readlink("/proc/self/exe", record->program, sizeof record->program - 1);
    if (bytes < 0)
        record->program[0] = '\0';
    for (unsigned index = 0; index < MOST_LOADERS; index++) {
        if (!GET(loaders[index].is_open))
            continue;
        memcpy(record->loaders[index].path, loaders[index].path, sizeof loaders[index].path);
        record->loaders[index].is_watched = 1;
        SET(record->loaders[index].state, READY);
    }
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(record->magic, RECORD_MAGIC, sizeof record->magic);
    return record;
}

static struct state *map_state(void)
{
    struct state *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    is_wiped_on_fork = madvise(made, sizeof *made, MADV_WIPEONFORK) == 0;
    return made;
}

/* Loaders are opened one after another, so that there is no race for the first. */
static void begin(void)
{
    if (state == NULL)
        state = map_state();
}

/* Linux before 4.14, and gVisor: the first call in a child wipes what it has of its parent. */
static void wipe_if_forked(void)
{
    uint32_t pid = (uint32_t)getpid(), known = GET(state->pid);
    if (known == pid)
        return;
    if (known != BEING_WIPED && SWAP(state->pid, known, BEING_WIPED)) {
        memset((char *)state + sizeof state->pid, 0, sizeof *state - sizeof state->pid);
        SET(state->pid, pid);
    }
    for (int turn = 0; GET(state->pid) != pid && turn < LONGEST_WAIT; turn++)
        sched_yield();
}

struct state *process_state(void)
{
    if (state == NULL)
        return NULL;
    if (!is_wiped_on_fork)
        wipe_if_forked();
    struct record *record = GET(state->record);
    if (record > IMPOSSIBLE)
        return state;
    if (record == NOTHING && SWAP(state->record, record, BEING_MADE)) {
        record = make_record();
        SET(state->record, record == NULL ? IMPOSSIBLE : record);
    }
    for (int turn = 0; GET(state->record) == BEING_MADE && turn < LONGEST_WAIT; turn++)
        sched_yield();
    return GET(state->record) > IMPOSSIBLE ? state : NULL;
}

void note_loader(const struct loader *loader, uint32_t flags)
{
    begin();
    struct state *mine = process_state();
    if (mine == NULL)
        return;
    __atomic_fetch_or(&mine->record->flags, flags, __ATOMIC_RELAXED);
    if (loader == NULL)
        return;
    struct loader_record *noted = &mine->record->loaders[loader - loaders];
    SET(noted->state, EMPTY); /* a place may have held one that is closed */
    memcpy(noted->path, loader->path, sizeof noted->path);
    noted->is_watched = flags == 0;
    SET(noted->state, READY);
}

void note_outcome(struct state *mine, enum call call, int32_t code)
{
    uint64_t key = OUTCOME_IS_SET | (uint64_t)call << 32 | (uint32_t)code;
    struct record *record = mine->record;
    for (unsigned index = 0; index < MOST_OUTCOMES; index++) {
        struct outcome_record *outcome = &record->outcomes[index];
        uint64_t found = GET(outcome->key);
        if (found == key || (found == 0 && (SWAP(outcome->key, found, key) || found == key))) {
            ADD(outcome->count, 1);
            return;
        }
    }
    __atomic_fetch_or(&record->flags, MORE_OUTCOMES, __ATOMIC_RELAXED);
}

__attribute__((destructor)) static void process_ends(void)
{
    /* In a forked child that never called OpenCL the state is empty, or still its parent's. */
    if (state == NULL || (!is_wiped_on_fork && GET(state->pid) != (uint32_t)getpid()))
        return;
    struct record *record = GET(state->record);
    if (record > IMPOSSIBLE)
        SET(record->ended_ns, now_ns());
}
