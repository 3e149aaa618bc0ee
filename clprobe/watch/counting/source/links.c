/* SPDX-License-Identifier: MIT */
/* What the dynamic linker does in this process, and with which variables it began: a line each, in
 * a file of its own, for whoever started the program. links.py reads it.
 *
 * A descriptor that stayed open could become the program's own after a close(), so the file is
 * opened for each line. Where it cannot be, the process goes on without.
 */
#define _GNU_SOURCE
#include "watch.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

extern char **environ;

enum { LONGEST_PATH = 3200, MOST_VARIABLES = 4096 };

static char path[LONGEST_PATH];
static uint32_t known_pid;

static int open_file(void)
{
    uint32_t pid = (uint32_t)getpid();
    if (pid != known_pid) { /* a forked child */
        snprintf(path, sizeof path, "%s/%u." LINKS_SUFFIX, watch_folder(), pid);
        known_pid = pid;
    }
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
}

/* Texts end in a zero, so that they may hold anything else. */
static void write_record(int file, char kind, const char *first, const char *second)
{
    struct iovec parts[3] = {
        {&kind, 1},
        {(void *)first, strlen(first) + 1},
        {(void *)second, strlen(second) + 1},
    };
    (void)!writev(file, parts, 3);
}

static void note(char kind, const char *first, const char *second)
{
    int file = open_file();
    if (file < 0)
        return;
    write_record(file, kind, first == NULL ? "" : first, second == NULL ? "" : second);
    close(file);
}

void links_start(void)
{
    char program[PATH_MAX];
    int file = open_file();
    if (file < 0)
        return;
    ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 1);
    program[bytes < 0 ? 0 : bytes] = '\0';
    write_record(file, 'P', program, "");
    for (unsigned index = 0; environ != NULL && index < MOST_VARIABLES && environ[index]; index++)
        write_record(file, 'V', environ[index], "");
    close(file);
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
