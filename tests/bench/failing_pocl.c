// SPDX-License-Identifier: MIT
// An OpenCL vendor library: PoCL, until the first kernel is launched besides the one that measures
// the device's peak. Then it crashes; compiled with -DHANG it hangs, with -DLOSE it says that the
// queue is none any more, with -DFULL that it has no memory left; with -DONLY="name" only for kernels of that name. With -DPOSE it works, and
// calls itself a GPU. POCL is the path of the real library.

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

// Places in the table that all ICDs share (CL/cl_icd.h), and CL_KERNEL_FUNCTION_NAME.
enum { GET_DEVICE_INFO = 3, DEVICE_TYPE = 0x1000, DEVICE_TYPE_GPU = 4 };
enum { GET_KERNEL_INFO = 39, ENQUEUE_ND_RANGE_KERNEL = 59, FUNCTION_NAME = 0x1190 };
enum { MEM_OBJECT_ALLOCATION_FAILURE = -4, INVALID_COMMAND_QUEUE = -36 };

struct platform { void **dispatch; };

typedef int (*launch_t)(void *, void *, unsigned, const size_t *, const size_t *, const size_t *,
                        unsigned, const void *, void *);
static launch_t launch;
static int (*get_kernel_info)(void *, unsigned, size_t, void *, size_t *);

static int fail(void *queue, void *kernel, unsigned dimensions, const size_t *offset,
                const size_t *global_size, const size_t *local_size, unsigned waits,
                const void *wait_list, void *event) {
    char name[64] = "";
    get_kernel_info(kernel, FUNCTION_NAME, sizeof name, name, 0);
    int works = !strcmp(name, "fma_chain");
#ifdef ONLY
    works = strcmp(name, ONLY);
#endif
    if (works)
        return launch(queue, kernel, dimensions, offset, global_size, local_size, waits, wait_list,
                      event);
#ifdef HANG
    for (;;) pause();
#elif defined(LOSE)
    return INVALID_COMMAND_QUEUE;
#elif defined(FULL)
    return MEM_OBJECT_ALLOCATION_FAILURE;
#else
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
#endif
    return 0;
}

static int (*get_device_info)(void *, unsigned, size_t, void *, size_t *);

static int pose(void *device, unsigned what, size_t room, void *value, size_t *size) {
    int result = get_device_info(device, what, room, value, size);
    if (what == DEVICE_TYPE && value) *(unsigned long *)value = DEVICE_TYPE_GPU;
    return result;
}

static void *ask_pocl(const char *name) {
    void *library = dlopen(POCL, RTLD_NOW | RTLD_LOCAL);
    void *(*ask)(const char *) = dlsym(library, "clGetExtensionFunctionAddress");
    return ask(name);
}

int clIcdGetPlatformIDsKHR(unsigned room, struct platform **platforms, unsigned *count) {
    int (*get)(unsigned, struct platform **, unsigned *) = ask_pocl("clIcdGetPlatformIDsKHR");
    int result = get(room, platforms, count);
    if (platforms && !launch) {
        void **table = platforms[0]->dispatch;
        launch = table[ENQUEUE_ND_RANGE_KERNEL];
        get_kernel_info = table[GET_KERNEL_INFO];
#ifdef POSE
        get_device_info = table[GET_DEVICE_INFO];
        table[GET_DEVICE_INFO] = pose;
#else
        table[ENQUEUE_ND_RANGE_KERNEL] = fail;
#endif
    }
    return result;
}

void *clGetExtensionFunctionAddress(const char *name) {
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? ask_pocl(name) : clIcdGetPlatformIDsKHR;
}
