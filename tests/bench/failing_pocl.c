// SPDX-License-Identifier: MIT
// An OpenCL vendor library: PoCL, until the first kernel is launched. Then it crashes, or hangs if
// it was compiled with -DHANG. POCL is the path of the real library.

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

// The place of clEnqueueNDRangeKernel in the table that all ICDs share (CL/cl_icd.h).
enum { ENQUEUE_ND_RANGE_KERNEL = 59 };

struct platform { void **dispatch; };

static int fail(void) {
#ifdef HANG
    for (;;) pause();
#else
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
#endif
    return 0;
}

static void *ask_pocl(const char *name) {
    void *library = dlopen(POCL, RTLD_NOW | RTLD_LOCAL);
    void *(*ask)(const char *) = dlsym(library, "clGetExtensionFunctionAddress");
    return ask(name);
}

int clIcdGetPlatformIDsKHR(unsigned room, struct platform **platforms, unsigned *count) {
    int (*get)(unsigned, struct platform **, unsigned *) = ask_pocl("clIcdGetPlatformIDsKHR");
    int result = get(room, platforms, count);
    if (platforms) platforms[0]->dispatch[ENQUEUE_ND_RANGE_KERNEL] = fail;
    return result;
}

void *clGetExtensionFunctionAddress(const char *name) {
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? ask_pocl(name) : clIcdGetPlatformIDsKHR;
}
