// SPDX-License-Identifier: MIT
// An OpenCL vendor library with one fault, chosen by -DFAULT="name"; "healthy" has none.
// Its one GPU squares nothing, but its context, program and kernel calls answer as a driver's do.

#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef FAULT
#define FAULT "healthy"
#endif
#ifndef BUILD_LOG
#define BUILD_LOG "1:1: error: fixture"
#endif
#ifndef NAME
#define NAME "Fixture"
#endif

enum { SUCCESS = 0, DEVICE_NOT_FOUND = -1, OUT_OF_HOST_MEMORY = -6, BUILD_FAILURE = -11,
       INVALID_VALUE = -30, NO_PLATFORM = -1001 };

typedef uint32_t cl_uint;
typedef int32_t cl_int;

static void *table[160];
static struct object { void **dispatch; } platform = {table}, device = {table}, other = {table},
                                            second_platform = {table};
static struct object second_device = {table};
static uint32_t *kernel_output;
static void *context_of;

static int has(const char *fault) { return strcmp(FAULT, fault) == 0; }

#include "report_damage.h"
#include "misbehaviour.h"

#ifdef REGISTERS
void registry_add(const char *option);
#endif

#ifdef UNDEFINED
extern int symbol_that_no_library_has(void);
int uses_it(void) { return symbol_that_no_library_has(); }
#endif

static cl_int answer_bytes(const void *value, size_t size, size_t room, void *out, size_t *written) {
    if (out && room < size) return INVALID_VALUE;
    if (out) memcpy(out, value, size);
    if (written) *written = size;
    return SUCCESS;
}

static cl_int answer_text(const char *text, size_t room, void *out, size_t *written) {
    return answer_bytes(text, strlen(text) + 1, room, out, written);
}

static cl_int answer_number(uint64_t number, size_t size, size_t room, void *out, size_t *written) {
    return answer_bytes(&number, size, room, out, written);
}

static cl_int get_platform_info(void *self, cl_uint what, size_t room, void *out, size_t *written) {
    switch (what) {
    case 0x0900: return answer_text("FULL_PROFILE", room, out, written);
    case 0x0901:
        return answer_text(has("odd_version") ? "version 1,2" : "OpenCL 1.2 fixture", room, out, written);
    case 0x0902:
        misbehave("platform_name");
        if (has("platform_name_error")) return OUT_OF_HOST_MEMORY;
        if (has("evil_name")) return answer_text("\033[31mevil\nname\377\302\233", room, out, written);
        return answer_text(NAME, room, out, written);
    case 0x0903: return answer_text("clprobe tests", room, out, written);
    case 0x0904: return answer_text("cl_khr_icd", room, out, written);
    case 0x0920: return answer_text("FXT", room, out, written);
    default: return INVALID_VALUE;
    }
}

static cl_int get_device_ids(void *self, uint64_t type, cl_uint room, void **out, cl_uint *count) {
    misbehave("devices");
    if (has("billions_of_devices")) {
        if (count) *count = 0xFFFFFFFF;
        return SUCCESS;
    }
    if (has("null_device")) {
        if (out && room) out[0] = NULL;
        if (count) *count = 1;
        return SUCCESS;
    }
    if (has("devices_error")) return OUT_OF_HOST_MEMORY;
    if (self == &second_platform) return OUT_OF_HOST_MEMORY;
    if (has("zero_devices") || !(type & 4) || (has("devices_race") && out)) {
        if (count) *count = 0;
        return DEVICE_NOT_FOUND;
    }
    if (out && room) out[0] = &device;
    if (out && room > 1) out[1] = &second_device;
    static cl_uint calls;
    if (count) *count = has("devices_changing") ? ++calls : 1 + !strncmp(FAULT, "two_", 4);
    return SUCCESS;
}

static cl_int get_device_info(void *self, cl_uint what, size_t room, void *out, size_t *written) {
    if (what == 0x1002) misbehave("device_query");
    if (what == 0x102B && has("device_name_error")) return OUT_OF_HOST_MEMORY;
    if (what == 0x102B && has("lying_size")) {
        if (out) memcpy(out, "Fixture GPU", 12);
        if (written) *written = (size_t)1 << 40;
        return SUCCESS;
    }
    if (what == 0x102B && has("no_terminator")) return answer_bytes("Fixture GPU", 11, room, out, written);
    if (what == 0x102B && !out) misbehave("size_query");
    switch (what) {
    case 0x1000: return answer_number(4, 8, room, out, written);
    case 0x1001: return answer_number(0x8086, 4, room, out, written);
    case 0x1002: return answer_number(has("no_units") ? 0 : 24, has("odd_number") ? 7 : 4, room, out, written);
    case 0x1004: return answer_number(256, 8, room, out, written);
    case 0x100C: return answer_number(1150, 4, room, out, written);
    case 0x100D: return answer_number(64, 4, room, out, written);
    case 0x1010: return answer_number(1 << 30, 8, room, out, written);
    case 0x101F: return answer_number(1ull << 32, 8, room, out, written);
    case 0x1022: return answer_number(1, 4, room, out, written);
    case 0x1023: return answer_number(65536, 8, room, out, written);
    case 0x1027: return answer_number(!has("not_available"), 4, room, out, written);
    case 0x1028: return answer_number(1, 4, room, out, written);
    case 0x1016: return answer_number(1, 4, room, out, written);
    case 0x102B: return answer_text("Fixture GPU", room, out, written);
    case 0x102C: return answer_text("clprobe tests", room, out, written);
    case 0x102D: return answer_text("1.0", room, out, written);
    case 0x102E: return answer_text("FULL_PROFILE", room, out, written);
    case 0x102F: return answer_text("OpenCL 1.2 fixture", room, out, written);
    case 0x103D: return answer_text("OpenCL C 1.2", room, out, written);
    case 0x1030:
        return answer_text("cl_khr_icd cl_khr_pci_bus_info cl_intel_device_attribute_query "
                           "cl_intel_required_subgroup_size cl_khr_subgroups",
                           room, out, written);
    case 0x1031: return answer_bytes(&(void *){&platform}, sizeof(void *), room, out, written);
    case 0x410F: return answer_bytes((cl_uint[]){0, 0, 2, 0}, 16, room, out, written);
    case 0x4250: return answer_number(0x02400009, 4, room, out, written);
    case 0x4251: return answer_number(0x5916, 4, room, out, written);
    case 0x4108: return answer_bytes((size_t[]){8, 16, 32}, 3 * sizeof(size_t), room, out, written);
    default: return INVALID_VALUE;
    }
}

static void *create_context(void *p, cl_uint n, void *d, void *f, void *u, cl_int *error) {
    context_of = *(void **)d;
    misbehave("context");
    if (has("context_error")) {
        *error = OUT_OF_HOST_MEMORY;
        return NULL;
    }
    *error = SUCCESS;
    return &other;
}

static void *create_queue(void *context, void *d, uint64_t properties, cl_int *error) {
    *error = SUCCESS;
    return &other;
}

static void *create_buffer(void *context, uint64_t flags, size_t size, void *host, cl_int *error) {
    kernel_output = calloc(1, size);
    *error = SUCCESS;
    return &other;
}

static void *create_program(void *c, cl_uint n, const char **text, const size_t *l, cl_int *error) {
    *error = SUCCESS;
    return &other;
}

static cl_int build_program(void *p, cl_uint n, void *d, const char *options, void *f, void *u) {
    misbehave("build");
    if (context_of == &device && has("two_first_aborts")) abort();
    if (context_of == &device && has("two_first_hangs")) pause();
    if (context_of == &second_device && has("two_second_aborts")) abort();
    return has("build_fail") ? BUILD_FAILURE : SUCCESS;
}

static cl_int get_build_info(void *p, void *d, cl_uint what, size_t room, void *out, size_t *size) {
    return answer_text(BUILD_LOG, room, out, size);
}

static void *create_kernel(void *program, const char *name, cl_int *error) {
    *error = SUCCESS;
    return &other;
}

static cl_int set_argument(void *kernel, cl_uint index, size_t size, const void *value) {
    return SUCCESS;
}

static cl_int run_kernel(void *queue, void *kernel, cl_uint dimensions, const size_t *offset,
                         const size_t *items, const size_t *group, cl_uint n, void *w, void *e) {
    misbehave("run");
    if (has("run_fail")) return OUT_OF_HOST_MEMORY;
    if (context_of == &second_device && has("two_second_wrong")) return SUCCESS;
    for (size_t i = 0; i < items[0] && !has("wrong_result"); i++)
        kernel_output[i] = (uint32_t)(i * i * 3 + 7);
    return SUCCESS;
}

// For all that programs call and no test asks for, such as clReleaseContext.
static cl_int succeed(void) { return SUCCESS; }

static cl_int finish(void *queue) { return SUCCESS; }

static cl_int read_buffer(void *queue, void *buffer, cl_uint blocking, size_t offset, size_t size,
                          void *out, cl_uint n, void *w, void *e) {
    memcpy(out, kernel_output, size);
    return SUCCESS;
}

cl_int clIcdGetPlatformIDsKHR(cl_uint room, void **out, cl_uint *count) {
    misbehave("entry");
    if (has("entry_error")) return OUT_OF_HOST_MEMORY;
    if (has("entry_no_device")) return NO_PLATFORM;
    if (has("closes_descriptors")) for (int i = 0; i < 64; i++) close(i);
    if (has("forks") && fork() == 0) hang();
    if (has("null_dispatch")) platform.dispatch = NULL;
    if (has("wild_dispatch")) platform.dispatch = (void **)0x10;
    if (has("null_platform") || has("wild_platform")) {
        if (out && room) out[0] = has("null_platform") ? NULL : (void *)0x10;
        if (count) *count = 1;
        return SUCCESS;
    }
    if (has("billions_of_platforms")) {
        if (count) *count = 0xFFFFFFFF;
        return SUCCESS;
    }
    if (has("no_platforms")) {
        if (count) *count = 0;
        return SUCCESS;
    }
    if (has("platforms_race") && out) return NO_PLATFORM;
    if (has("null_entry")) table[2] = NULL;
    if (out && room) out[0] = &platform;
    if (out && room > 1 && has("second_platform_error")) out[1] = &second_platform;
    if (count) *count = has("second_platform_error") ? 2 : 1;
    return SUCCESS;
}

#ifndef NO_EXTENSION_FUNCTION
void *clGetExtensionFunctionAddress(const char *name) {
    if (!strcmp(name, "clIcdGetPlatformIDsKHR")) return clIcdGetPlatformIDsKHR;
    // ocl-icd passes over libraries that do not give it this one.
    return strcmp(name, "clGetPlatformInfo") ? NULL : get_platform_info;
}
#endif

__attribute__((constructor)) static void load(void) {
#ifdef REGISTERS
    registry_add("fixture-option");
#endif
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) table[i] = succeed;
    table[1] = get_platform_info;
    table[2] = get_device_ids;
    table[3] = get_device_info;
    table[4] = create_context;
    table[9] = create_queue;
    table[14] = create_buffer;
    table[26] = create_program;
    table[30] = build_program;
    table[33] = get_build_info;
    table[34] = create_kernel;
    table[38] = set_argument;
    table[47] = finish;
    table[48] = read_buffer;
    table[59] = run_kernel;
    if (has("ctor_noise")) for (int i = 0; i < 20000; i++) puts("fixture: noise on stdout");
    fflush(stdout);
    misbehave("ctor");
}

__attribute__((destructor)) static void unload(void) { misbehave("dtor"); }
