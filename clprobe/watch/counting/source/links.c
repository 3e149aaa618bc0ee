/* SPDX-License-Identifier: MIT */
/* What the dynamic linker does in this process, as whom, with which variables, limits, folders and
 * nodes it began, which types of devices it asked for, and what it asked of devices: a record each,
 * for whoever started the program. links.py reads it.
 *
 * A descriptor that stayed open could become the program's own after a close(), so a file is opened
 * for each record. In a sandbox that hides the folder the records go to a descriptor that was handed
 * down, if it is still the very file that it was. Where neither is there, the process goes on
 * without.
 */
#define _GNU_SOURCE
#include "watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

extern char **environ;

#define STREAM_VARIABLE "CLPROBE_WATCH_STREAM"
enum { LONGEST_PATH = 3200, MOST_VARIABLES = 4096, MOST_ENTRIES = 64, MOST_GROUPS = 256 };
enum { ENOUGH_BYTES = 64 << 20 };
enum { LONGEST_GROUPS = 4096, MOST_ASKED = 64, LONGEST_NAME = 512 };

static char path[LONGEST_PATH];
static uint32_t known_pid;
static int stream = -1;
static unsigned long stream_device, stream_file;

void find_stream(void)
{
    const char *stated = getenv(STREAM_VARIABLE);
    int descriptor;
    if (stated != NULL &&
        sscanf(stated, "%d:%lu:%lu", &descriptor, &stream_device, &stream_file) == 3)
        stream = descriptor;
}

bool has_stream(void)
{
    struct stat found;
    /* fstat() is a function of its own only since glibc 2.33; here Linux has the same structure. */
    return stream >= 0 && syscall(SYS_fstat, stream, &found) == 0 && found.st_dev == stream_device &&
           found.st_ino == stream_file;
}

/* To write beyond a limit is a signal, which would end the program. */
static bool may_write(void)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur >= ENOUGH_BYTES;
}

static int open_file(void)
{
    if (!may_write())
        return -1;
    uint32_t pid = (uint32_t)getpid();
    if (pid != known_pid) { /* a forked child */
        snprintf(path, sizeof path, "%s/%u." LINKS_SUFFIX, watch_folder(), pid);
        known_pid = pid;
    }
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
    return file >= 0 ? file : has_stream() ? stream : -1;
}

static void close_file(int file)
{
    if (file != stream)
        close(file);
}

/* Texts end in a zero, so that they may hold anything else; the last one is the process. */
static void write_record(int file, char kind, const char *first, const char *second)
{
    char pid[16];
    snprintf(pid, sizeof pid, "%u", known_pid);
    struct iovec parts[4] = {
        {&kind, 1},
        {(void *)first, strlen(first) + 1},
        {(void *)second, strlen(second) + 1},
        {pid, strlen(pid) + 1},
    };
    (void)!writev(file, parts, 4);
}

static void note(char kind, const char *first, const char *second)
{
    int file = open_file();
    if (file < 0)
        return;
    write_record(file, kind, first == NULL ? "" : first, second == NULL ? "" : second);
    close_file(file);
}

static void write_link(int file, char kind, const char *link)
{
    char target[PATH_MAX];
    ssize_t bytes = readlink(link, target, sizeof target - 1);
    target[bytes < 0 ? 0 : bytes] = '\0';
    write_record(file, kind, target, "");
}

static void write_user(int file)
{
    char user[16], groups[LONGEST_GROUPS];
    gid_t found[MOST_GROUPS];
    int count = getgroups(MOST_GROUPS, found);
    size_t used = (size_t)snprintf(groups, sizeof groups, "%u", getegid());
    for (int at = 0; at < count && used + 16 < sizeof groups; at++)
        used += (size_t)snprintf(groups + used, sizeof groups - used, " %u", found[at]);
    snprintf(user, sizeof user, "%u", geteuid());
    write_record(file, 'U', user, groups);
}

static void write_limit(int file)
{
    char bytes[24] = "";
    struct rlimit most;
    if (getrlimit(RLIMIT_AS, &most) != 0)
        return;
    if (most.rlim_cur != RLIM_INFINITY)
        snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)most.rlim_cur);
    write_record(file, 'L', bytes, "");
}

/* Limits whose lack shows as drivers that fail; that on addresses has a record of its own. */
static void write_limits(int file)
{
    static const struct {
        const char *name;
        int number;
    } limits[] = {{"nofile", RLIMIT_NOFILE}, {"nproc", RLIMIT_NPROC}, {"data", RLIMIT_DATA},
                  {"stack", RLIMIT_STACK}};
    for (unsigned at = 0; at < sizeof limits / sizeof *limits; at++) {
        char most[24] = "";
        struct rlimit found;
        if (getrlimit(limits[at].number, &found) != 0)
            continue;
        if (found.rlim_cur != RLIM_INFINITY)
            snprintf(most, sizeof most, "%llu", (unsigned long long)found.rlim_cur);
        write_record(file, 'M', limits[at].name, most);
    }
}

static const char *refusal(const char *path, int how)
{
    if (faccessat(AT_FDCWD, path, how, AT_EACCESS) == 0)
        return "";
    switch (errno) {
    case EACCES:
        return "EACCES";
    case EPERM:
        return "EPERM";
    case EROFS:
        return "EROFS";
    case ENOENT:
        return "ENOENT";
    case ENOTDIR:
        return "ENOTDIR";
    default:
        return "other";
    }
}

/* A folder that is not there can be made where the one above it may be written to. */
static const char *why_not_writable(const char *folder)
{
    char above[PATH_MAX];
    size_t length = strlen(folder);
    if (folder[0] != '/' || length >= sizeof above)
        return "";
    memcpy(above, folder, length + 1);
    const char *why = refusal(above, W_OK | X_OK);
    for (const char *now = why; strcmp(now, "ENOENT") == 0;) {
        char *slash = strrchr(above, '/');
        slash[slash == above ? 1 : 0] = '\0';
        now = refusal(above, W_OK | X_OK);
        if (*now == '\0')
            return "";
        if (above[1] == '\0')
            break;
    }
    return why;
}

/* What it was called with, a record each. */
static void write_arguments(int file)
{
    char all[LONGEST_PATH];
    int from = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = from < 0 ? 0 : read(from, all, sizeof all - 1);
    if (from >= 0)
        close(from);
    for (ssize_t at = 0; at < bytes; at += (ssize_t)strlen(all + at) + 1) {
        all[bytes] = '\0';
        write_record(file, 'A', all + at, "");
    }
}

/* Where drivers keep what they compile. */
static void write_homes(int file)
{
    static const char *const names[] = {"HOME", "XDG_CACHE_HOME", "POCL_CACHE_DIR", "TMPDIR"};
    for (unsigned at = 0; at < sizeof names / sizeof *names; at++) {
        const char *folder = getenv(names[at]);
        const char *why = folder == NULL ? "" : why_not_writable(folder);
        if (*why != '\0')
            write_record(file, 'F', names[at], why);
    }
}

static bool is_node(const char *name)
{
    static const char *const starts[] = {"renderD", "card", "kfd", "nvidia", "dxg", "mali"};
    for (unsigned at = 0; at < sizeof starts / sizeof *starts; at++)
        if (strncmp(name, starts[at], strlen(starts[at])) == 0)
            return true;
    return false;
}

/* 'I': an .icd file, 'D': a node, with how opening it would be refused. */
static void write_folder(int file, const char *folder, char kind)
{
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return;
    struct dirent *entry;
    for (unsigned at = 0; at < MOST_ENTRIES && (entry = readdir(entries)) != NULL;) {
        char name[LONGEST_NAME];
        bool is_wanted = kind == 'D' ? is_node(entry->d_name) : entry->d_name[0] != '.';
        if (!is_wanted)
            continue;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        write_record(file, kind, name, kind == 'D' ? refusal(name, R_OK | W_OK) : "");
        at++;
    }
    closedir(entries);
}

void links_start(void)
{
    int file = open_file();
    if (file < 0)
        return;
    write_link(file, 'P', "/proc/self/exe");
    write_link(file, 'N', "/proc/self/ns/mnt");
    write_user(file);
    write_limit(file);
    write_limits(file);
    write_homes(file);
    write_arguments(file);
    for (unsigned index = 0; environ != NULL && index < MOST_VARIABLES && environ[index]; index++)
        write_record(file, 'V', environ[index], "");
    write_folder(file, "/etc/OpenCL/vendors", 'I');
    write_folder(file, "/dev/dri", 'D');
    write_folder(file, "/dev", 'D');
    close_file(file);
}

void note_wish(const char *name, const char *asked_by)
{
    note('S', name, asked_by);
}

void note_opened(const char *file)
{
    note('O', file, "");
}

void note_closed(const char *file)
{
    note('C', file, "");
}

void note_asked(uint64_t type, int32_t code)
{
    static uint32_t asked;
    char types[24], result[16];
    if (ADD(asked, 1) >= MOST_ASKED)
        return;
    snprintf(types, sizeof types, "%llu", (unsigned long long)type);
    snprintf(result, sizeof result, "%d", code);
    note('Q', types, result);
}

void note_property(uint32_t property)
{
    static uint64_t asked[4];
    char number[16];
    uint32_t at = property - CL_DEVICE_TYPE;
    if (at >= 64 * sizeof asked / sizeof *asked)
        return;
    uint64_t bit = UINT64_C(1) << at % 64;
    if (__atomic_fetch_or(&asked[at / 64], bit, __ATOMIC_RELAXED) & bit)
        return;
    snprintf(number, sizeof number, "%u", property);
    note('G', number, "");
}
