/* SPDX-License-Identifier: MIT */
/* The file of this process, made when it first meets an OpenCL loader. */
#define _GNU_SOURCE
#include "watch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { LONGEST_WAIT = 100000, LONGEST_STATUS = 1024, CLOCK_TICK_NS = 10000000 };
#define NOTHING ((struct record *)0)
#define BEING_MADE ((struct record *)1)
#define IMPOSSIBLE ((struct record *)2)
#define BEING_WIPED UINT32_MAX
#define VARIABLE "CLPROBE_WATCH"

static char folder[LONGEST_FOLDER];
static struct state *state;
static bool is_wiped_on_fork;
uint32_t first_pid;
static uint64_t started_ns;

const char *watch_folder(void)
{
    return folder;
}

bool process_starts(void)
{
    const char *stated = variable(VARIABLE);
    if (stated == NULL || stated[0] != '/' || length_of(stated) >= LONGEST_FOLDER)
        return false;
    struct text own = {folder, 0, sizeof folder};
    put(&own, stated);
    started_ns = now_ns();
    first_pid = own_pid();
    find_stream();
    choose_times();
    return has_stream() || LINUX(faccessat, AT_FDCWD, folder, W_OK) == 0;
}

/* Of a forked child: what it began as was another process. */
static uint64_t forked_ns(void)
{
    char text[LONGEST_STATUS];
    struct timespec booted;
    int file = open_at("/proc/self/stat", O_RDONLY);
    long bytes = LINUX(read, file, text, sizeof text - 1);
    LINUX(close, file);
    uint64_t now = now_ns();
    if (bytes <= 0 || LINUX(clock_gettime, CLOCK_BOOTTIME, &booted) != 0)
        return now;
    text[bytes] = '\0';
    const char *field = last_of(text, ')'); /* the second; the start is the 22nd: proc(5) */
    for (int number = 2; field != NULL && number < 22; number++)
        field = next_of(field + 1, ' ');
    if (field == NULL)
        return now;
    field++;
    uint64_t began_ns = number_in(&field) * CLOCK_TICK_NS;
    uint64_t since_boot_ns =
        (uint64_t)booted.tv_sec * 1000000000u + (uint64_t)booted.tv_nsec;
    uint64_t ago_ns = since_boot_ns - began_ns;
    return began_ns <= since_boot_ns && ago_ns <= now ? now - ago_ns : now;
}

/* Zeros are written, not left out: a page that a full disk cannot hold would kill the program. */
static bool fill(int file)
{
    static char zeros[4096];
    for (size_t written = 0; written < sizeof(struct record);) {
        size_t rest = sizeof(struct record) - written;
        long bytes = LINUX(write, file, zeros, rest < sizeof zeros ? rest : sizeof zeros);
        if (bytes <= 0)
            return false;
        written += (size_t)bytes;
    }
    return true;
}

static struct record *map_new_file(uint64_t began_ns)
{
    TEXT(path, LONGEST_FOLDER + 64);
    put(&path, folder);
    put(&path, "/");
    put_number(&path, own_pid(), 10);
    put(&path, "-");
    put_number(&path, began_ns, 16);
    int file = open_at(path.start, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (file < 0)
        return NULL;
    struct rlimit most; /* to go beyond it is a signal */
    long mapped = -1;
    if (LINUX(prlimit64, 0, RLIMIT_FSIZE, NULL, &most) == 0 &&
        most.rlim_cur >= sizeof(struct record) && fill(file))
        mapped = LINUX(mmap, NULL, sizeof(struct record), PROT_READ | PROT_WRITE, MAP_SHARED, file,
                       0);
    LINUX(close, file); /* what is left empty says that this process could not be counted */
    return mapped < 0 ? NULL : (struct record *)mapped;
}

static struct record *make_record(void)
{
    uint64_t began_ns = started_ns;
    if (first_pid != own_pid()) {
        uint64_t forked = forked_ns(); /* to 10 ms, which may be before its parent began */
        began_ns = forked > began_ns ? forked : began_ns;
    }
    struct record *record = map_new_file(began_ns);
    if (record == NULL)
        return NULL;
    record->version = RECORD_VERSION;
    record->bytes = sizeof *record;
    record->pid = own_pid();
    record->parent_pid = (uint32_t)LINUX(getppid, 0);
    record->started_ns = began_ns;
    LINUX(readlinkat, AT_FDCWD, "/proc/self/exe", record->program, sizeof record->program - 1);
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
    struct state *made = map_memory(sizeof *made);
    if (made != NULL)
        is_wiped_on_fork = LINUX(madvise, made, sizeof *made, MADV_WIPEONFORK) == 0;
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
    uint32_t pid = own_pid(), known = GET(state->pid);
    if (known == pid)
        return;
    if (known != BEING_WIPED && SWAP(state->pid, known, BEING_WIPED)) {
        memset((char *)state + sizeof state->pid, 0, sizeof *state - sizeof state->pid);
        SET(state->pid, pid);
    }
    for (int turn = 0; GET(state->pid) != pid && turn < LONGEST_WAIT; turn++)
        LINUX(sched_yield, 0);
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
        LINUX(sched_yield, 0);
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
    if (state == NULL || (!is_wiped_on_fork && GET(state->pid) != own_pid()))
        return;
    struct record *record = GET(state->record);
    if (record > IMPOSSIBLE)
        SET(record->ended_ns, now_ns());
}
