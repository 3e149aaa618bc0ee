// SPDX-License-Identifier: MIT
// An OpenCL vendor library: the one at REAL, which lies about time or leaves work out as the
// variable TIMING_FAULT says; tests/bench/timing_faults.py lists the faults. What ends in "-later"
// begins when the first results were right, and never at the kernel that devices are tried with.

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

// Places in the table that all ICDs share (CL/cl_icd.h).
enum { PLATFORM_INFO = 1, GET_DEVICE_INFO = 3, SET_KERNEL_ARG = 38, GET_KERNEL_INFO = 39 };
enum { WAIT_FOR_EVENTS = 41, GET_EVENT_INFO = 42, GET_PROFILING = 45, FLUSH = 46, FINISH };
enum { READ = 48, WRITE, COPY, LAUNCH = 59, USER_EVENT = 84, SET_USER_EVENT, FILL = 102 };
enum { QUEUE_INFO = 12, QUEUE_CONTEXT = 0x1090, MARKER = 105, PLACES };
// CL_KERNEL_FUNCTION_NAME and the like.
enum { FUNCTION_NAME = 0x1190, MAX_CLOCK_FREQUENCY = 0x100C, EXECUTION_STATUS = 0x11D3 };
enum { QUEUED = 0x1280, SUBMIT, START, END };
enum { RIGHT_LAUNCHES = 12, RIGHT_COPIES = 12, RIGHT_WRITES = 12, TRAINING_LAUNCHES = 900 };

typedef const void *any;
struct platform { void **dispatch; };
static void *real[PLACES];
#define REAL_OF(place, ...) ((int (*)(__VA_ARGS__))real[place])

static int fault(const char *name) {
    const char *planted = getenv("TIMING_FAULT");
    return planted && !strcmp(planted, name);
}

static int later(long *count, long right, const char *name) {
    return fault(name) && ++*count > right;
}

static int marker(void *queue, unsigned waits, any list, void *event) {
    return REAL_OF(MARKER, void *, unsigned, any, void *)(queue, waits, list, event);
}

static int flush(void *queue) { return REAL_OF(FLUSH, void *)(queue); }

// What lazy launches wait for: until somebody reads.
static void *gate;

static void *gate_of(void *queue) {
    void *context;
    int result;
    REAL_OF(QUEUE_INFO, void *, unsigned, size_t, void *, any)(queue, QUEUE_CONTEXT,
                                                               sizeof context, &context, 0);
    if (!gate) gate = ((void *(*)(void *, int *))real[USER_EVENT])(context, &result);
    return gate;
}

static void open_gate(void) {
    void *opened = gate;
    gate = 0;
    if (opened) REAL_OF(SET_USER_EVENT, void *, int)(opened, 0);
}

static int launch_real(void *queue, void *kernel, unsigned dimensions, any offset, any global,
                       any local, unsigned waits, any list, void *event) {
    return REAL_OF(LAUNCH, void *, void *, unsigned, any, any, any, unsigned, any, void *)(
        queue, kernel, dimensions, offset, global, local, waits, list, event);
}

// The arguments that were last set, of the kernel that was last launched, as one number.
static uint64_t arguments, launched;
static void *launched_kernel;

static int set_argument(void *kernel, unsigned at, size_t size, any value) {
    static void *of;
    if (of != kernel) arguments = 0, of = kernel;
    uint64_t mixed = 1469598103934665603u ^ at;
    for (size_t byte = 0; value && byte < size; byte++)
        mixed = (mixed ^ ((const unsigned char *)value)[byte]) * 1099511628211u;
    // Each argument counts once, in whatever order.
    static uint64_t each[64];
    arguments ^= each[at % 64] ^ mixed;
    each[at % 64] = mixed;
    return REAL_OF(SET_KERNEL_ARG, void *, unsigned, size_t, any)(kernel, at, size, value);
}

static int is_repeated(void *kernel) {
    int same = launched_kernel == kernel && launched == arguments;
    launched_kernel = kernel, launched = arguments;
    return same;
}

static int ran_before(const char *name) {
    static char known[256][64];
    int at = 0;
    for (; at < 255 && known[at][0]; at++)
        if (!strcmp(known[at], name)) return 1;
    strcpy(known[at], name);
    return 0;
}

static int launch(void *queue, void *kernel, unsigned dimensions, any offset, const size_t *global,
                  const size_t *local, unsigned waits, any list, void *event) {
    static long seen, turns, halves, steps;
    char name[64] = "";
    REAL_OF(GET_KERNEL_INFO, void *, unsigned, size_t, void *, any)(kernel, FUNCTION_NAME,
                                                                   sizeof name, name, 0);
    int tried = !strcmp(name, "fma_chain");
    size_t half[3] = {0};
    memcpy(half, global, dimensions * sizeof *half);
    unsigned most = 0;
    for (unsigned at = 1; at < dimensions; at++)
        if (local && half[at] / local[at] > half[most] / local[most]) most = at;
    size_t group = local ? local[most] : 1;
    half[most] = (half[most] / group + 1) / 2 * group;
    if (fault("sleep")) usleep(3000);
    if (fault("launch-left-out") || (!tried && fault("launch-left-out-but-of-the-trial")) ||
        (!tried && fault("launch-once") && ran_before(name)) ||
        (!tried && later(&seen, RIGHT_LAUNCHES, "launch-later")) ||
        (!tried && later(&turns, RIGHT_LAUNCHES, "every-second-later") && turns % 2) ||
        (!tried && later(&steps, TRAINING_LAUNCHES, "steps-left-out-later")) ||
        (!tried && fault("merged") && is_repeated(kernel)))
        return marker(queue, waits, list, event);
    if (fault("half-global") || (!tried && later(&halves, RIGHT_LAUNCHES, "half-later")))
        global = half;
    void *own_gate = fault("lazy") ? gate_of(queue) : 0;
    if (own_gate) waits = 1, list = &own_gate;
    return launch_real(queue, kernel, dimensions, offset, global, local, waits, list, event);
}

static int finish(void *queue) {
    if (fault("lazy")) return 0;
    return fault("finish-early") ? flush(queue) : REAL_OF(FINISH, void *)(queue);
}

static int wait_for(unsigned count, any events) {
    open_gate();
    return fault("wait-early") ? 0 : REAL_OF(WAIT_FOR_EVENTS, unsigned, any)(count, events);
}

static int event_info(void *event, unsigned what, size_t room, void *value, size_t *size) {
    int result = REAL_OF(GET_EVENT_INFO, void *, unsigned, size_t, void *, size_t *)(
        event, what, room, value, size);
    if (fault("complete-early") && what == EXECUTION_STATUS && value) *(int *)value = 0;
    return result;
}

static int read_buffer(void *queue, void *buffer, unsigned blocking, size_t offset, size_t size,
                       void *target, unsigned waits, any list, void *event) {
    static void *scratch, *kept_buffer;
    static size_t kept;
    open_gate();
    if (fault("read-early") && blocking) {
        scratch = malloc(size);
        blocking = 0, target = scratch;
    }
    if (fault("read-stale") && blocking && kept_buffer == buffer && kept == size) {
        memcpy(target, scratch, size);
        return marker(queue, waits, list, event);
    }
    int result = REAL_OF(READ, void *, void *, unsigned, size_t, size_t, void *, unsigned, any,
                         void *)(queue, buffer, blocking, offset, size, target, waits, list, event);
    if (fault("read-stale") && blocking) {
        scratch = realloc(scratch, size), kept_buffer = buffer, kept = size;
        memcpy(scratch, target, size);
    }
    return result;
}

static int write_buffer(void *queue, void *buffer, unsigned blocking, size_t offset, size_t size,
                        any source, unsigned waits, any list, void *event) {
    static long seen;
    launched_kernel = 0;
    if (blocking) open_gate();
    if (fault("write-left-out") || later(&seen, RIGHT_WRITES, "write-later"))
        return marker(queue, waits, list, event);
    return REAL_OF(WRITE, void *, void *, unsigned, size_t, size_t, any, unsigned, any, void *)(
        queue, buffer, blocking, offset, size, source, waits, list, event);
}

static int copy_buffer(void *queue, void *source, void *target, size_t from, size_t to,
                       size_t size, unsigned waits, any list, void *event) {
    static void *last[2];
    static long seen, halves;
    int same = last[0] == source && last[1] == target;
    launched_kernel = 0, last[0] = source, last[1] = target;
    if (fault("copy-left-out") || (fault("copy-cached") && same) ||
        later(&seen, RIGHT_COPIES, "copy-later"))
        return marker(queue, waits, list, event);
    if (fault("half-copy") || later(&halves, RIGHT_COPIES, "half-copy-later")) size -= size / 2;
    return REAL_OF(COPY, void *, void *, void *, size_t, size_t, size_t, unsigned, any, void *)(
        queue, source, target, from, to, size, waits, list, event);
}

static int fill_buffer(void *queue, void *buffer, any value, size_t width, size_t offset,
                       size_t size, unsigned waits, any list, void *event) {
    launched_kernel = 0;
    if (fault("fill-left-out")) return marker(queue, waits, list, event);
    return REAL_OF(FILL, void *, void *, any, size_t, size_t, size_t, unsigned, any, void *)(
        queue, buffer, value, width, offset, size, waits, list, event);
}

static int profiling(void *event, unsigned what, size_t room, uint64_t *value, size_t *size) {
    static uint64_t first;
    unsigned asked = what;
    if (fault("clock-backwards")) what = what == START ? END : what == END ? START : what;
    if (fault("clock-swapped")) what = what == START ? QUEUED : what == QUEUED ? START : what;
    if (fault("clock-from-queued") && what == START) what = QUEUED;
    int result = REAL_OF(GET_PROFILING, void *, unsigned, size_t, void *, size_t *)(
        event, what, room, value, size);
    if (!value) return result;
    if (!first) first = *value;
    int64_t since = (int64_t)(*value - first);
    if (fault("clock-times-10")) *value = first + since * 10;
    if (fault("clock-tenth")) *value = first + since / 10;
    if (fault("clock-in-us")) *value = first + since / 1000;
    if (fault("clock-drifts")) *value = first + since + since / 8;
    if (fault("clock-constant") && asked == END) {
        profiling(event, START, room, value, size);
        *value += 1000000;
    }
    return result;
}

static int device_info(void *device, unsigned what, size_t room, void *value, size_t *size) {
    int result = REAL_OF(GET_DEVICE_INFO, void *, unsigned, size_t, void *, size_t *)(
        device, what, room, value, size);
    if (fault("frequency-times-10") && what == MAX_CLOCK_FREQUENCY && value)
        *(unsigned *)value *= 10;
    return result;
}

static void *ask_real(const char *name) {
    void *library = dlopen(REAL, RTLD_NOW | RTLD_LOCAL);
    void *(*ask)(const char *) = dlsym(library, "clGetExtensionFunctionAddress");
    return ask(name);
}

static void put(void **table, int place, void *own) {
    uintptr_t page = (uintptr_t)(table + place) & ~(uintptr_t)4095;
    mprotect((void *)page, 8192, PROT_READ | PROT_WRITE);
    table[place] = own;
}

int clIcdGetPlatformIDsKHR(unsigned room, struct platform **platforms, unsigned *count) {
    int (*get)(unsigned, struct platform **, unsigned *) = ask_real("clIcdGetPlatformIDsKHR");
    int result = get(room, platforms, count);
    if (!platforms || real[LAUNCH]) return result;
    void **table = platforms[0]->dispatch;
    memcpy(real, table, sizeof real);
    put(table, GET_DEVICE_INFO, device_info), put(table, SET_KERNEL_ARG, set_argument);
    put(table, WAIT_FOR_EVENTS, wait_for), put(table, GET_EVENT_INFO, event_info);
    put(table, GET_PROFILING, profiling), put(table, FINISH, finish), put(table, LAUNCH, launch);
    put(table, READ, read_buffer), put(table, WRITE, write_buffer);
    put(table, COPY, copy_buffer), put(table, FILL, fill_buffer);
    return result;
}

// Some loaders want it of the library itself, and Intel's gives it to nobody who asks by name.
int clGetPlatformInfo(struct platform *platform, unsigned what, size_t room, any value, any size) {
    int (*tell)(void *, unsigned, size_t, any, any) = platform->dispatch[PLATFORM_INFO];
    return tell(platform, what, room, value, size);
}

void *clGetExtensionFunctionAddress(const char *name) {
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? ask_real(name) : clIcdGetPlatformIDsKHR;
}
