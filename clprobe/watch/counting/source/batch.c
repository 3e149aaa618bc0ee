/* SPDX-License-Identifier: MIT */
/* Records of links.c, many to a call. */
#include "batch.h"

#include "watch.h"

#include <sys/uio.h>

/* Texts end in a zero, so that they may hold anything else; the last one is the process. One call
 * writes all, for other processes write to the same file.
 */
void write_record(int file, char kind, const char *first, const char *second, const char *pid)
{
    struct iovec parts[4] = {
        {&kind, 1},
        {(void *)first, length_of(first) + 1},
        {(void *)second, length_of(second) + 1},
        {(void *)pid, length_of(pid) + 1},
    };
    LINUX(writev, file, parts, 4);
}

void begin_batch(struct batch *batch, int file, uint32_t pid)
{
    struct text text = {batch->pid, 0, sizeof batch->pid};
    put_number(&text, pid, 10);
    batch->file = file;
    batch->used = 0;
}

void end_batch(struct batch *batch)
{
    if (batch->used > 0)
        LINUX(write, batch->file, batch->bytes, batch->used);
    batch->used = 0;
}

static void add_text(struct batch *batch, const char *text)
{
    size_t bytes = length_of(text) + 1;
    memcpy(batch->bytes + batch->used, text, bytes);
    batch->used += bytes;
}

void add(struct batch *batch, char kind, const char *first, const char *second)
{
    size_t bytes = 1 + length_of(first) + 1 + length_of(second) + 1 + length_of(batch->pid) + 1;
    if (bytes > sizeof batch->bytes - batch->used)
        end_batch(batch);
    if (bytes > sizeof batch->bytes) {
        write_record(batch->file, kind, first, second, batch->pid);
        return;
    }
    batch->bytes[batch->used++] = kind;
    add_text(batch, first);
    add_text(batch, second);
    add_text(batch, batch->pid);
}
