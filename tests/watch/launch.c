/* SPDX-License-Identifier: MIT */
/* Enqueues as many kernels as it is told, and ends as it is told; prints what it sees.
 *
 * Arguments are NAME=VALUE; with -DLINKED it is linked to a loader, else it opens library=PATH.
 */
#define _GNU_SOURCE
#include "functions.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef LINKED
#define X(result, name, parameters, arguments) extern result name parameters;
FUNCTIONS(X)
static void load(const char *library)
{
    (void)library;
}
#else
#define X(result, name, parameters, arguments) static result(*name) parameters;
FUNCTIONS(X)
#undef X
static void load(const char *library)
{
    void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (opened == NULL) {
        printf("%s\n", dlerror());
        exit(3);
    }
#define X(result, name, parameters, arguments) *(void **)&name = dlsym(opened, #name);
    FUNCTIONS(X)
}
#endif

static const char *SOURCE = "kernel void work(global float *x, int turns) {"
                            " float y = get_global_id(0);"
                            " for (int i = 0; i < turns; i++) y = y * 0.999f + 1.0f;"
                            " x[get_global_id(0)] = y; }";
static char **arguments;
static void *context, *device, *program, *kernel;

static const char *stated(const char *name, const char *otherwise)
{
    size_t length = strlen(name);
    for (char **one = arguments; *one != NULL; one++)
        if (strncmp(*one, name, length) == 0 && (*one)[length] == '=')
            return *one + length + 1;
    return otherwise;
}

static int number(const char *name, int otherwise)
{
    const char *text = stated(name, NULL);
    return text == NULL ? otherwise : atoi(text);
}

static void must(int code, const char *what)
{
    if (code != 0) {
        printf("%s: %d\n", what, code);
        fflush(stdout);
        exit(4);
    }
}

static void *find_platform(void)
{
    void *platforms[32];
    unsigned found = 0;
    must(clGetPlatformIDs(32, platforms, &found), "clGetPlatformIDs");
    for (unsigned index = 0; index < found && index < 32; index++) {
        char name[256] = "";
        clGetPlatformInfo(platforms[index], 0x0902, sizeof name, name, NULL);
        if (strstr(name, stated("platform", "")) != NULL)
            return platforms[index];
    }
    printf("no such platform\n");
    exit(5);
}

static void prepare(void)
{
    load(stated("library", ""));
    void *platform = find_platform();
    if (number("no_gpu", 0))
        printf("clGetDeviceIDs: %d\n", clGetDeviceIDs(platform, 1 << 2, 1, &device, NULL));
    must(clGetDeviceIDs(platform, 0xFFFFFFFF, 1, &device, NULL), "clGetDeviceIDs");
    int code = 0;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must(code, "clCreateContext");
    if (number("broken_program", 0)) {
        const char *broken = "kernel void work(";
        void *fails = clCreateProgramWithSource(context, 1, &broken, NULL, &code);
        printf("clBuildProgram: %d\n", clBuildProgram(fails, 1, &device, "", NULL, NULL));
    }
    program = clCreateProgramWithSource(context, 1, &SOURCE, NULL, &code);
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    kernel = clCreateKernel(program, "work", &code);
    must(code, "clCreateKernel");
}

static void *make_queue(void)
{
    const char *how = stated("queue", "plain");
    int code = 0;
    void *queue;
    if (strcmp(how, "plain") == 0)
        queue = clCreateCommandQueue(context, device, 0, &code);
    else if (strcmp(how, "profiling") == 0)
        queue = clCreateCommandQueue(context, device, 2, NULL);
    else if (strcmp(how, "null") == 0)
        queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    else {
        const uint64_t properties[] = {0x1093, strcmp(how, "out-of-order") == 0, 0};
        queue = clCreateCommandQueueWithProperties(context, device, properties, &code);
    }
    must(code, "queue");
    return queue;
}

static void show(void *queue, void *event)
{
    uint64_t bits = 99, list[8] = {0}, start = 0;
    size_t bytes = 0;
    unsigned references = 0;
    int code = clGetCommandQueueInfo(queue, 0x1093, sizeof bits, &bits, NULL);
    printf("properties: %d, %d\n", code, (int)bits);
    code = clGetCommandQueueInfo(queue, 0x1098, sizeof list, list, &bytes);
    if (code == 0)
        printf("list: %zu bytes, %#x %d\n", bytes, (int)list[0], (int)list[1]);
    code = clGetEventProfilingInfo(event, 0x1282, sizeof start, &start, NULL);
    printf("profiling: %d, %d\n", code, start != 0);
    clGetEventInfo(event, 0x11D2, sizeof references, &references, NULL);
    clReleaseEvent(event);
}

/* Each of many queues at a time gets a kernel, and none tells of more than it was given. */
static void use_many_queues(void *own, const size_t *items)
{
    static void *queues[1024];
    int count = number("queues", 0), told = 0;
    for (int index = 0; index < count; index++)
        queues[index] = make_queue();
    for (int index = 0; index < count; index++) {
        uint64_t bits = 0;
        clGetCommandQueueInfo(queues[index], 0x1093, sizeof bits, &bits, NULL);
        told += bits != 0;
        must(clEnqueueNDRangeKernel(queues[index], own, 1, NULL, items, NULL, 0, NULL, NULL),
             "clEnqueueNDRangeKernel");
    }
    for (int index = 0; index < count; index++) {
        clFinish(queues[index]);
        clReleaseCommandQueue(queues[index]);
    }
    if (count > 0)
        printf("queues with properties: %d\n", told);
}

static void *enqueue(void *unused)
{
    void *queue = make_queue();
    int count = number("kernels", 10), turns = number("turns", 10), code = 0;
    size_t items = (size_t)number("items", 64);
    void *own = clCreateKernel(program, "work", &code);
    must(code, "clCreateKernel");
    void *buffer = clCreateBuffer(context, 1, items * sizeof(float), NULL, &code);
    must(code, "clCreateBuffer");
    clSetKernelArg(own, 0, sizeof buffer, &buffer);
    clSetKernelArg(own, 1, sizeof turns, &turns);
    use_many_queues(own, &items);
    int pause = number("finish_every", 0);
    for (int index = 0; index < count; index++) {
        void *event = NULL, **asked = number("events", 0) ? &event : NULL;
        if (number("task", 0))
            must(clEnqueueTask(queue, own, 0, NULL, asked), "clEnqueueTask");
        else
            must(clEnqueueNDRangeKernel(queue, own, 1, NULL, &items, NULL, 0, NULL, asked),
                 "clEnqueueNDRangeKernel");
        if (event != NULL && index == 0 && number("show", 0)) {
            clWaitForEvents(1, &event);
            show(queue, event);
        } else if (event != NULL)
            clReleaseEvent(event);
        if (pause != 0 && index % pause == pause - 1)
            clFinish(queue);
    }
    for (int index = 0; index < number("failures", 0); index++) {
        size_t none = 7;
        clEnqueueNDRangeKernel(queue, own, 9, NULL, &none, NULL, 0, NULL, NULL);
    }
    if (number("kill", 0))
        kill(getpid(), SIGKILL);
    clFinish(queue);
    if (number("release", 1))
        clReleaseCommandQueue(queue);
    return unused;
}

static int as_told(void)
{
    prepare();
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int threads = number("threads", 0);
    pthread_t started[16];
    for (int index = 0; index < threads; index++)
        pthread_create(&started[index], NULL, enqueue, NULL);
    for (int index = 0; index < threads; index++)
        pthread_join(started[index], NULL);
    if (threads == 0)
        enqueue(NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("took %.6f s\n",
           (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
    fflush(stdout);
    return 0;
}

int main(int count, char **given)
{
    (void)count;
    arguments = given + 1;
    int children = number("children", 0);
    for (int index = 0; index < children; index++)
        if (fork() == 0)
            return as_told();
    while (children > 0 && wait(NULL) > 0)
        ;
    if (children > 0)
        return 0;
    for (int index = 0; index < number("reopen", 0); index++) {
        void *opened = dlopen(stated("library", ""), RTLD_NOW | RTLD_LOCAL);
        int (*get)(unsigned, void **, unsigned *) = NULL;
        *(void **)&get = dlsym(opened, "clGetPlatformIDs");
        unsigned found;
        get(0, NULL, &found);
        dlclose(opened);
    }
    int code = number("nothing", 0) ? 0 : as_told();
    if (strcmp(stated("then", ""), "_exit") == 0)
        _exit(code);
    if (strcmp(stated("then", ""), "exec") == 0)
        execl(given[0], given[0], stated("library_too", ""), stated("again", "kernels=1"), NULL);
    return code;
}
