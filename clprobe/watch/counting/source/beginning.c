/* SPDX-License-Identifier: MIT */
/* As whom a program begins, with which words, variables and limits. */
#define _GNU_SOURCE
#include "batch.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MOST_VARIABLES = 4096, MOST_GROUPS = 256, LONGEST_GROUPS = 4096, LONGEST_WORDS = 3200,
       LEAST_BYTES = 64 << 10 };

static void add_user(struct batch *batch)
{
    gid_t found[MOST_GROUPS];
    TEXT(user, NUMBER_BYTES);
    TEXT(groups, LONGEST_GROUPS);
    long count = LINUX(getgroups, MOST_GROUPS, found);
    put_number(&user, (uint32_t)LINUX(geteuid, 0), 10);
    put_number(&groups, (uint32_t)LINUX(getegid, 0), 10);
    for (long at = 0; at < count && groups.used + 16 < groups.room; at++) {
        put(&groups, " ");
        put_number(&groups, found[at], 10);
    }
    add(batch, 'U', user.start, groups.start);
}

/* Limits whose lack shows as drivers that fail; that on addresses has a record of its own. */
static void add_limits(struct batch *batch)
{
    static const struct {
        char name[8];
        int number;
    } limits[] = {{"", RLIMIT_AS},
                  {"nofile", RLIMIT_NOFILE},
                  {"nproc", RLIMIT_NPROC},
                  {"data", RLIMIT_DATA},
                  {"stack", RLIMIT_STACK},
                  {"cpu", RLIMIT_CPU}};
    for (unsigned at = 0; at < sizeof limits / sizeof *limits; at++) {
        struct rlimit found;
        TEXT(most, NUMBER_BYTES);
        if (LINUX(prlimit64, 0, limits[at].number, NULL, &found) != 0)
            continue;
        if (found.rlim_cur != RLIM_INFINITY)
            put_number(&most, found.rlim_cur, 10);
        if (limits[at].number == RLIMIT_AS)
            add(batch, 'L', most.start, "");
        else
            add(batch, 'M', limits[at].name, most.start);
    }
}

/* What access(2) does not tell. Of root's own part of a file system others get nothing. */
static const char *why_full(const char *folder)
{
    struct statfs found;
    if (LINUX(statfs, folder, &found) != 0 || found.f_blocks == 0)
        return "";
    uint64_t blocks = LINUX(geteuid, 0) == 0 ? found.f_bfree : found.f_bavail;
    bool has_no_names = found.f_files > 0 && found.f_ffree == 0;
    return blocks * (uint64_t)found.f_bsize < LEAST_BYTES || has_no_names ? "ENOSPC" : "";
}

/* A folder that is not there can be made where the one above it may be written to. */
static const char *why_not_writable(const char *folder)
{
    char above[PATH_MAX];
    size_t length = length_of(folder);
    if (folder[0] != '/' || length >= sizeof above)
        return "";
    memcpy(above, folder, length + 1);
    const char *why = refusal(above, W_OK | X_OK);
    if (*why == '\0')
        return why_full(above);
    for (const char *now = why; is_same(now, "ENOENT");) {
        size_t slash = (size_t)(last_of(above, '/') - above);
        above[slash == 0 ? 1 : slash] = '\0';
        now = refusal(above, W_OK | X_OK);
        if (*now == '\0')
            return why_full(above);
        if (above[1] == '\0')
            break;
    }
    return why;
}

/* Where drivers keep what they compile, which below HOME is a folder that may be there already. */
static void add_homes(struct batch *batch)
{
    static const struct {
        char variable[16], below[8];
    } homes[] = {{"HOME", "/.cache"}, {"XDG_CACHE_HOME", ""}, {"POCL_CACHE_DIR", ""}, {"TMPDIR", ""}};
    for (unsigned at = 0; at < sizeof homes / sizeof *homes; at++) {
        const char *named = variable(homes[at].variable);
        TEXT(folder, PATH_MAX);
        if (named == NULL || length_of(named) + sizeof homes->below > PATH_MAX)
            continue;
        put(&folder, named);
        put(&folder, homes[at].below);
        const char *why = why_not_writable(folder.start);
        if (*why != '\0')
            add(batch, 'F', homes[at].variable, why);
    }
}

static void add_program(struct batch *batch)
{
    char target[PATH_MAX];
    long bytes = LINUX(readlinkat, AT_FDCWD, "/proc/self/exe", target, sizeof target - 1);
    target[bytes < 0 ? 0 : bytes] = '\0';
    add(batch, 'P', target, "");
}

void tell_beginning(struct batch *batch)
{
    add_program(batch);
    add_user(batch);
    add_limits(batch);
    add_homes(batch);
    size_t words = 0;
    for (char **at = first_arguments; *at != NULL && words < LONGEST_WORDS; at++) {
        add(batch, 'A', *at, "");
        words += length_of(*at) + 1;
    }
    for (unsigned at = 0; at < MOST_VARIABLES && first_variables[at] != NULL; at++)
        add(batch, 'V', first_variables[at], "");
}
