/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "watch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

/* Keeps compilers from making of a loop a call of the very function that it is in. */
#define A_LOOP __asm__ volatile("")

char **first_arguments, **first_variables;
static clock_function *ask_clock;

#if defined(__aarch64__)
/* What gcc 10 and later call for each atomic operation asks it whether the processor has single
 * instructions for them; that of libgcc would ask a C library. Those for all processors will do.
 */
bool __aarch64_have_lse_atomics;
#endif

/* The dynamic linker calls it before la_version(). */
__attribute__((constructor)) static void remember(int count, char **arguments, char **variables)
{
    (void)count;
    first_arguments = arguments;
    first_variables = variables;
}

void *memcpy(void *to, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at++) {
        ((char *)to)[at] = ((const char *)from)[at];
        A_LOOP;
    }
    return to;
}

void *memset(void *start, int byte, size_t bytes)
{
    for (size_t at = 0; at < bytes; at++) {
        ((char *)start)[at] = (char)byte;
        A_LOOP;
    }
    return start;
}

int memcmp(const void *one, const void *two, size_t bytes)
{
    const unsigned char *first = one, *second = two;
    for (size_t at = 0; at < bytes; at++) {
        if (first[at] != second[at])
            return first[at] - second[at];
        A_LOOP;
    }
    return 0;
}

size_t length_of(const char *text)
{
    size_t length = 0;
    for (; text[length] != '\0'; length++)
        A_LOOP;
    return length;
}

bool begins_with(const char *text, const char *start)
{
    for (; *start != '\0'; text++, start++)
        if (*text != *start)
            return false;
    return true;
}

bool is_same(const char *one, const char *two)
{
    for (; *one != '\0' && *one == *two; one++, two++)
        ;
    return *one == *two;
}

const char *next_of(const char *text, char letter)
{
    for (; *text != '\0'; text++)
        if (*text == letter)
            return text;
    return NULL;
}

const char *last_of(const char *text, char letter)
{
    const char *last = NULL;
    for (; *text != '\0'; text++)
        last = *text == letter ? text : last;
    return last;
}

uint64_t number_in(const char **text)
{
    uint64_t number = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        number = number * 10 + (uint64_t)(**text - '0');
    return number;
}

void put(struct text *text, const char *more)
{
    for (; *more != '\0' && text->used + 1 < text->room; more++)
        text->start[text->used++] = *more;
    text->start[text->used] = '\0';
}

void put_number(struct text *text, uint64_t number, unsigned base)
{
    char digits[24];
    unsigned at = sizeof digits - 1;
    digits[at] = '\0';
    do
        digits[--at] = "0123456789abcdef"[number % base];
    while ((number /= base) > 0);
    put(text, digits + at);
}

int open_at(const char *path, int flags)
{
    return (int)LINUX(openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

void *map_memory(size_t bytes)
{
    long at = LINUX(mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at < 0 ? NULL : (void *)at;
}

uint32_t own_pid(void)
{
    return (uint32_t)LINUX(getpid, 0);
}

const char *variable(const char *name)
{
    size_t length = length_of(name);
    for (char **at = first_variables; at != NULL && *at != NULL; at++)
        if (begins_with(*at, name) && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}

void use_clock(clock_function *clock)
{
    SET(ask_clock, clock);
}

static uint64_t time_of(int clock)
{
    struct timespec time = {0, 0};
    clock_function *ask = GET(ask_clock);
    if (ask == NULL || ask(clock, &time) != 0)
        LINUX(clock_gettime, clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t now_ns(void)
{
    return time_of(CLOCK_MONOTONIC);
}

uint64_t about_now_ns(void)
{
    return time_of(CLOCK_MONOTONIC_COARSE);
}
