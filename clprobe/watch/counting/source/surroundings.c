/* SPDX-License-Identifier: MIT */
/* Which .icd files and nodes a program sees, and in which namespace. */
#define _GNU_SOURCE
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MOST_ENTRIES = 64, MOST_NVIDIA_NODES = 16, LONGEST_NAME = 512, LONGEST_NAMESPACE = 64 };
#ifndef __NR_faccessat2
#define __NR_faccessat2 439 /* Linux 5.8; the same for all processors */
#endif

static long access_as_it_runs(const char *path, int how)
{
    long result = LINUX(faccessat2, AT_FDCWD, path, how, AT_EACCESS);
    /* Older kernels, and sandboxes that know them only; few programs run as two users at once. */
    return result == -ENOSYS || result == -EPERM ? LINUX(faccessat, AT_FDCWD, path, how) : result;
}

const char *refusal(const char *path, int how)
{
    switch (access_as_it_runs(path, how)) {
    case 0:
        return "";
    case -EACCES:
        return "EACCES";
    case -EPERM:
        return "EPERM";
    case -EROFS:
        return "EROFS";
    case -ENOENT:
        return "ENOENT";
    case -ENOTDIR:
        return "ENOTDIR";
    default:
        return "other";
    }
}

/* access(2) does not tell it, open(2) ends with EACCES then. */
static bool lies_on_nodev(const char *path)
{
    struct statfs found;
    return LINUX(statfs, path, &found) == 0 && (found.f_flags & ST_NODEV) != 0;
}

static void add_node(struct batch *batch, const char *path)
{
    const char *why = refusal(path, R_OK | W_OK);
    if (is_same(why, "ENOENT"))
        return;
    add(batch, 'D', path, why);
    if (lies_on_nodev(path))
        add(batch, 'T', path, "");
}

/* The folder of all nodes is long; what matters of it has few names. */
static void add_nodes(struct batch *batch)
{
    static const char names[][16] = {"/dev/kfd", "/dev/dxg", "/dev/mali0", "/dev/nvidiactl",
                                     "/dev/nvidia-uvm"};
    for (unsigned at = 0; at < sizeof names / sizeof *names; at++)
        add_node(batch, names[at]);
    if (access_as_it_runs("/dev/nvidiactl", F_OK) != 0)
        return;
    for (unsigned at = 0; at < MOST_NVIDIA_NODES; at++) { /* a container may have any of them */
        TEXT(path, NUMBER_BYTES);
        put(&path, "/dev/nvidia");
        put_number(&path, at, 10);
        add_node(batch, path.start);
    }
}

/* See getdents(2). */
struct entry {
    uint64_t number;
    int64_t next;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

/* 'I': an .icd file, 'D': a node, with how opening it would be refused, 'T': one without use there. */
static void add_folder(struct batch *batch, const char *folder, char kind)
{
    _Alignas(struct entry) char entries[2048];
    int from = open_at(folder, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
    if (from < 0)
        return;
    long bytes;
    unsigned count = 0;
    while ((bytes = LINUX(getdents64, from, entries, sizeof entries)) > 0)
        for (long at = 0; at < bytes && count < MOST_ENTRIES;) {
            const struct entry *entry = (const struct entry *)(entries + at);
            at += entry->bytes;
            bool is_node = begins_with(entry->name, "renderD") || begins_with(entry->name, "card");
            if (kind == 'D' ? !is_node : entry->name[0] == '.')
                continue;
            TEXT(path, LONGEST_NAME);
            put(&path, folder);
            put(&path, "/");
            put(&path, entry->name);
            if (kind == 'D')
                add_node(batch, path.start);
            else
                add(batch, kind, path.start, "");
            count++;
        }
    LINUX(close, from);
}

void tell_surroundings(struct batch *batch)
{
    char namespace[LONGEST_NAMESPACE];
    long bytes = LINUX(readlinkat, AT_FDCWD, "/proc/self/ns/mnt", namespace, sizeof namespace - 1);
    namespace[bytes < 0 ? 0 : bytes] = '\0';
    add(batch, 'N', namespace, "");
    add_folder(batch, "/etc/OpenCL/vendors", 'I');
    add_folder(batch, "/dev/dri", 'D');
    add_nodes(batch);
}
