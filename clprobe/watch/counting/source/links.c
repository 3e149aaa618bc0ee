/* SPDX-License-Identifier: MIT */
/* What the dynamic linker does in this process, which types of devices it asked for, what it asked of
 * devices, and what their compilers complained of: a record each, for whoever started the program. links.py reads it.
 *
 * The records go to a descriptor that was handed down, if it is still the very file that it was: to
 * make a file takes longer than all else. Where it is gone they go to a file of this process, which
 * is opened for each, for a descriptor that stays open could become the program's own after a
 * close(). Where neither is there, the process goes on without.
 */
#define _GNU_SOURCE
#include "batch.h"
#include "watch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define STREAM_VARIABLE "CLPROBE_WATCH_STREAM"
enum { LONGEST_PATH = LONGEST_FOLDER + 64, MOST_ASKED = 64, MOST_BUILDS = 8 };
enum { LONGEST_COMPLAINT = 1024 };
/* Of a file, and of one that all processes share: links.py reads no more. */
enum { ENOUGH_BYTES = 64 << 20, MOST_SHARED_BYTES = 16 << 20 };

static int stream = -1;
static uint64_t stream_device, stream_file;
/* Until the program itself runs nobody else can have closed it. */
static int held = -1;

void find_stream(void)
{
    const char *stated = variable(STREAM_VARIABLE);
    if (stated == NULL)
        return;
    uint64_t numbers[3] = {0};
    for (unsigned at = 0; at < 3 && *stated != '\0'; at++) {
        numbers[at] = number_in(&stated);
        stated += *stated == ':';
    }
    stream_device = numbers[1];
    stream_file = numbers[2];
    stream = stream_file != 0 ? (int)numbers[0] : -1;
}

bool has_stream(void)
{
    struct stat found;
    return stream >= 0 && LINUX(fstat, stream, &found) == 0 && found.st_dev == stream_device &&
           found.st_ino == stream_file && found.st_size < MOST_SHARED_BYTES;
}

/* To write beyond a limit is a signal, which would end the program. */
static bool may_write(void)
{
    struct rlimit most;
    return LINUX(prlimit64, 0, RLIMIT_FSIZE, NULL, &most) == 0 && most.rlim_cur >= ENOUGH_BYTES;
}

static int open_file(void)
{
    if (held >= 0)
        return held;
    if (!may_write())
        return -1;
    if (has_stream())
        return stream;
    char room[LONGEST_PATH];
    struct text path = {room, 0, sizeof room};
    put(&path, watch_folder());
    put(&path, "/");
    put_number(&path, own_pid(), 10);
    put(&path, "." LINKS_SUFFIX);
    return open_at(path.start, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
}

static void close_file(int file)
{
    if (file >= 0 && file != stream && file != held)
        LINUX(close, file);
}

static void note(char kind, const char *first, const char *second)
{
    int file = open_file();
    if (file < 0)
        return;
    TEXT(pid, NUMBER_BYTES);
    put_number(&pid, own_pid(), 10);
    write_record(file, kind, first == NULL ? "" : first, second == NULL ? "" : second, pid.start);
    close_file(file);
}

static void tell(int file, void (*what)(struct batch *))
{
    struct batch batch;
    if (file < 0)
        return;
    /* What a forked child tells is of its parent's program, which it never left. */
    begin_batch(&batch, file, file == stream ? first_pid : own_pid());
    what(&batch);
    end_batch(&batch);
}

void links_start(void)
{
    held = open_file();
    tell(held, tell_beginning);
}

void links_started(void)
{
    if (held >= 0 && held != stream)
        LINUX(close, held);
    held = -1;
}

void note_surroundings(void)
{
    static uint32_t told;
    if (ADD(told, 1) > 0)
        return;
    int file = open_file();
    tell(file, tell_surroundings);
    close_file(file);
}

/* To find out takes longer than all else here, and most programs compute nothing. The names are
 * those of libraries.py.
 */
static bool leads_to_devices(const char *name)
{
    static const char starts[][20] = {"libOpenCL",   "libze_",           "libcuda", "libvulkan",
                                      "libamdhip64", "libhsa-runtime64", "libva"};
    const char *slash = last_of(name, '/');
    for (unsigned at = 0; at < sizeof starts / sizeof *starts; at++)
        if (begins_with(slash == NULL ? name : slash + 1, starts[at]))
            return true;
    return false;
}

void note_wish(const char *name, const char *asked_by)
{
    if (leads_to_devices(name))
        note_surroundings();
    note('S', name, asked_by);
}

void note_opened(const char *file)
{
    if (file != NULL && *file != '\0') /* the program has no name there */
        note('O', file, "");
}

void note_closed(const char *file)
{
    note('C', file, "");
}

void note_asked(uint64_t type, int32_t code)
{
    static uint32_t asked;
    TEXT(types, NUMBER_BYTES);
    TEXT(result, NUMBER_BYTES);
    if (ADD(asked, 1) >= MOST_ASKED)
        return;
    put_number(&types, type, 10);
    put(&result, code < 0 ? "-" : "");
    put_number(&result, code < 0 ? (uint64_t)-(int64_t)code : (uint64_t)code, 10);
    note('Q', types.start, result.start);
}

void note_property(uint32_t property)
{
    static uint64_t asked[4];
    TEXT(number, NUMBER_BYTES);
    uint32_t at = property - CL_DEVICE_TYPE;
    if (at >= 64 * sizeof asked / sizeof *asked)
        return;
    uint64_t bit = UINT64_C(1) << at % 64;
    if (__atomic_fetch_or(&asked[at / 64], bit, __ATOMIC_RELAXED) & bit)
        return;
    put_number(&number, property, 10);
    note('G', number.start, "");
}

/* Warnings may fill pages before the first error. */
static const char *first_error(const char *log)
{
    const char *line = log;
    for (const char *at = log; *at != '\0'; at++) {
        if (begins_with(at, "error") || begins_with(at, "Error") || begins_with(at, "ERROR"))
            return line;
        line = *at == '\n' ? at + 1 : line;
    }
    return log;
}

void note_build(const char *log)
{
    static uint32_t told;
    TEXT(complaint, LONGEST_COMPLAINT);
    if (ADD(told, 1) >= MOST_BUILDS)
        return;
    const char *from = first_error(log);
    size_t bytes = length_of(from);
    bytes = bytes < LONGEST_COMPLAINT ? bytes : LONGEST_COMPLAINT - 1;
    memcpy(complaint.start, from, bytes);
    complaint.start[bytes] = '\0';
    note('B', complaint.start, "");
}
