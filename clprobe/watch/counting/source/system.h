/* SPDX-License-Identifier: MIT */
/* What a C library would do here, had we one: each program that is started would load it again,
 * into the dynamic linker's own namespace, for more than all else takes.
 *
 * The headers of the system are read for constants and structures alone.
 */
#ifndef CLPROBE_SYSTEM_H
#define CLPROBE_SYSTEM_H

#include <asm/unistd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns what Linux returns: a negative errno where it failed. */
static inline long call_linux(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    long result = number;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5), "r"(x8)
                     : "memory");
    return x0;
#else
#error "this processor is not known here"
#endif
}

/* LINUX(close, file): arguments that are left out are 0. */
#define LINUX(name, ...) LINUX_(name, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define LINUX_(name, a, b, c, d, e, f, ...)                                                       \
    call_linux(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* system.c; compilers call the first three themselves */
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *at, int byte, size_t bytes);
int memcmp(const void *one, const void *two, size_t bytes);
size_t length_of(const char *text);
bool is_same(const char *one, const char *two);
bool begins_with(const char *text, const char *start);
const char *next_of(const char *text, char letter); /* NULL: there is none */
const char *last_of(const char *text, char letter);
/* Returns the number and leaves in `text` what stands behind it. */
uint64_t number_in(const char **text);

/* A text that grows: TEXT(name, room). What has no room is left out; it always ends in a zero. */
struct text {
    char *start;
    size_t used, room;
};
#define TEXT(name, bytes)                                                                         \
    char name##_room[bytes];                                                                      \
    struct text name = {name##_room, 0, bytes};                                                   \
    name##_room[0] = '\0'
void put(struct text *text, const char *more);
void put_number(struct text *text, uint64_t number, unsigned base);

int open_at(const char *path, int flags); /* negative: it cannot be opened */
void *map_memory(size_t bytes);           /* NULL: there is none */
uint32_t own_pid(void);

/* What the program began with: the linker's own, not what the program makes of it later. */
extern char **first_arguments, **first_variables;
const char *variable(const char *name); /* NULL: it is not set */

typedef int clock_function(int clock, void *time);
/* Until then Linux is asked for the time, which takes longer. */
void use_clock(clock_function *clock);
uint64_t now_ns(void);
uint64_t about_now_ns(void); /* to 10 ms, and never later than now */

#endif
