// SPDX-License-Identifier: MIT
// An OpenCL vendor library that passes everything on to PoCL, and calls its CPU a GPU.

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t cl_uint;
typedef int32_t cl_int;
struct object { void **dispatch; };

enum { PLACES = 160, KNOWN_PLACES = 111, DEVICE_IDS = 2, DEVICE_INFO = 3 };
enum { GPU = 4, MOST_DEVICES = 16 };

#ifndef DEVICE_NAME
#define DEVICE_NAME "GeForce RTX 5090"
#endif
#ifndef DEVICE_VENDOR
#define DEVICE_VENDOR "NVIDIA Corporation"
#endif

static void *table[PLACES];
static cl_int (*real_platforms)(cl_uint, struct object **, cl_uint *);
static cl_int (*real_devices)(void *, uint64_t, cl_uint, struct object **, cl_uint *);
static cl_int (*real_device_info)(void *, cl_uint, size_t, void *, size_t *);

static cl_int text(const char *value, size_t room, void *out, size_t *written) {
    if (out && room >= strlen(value) + 1) strcpy(out, value);
    if (written) *written = strlen(value) + 1;
    return 0;
}

static cl_int device_info(void *self, cl_uint what, size_t room, void *out, size_t *written) {
    if (what == 0x102B) return text(DEVICE_NAME, room, out, written);
    if (what == 0x102C) return text(DEVICE_VENDOR, room, out, written);
    cl_int code = real_device_info(self, what, room, out, written);
    if (what == 0x1000 && !code && out) *(uint64_t *)out = GPU;
    return code;
}

static cl_int devices(void *self, uint64_t type, cl_uint room, struct object **out, cl_uint *count) {
    cl_uint number = 0;
    cl_int code = real_devices(self, ~0u, room, out, &number);
    for (cl_uint i = 0; out && !code && i < number && i < room; i++) out[i]->dispatch = table;
    if (count) *count = number;
    return code;
}

static cl_int platforms(cl_uint room, struct object **out, cl_uint *count) {
    cl_uint number = 0;
    cl_int code = real_platforms(room, out, &number);
    for (cl_uint i = 0; out && !code && i < number && i < room; i++) {
        if (out[i]->dispatch == table) continue;
        memcpy(table, out[i]->dispatch, KNOWN_PLACES * sizeof *table);
        real_devices = table[DEVICE_IDS];
        real_device_info = table[DEVICE_INFO];
        table[DEVICE_IDS] = devices;
        table[DEVICE_INFO] = device_info;
        out[i]->dispatch = table;
        // Who takes devices from a context by their type never asks for them here.
        struct object *known[MOST_DEVICES];
        devices(out[i], ~0u, MOST_DEVICES, known, NULL);
    }
    if (count) *count = number;
    return code;
}

void *clGetExtensionFunctionAddress(const char *name) {
    void *pocl = dlopen("libpocl.so.2", RTLD_NOW);
    void *(*find)(const char *) = pocl ? dlsym(pocl, "clGetExtensionFunctionAddress") : NULL;
    if (!find) return NULL;
    if (strcmp(name, "clIcdGetPlatformIDsKHR")) return find(name);
    real_platforms = find(name);
    return platforms;
}
