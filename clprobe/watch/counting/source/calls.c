/* SPDX-License-Identifier: MIT */
/* What the program calls in the place of OpenCL's functions: each passes on what it got, returns
 * what came back, and notes it. Where nothing can be noted, it only passes on.
 */
#include "watch.h"

#define OWN static __thread __attribute__((tls_model("initial-exec")))

/* A loader or driver may reach our functions itself, for what the program asked it. */
OWN unsigned inside;
/* A library that stands before the loader passes on the same kernel on the same queue. */
OWN const void *enqueuing_on;
OWN const void *enqueuing;

void enter(void)
{
    inside++;
}

void leave(void)
{
    inside--;
}

static struct state *begin(enum call call)
{
    struct state *state = inside > 0 ? NULL : process_state();
    if (state != NULL)
        ADD(state->record->begun[call], 1);
    enter();
    return state;
}

static void end(struct state *state, enum call call, int32_t code)
{
    leave();
    if (state == NULL)
        return;
    note_outcome(state, call, code);
    SET(state->record->last_call_ns, about_now_ns());
}

/* ---- calls of which only the outcome counts; opencl.h says which */

#define WITH_LOADER(...) (struct loader * loader, __VA_ARGS__)
#define CODE(call, result, parameters, ...)                                                       \
    static result on_##call WITH_LOADER parameters                                                \
    {                                                                                             \
        struct state *state = begin(CALL_##call);                                                 \
        int32_t code = REAL(loader, call)(__VA_ARGS__);                                           \
        end(state, CALL_##call, code);                                                            \
        return code;                                                                              \
    }
/* The type of devices that was asked for is told, too. */
#define TYPED(call, result, parameters, ...)                                                      \
    static result on_##call WITH_LOADER parameters                                                \
    {                                                                                             \
        struct state *state = begin(CALL_##call);                                                 \
        int32_t code = REAL(loader, call)(__VA_ARGS__);                                           \
        end(state, CALL_##call, code);                                                            \
        if (state != NULL)                                                                        \
            note_asked(type, code);                                                               \
        return code;                                                                              \
    }
/* Of a build that fails, what the compiler said is told, too. */
#define BUILT(call, result, parameters, ...)                                                      \
    static result on_##call WITH_LOADER parameters                                                \
    {                                                                                             \
        struct state *state = begin(CALL_##call);                                                 \
        int32_t code = REAL(loader, call)(__VA_ARGS__);                                           \
        if (code != CL_SUCCESS && state != NULL)                                                  \
            tell_build(loader, program, devices, ids);                                            \
        end(state, CALL_##call, code);                                                            \
        return code;                                                                              \
    }
/* Where the program does not ask for the code, we do. */
#define HANDLE(call, result, parameters, ...)                                                     \
    static result on_##call WITH_LOADER parameters                                                \
    {                                                                                             \
        struct state *state = begin(CALL_##call);                                                 \
        int32_t own = CL_SUCCESS;                                                                 \
        code = code == NULL ? &own : code;                                                        \
        result made = REAL(loader, call)(__VA_ARGS__);                                            \
        end(state, CALL_##call, *code);                                                           \
        return made;                                                                              \
    }
#define BY_ITSELF(call, result, parameters, ...) static result on_##call WITH_LOADER parameters;

enum { MOST_BUILT_FOR = 8, MOST_LOG_BYTES = 4 << 20 };

static void tell_log(struct loader *loader, void *program, void *device)
{
    clGetProgramBuildInfo_type ask = REAL(loader, clGetProgramBuildInfo);
    size_t bytes = 0;
    if (ask(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS || bytes < 2 ||
        bytes > MOST_LOG_BYTES)
        return;
    char *log = map_memory(bytes + 1); /* which ends in a zero, whatever the driver writes */
    if (log == NULL)
        return;
    if (ask(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) == CL_SUCCESS)
        note_build(log);
    LINUX(munmap, log, bytes + 1);
}

static void tell_build(struct loader *loader, void *program, uint32_t devices, void *const *ids)
{
    void *found[MOST_BUILT_FOR] = {NULL};
    if (loader->real[CALL_clGetProgramBuildInfo] == NULL)
        return;
    if (ids == NULL) {
        if (loader->real[CALL_clGetProgramInfo] != NULL)
            REAL(loader, clGetProgramInfo)(program, CL_PROGRAM_DEVICES, sizeof found, found, NULL);
        devices = MOST_BUILT_FOR;
        ids = found;
    }
    for (uint32_t at = 0; at < devices && at < MOST_BUILT_FOR && ids[at] != NULL; at++)
        tell_log(loader, program, ids[at]);
}

#define DEFINE(n, way, call, ...) way(call, __VA_ARGS__)
REPLACED(DEFINE, )

/* ---- queues, which are to give times */

/* Returns whether the table holds it; what it does not hold must not be altered. */
static bool note_queue(struct state *state, struct loader *loader, void *handle, void *device,
                       const uint64_t *properties, uint32_t words, uint64_t bits, bool is_altered)
{
    if (state == NULL || handle == NULL)
        return true;
    struct queue *queue = add_queue(state, handle, find_device(state, loader, device));
    if (queue == NULL)
        return false;
    queue->is_altered = is_altered;
    queue->is_profiled = is_altered || (bits & QUEUE_PROFILING) != 0;
    queue->words = words;
    if (words > 0)
        memcpy(queue->properties, properties, words * sizeof *properties);
    if (is_altered)
        SET(state->has_altered, 1);
    SET(queue->handle, handle);
    return true;
}

static bool may_alter(const struct state *state, uint64_t bits)
{
    return state != NULL && (bits & (QUEUE_PROFILING | QUEUE_ON_DEVICE)) == 0 && wants_times();
}

static void *on_clCreateCommandQueue(struct loader *loader, void *context, void *device,
                                     uint64_t properties, int32_t *code)
{
    struct state *state = begin(CALL_clCreateCommandQueue);
    int32_t own = CL_SUCCESS;
    code = code == NULL ? &own : code;
    clCreateCommandQueue_type real = REAL(loader, clCreateCommandQueue);
    void *queue = NULL;
    if (may_alter(state, properties)) {
        queue = real(context, device, properties | QUEUE_PROFILING, code);
        if (!note_queue(state, loader, queue, device, NULL, 0, properties, true)) {
            REAL(loader, clReleaseCommandQueue)(queue);
            queue = NULL;
        }
    }
    if (queue == NULL) {
        queue = real(context, device, properties, code);
        note_queue(state, loader, queue, device, NULL, 0, properties, false);
    }
    end(state, CALL_clCreateCommandQueue, *code);
    return queue;
}

static void ask_for_profiling(const uint64_t *given, uint32_t words, uint64_t bits, uint64_t *list)
{
    uint32_t length = 0;
    bool is_stated = false;
    for (uint32_t word = 0; word + 1 < words; word += 2) {
        bool is_bits = given[word] == CL_QUEUE_PROPERTIES;
        list[length++] = given[word];
        list[length++] = is_bits ? bits | QUEUE_PROFILING : given[word + 1];
        is_stated = is_stated || is_bits;
    }
    if (!is_stated) {
        list[length++] = CL_QUEUE_PROPERTIES;
        list[length++] = QUEUE_PROFILING;
    }
    list[length] = 0;
}

static void *on_clCreateCommandQueueWithProperties(struct loader *loader, void *context,
                                                   void *device, const uint64_t *properties,
                                                   int32_t *code)
{
    struct state *state = begin(CALL_clCreateCommandQueueWithProperties);
    int32_t own = CL_SUCCESS;
    code = code == NULL ? &own : code;
    clCreateCommandQueueWithProperties_type real =
        REAL(loader, clCreateCommandQueueWithProperties);
    uint32_t words = 0;
    uint64_t bits = 0;
    if (properties != NULL) {
        while (words + 3 <= MOST_WORDS && properties[words] != 0) {
            if (properties[words] == CL_QUEUE_PROPERTIES)
                bits = properties[words + 1];
            words += 2;
        }
        words++;
    }
    bool is_whole = properties == NULL || properties[words - 1] == 0;
    words = is_whole ? words : 0;
    void *queue = NULL;
    if (is_whole && may_alter(state, bits)) {
        uint64_t list[MOST_WORDS + 2];
        ask_for_profiling(properties, words, bits, list);
        queue = real(context, device, list, code);
        if (!note_queue(state, loader, queue, device, properties, words, bits, true)) {
            REAL(loader, clReleaseCommandQueue)(queue);
            queue = NULL;
        }
    }
    if (queue == NULL) {
        queue = real(context, device, properties, code);
        note_queue(state, loader, queue, device, properties, words, bits, false);
    }
    end(state, CALL_clCreateCommandQueueWithProperties, *code);
    return queue;
}

static int32_t on_clReleaseCommandQueue(struct loader *loader, void *handle)
{
    struct state *state = inside > 0 ? NULL : process_state();
    struct queue *queue = state == NULL ? NULL : find_queue(state, handle);
    enter();
    if (queue != NULL) {
        uint32_t references = 1;
        drop_queue(state, handle);
        REAL(loader, clGetCommandQueueInfo)(handle, CL_QUEUE_REFERENCE_COUNT, sizeof references,
                                            &references, NULL);
        if (references <= 1)
            forget_queue(state, handle);
    }
    int32_t code = REAL(loader, clReleaseCommandQueue)(handle);
    leave();
    return code;
}

/* ---- what would tell the program that its queue was altered */

static int32_t on_clGetCommandQueueInfo(struct loader *loader, void *handle, uint32_t what,
                                        size_t room, void *value, size_t *bytes)
{
    clGetCommandQueueInfo_type real = REAL(loader, clGetCommandQueueInfo);
    bool tells = what == CL_QUEUE_PROPERTIES || what == CL_QUEUE_PROPERTIES_ARRAY;
    struct state *state = inside > 0 || !tells ? NULL : process_state();
    struct queue *queue = state == NULL ? NULL : find_queue(state, handle);
    if (queue == NULL || !queue->is_altered)
        return real(handle, what, room, value, bytes);
    if (what == CL_QUEUE_PROPERTIES) {
        int32_t code = real(handle, what, room, value, bytes);
        if (code == CL_SUCCESS && value != NULL && room >= sizeof(uint64_t)) {
            uint64_t bits;
            memcpy(&bits, value, sizeof bits);
            bits &= ~QUEUE_PROFILING;
            memcpy(value, &bits, sizeof bits);
        }
        return code;
    }
    size_t length = queue->words * sizeof(uint64_t), own = 0;
    bytes = bytes == NULL ? &own : bytes;
    int32_t code = real(handle, what, 0, NULL, bytes); /* before OpenCL 3.0 it is not known */
    if (code != CL_SUCCESS)
        return code;
    if (value != NULL && room < length)
        return CL_INVALID_VALUE;
    if (value != NULL)
        memcpy(value, queue->properties, length);
    *bytes = length;
    return CL_SUCCESS;
}

static int32_t on_clGetEventProfilingInfo(struct loader *loader, void *event, uint32_t what,
                                          size_t room, void *value, size_t *bytes)
{
    struct state *state = inside > 0 ? NULL : process_state();
    if (state != NULL && GET(state->has_altered)) {
        void *handle = NULL;
        if (REAL(loader, clGetEventInfo)(event, CL_EVENT_COMMAND_QUEUE, sizeof handle, &handle,
                                         NULL) == CL_SUCCESS) {
            struct queue *queue = find_queue(state, handle);
            if (queue != NULL && queue->is_altered)
                return CL_PROFILING_INFO_NOT_AVAILABLE;
        }
    }
    return REAL(loader, clGetEventProfilingInfo)(event, what, room, value, bytes);
}

/* What a program asks of a device before it leaves it out tells what it wants. */
static int32_t on_clGetDeviceInfo(struct loader *loader, void *device, uint32_t what, size_t room,
                                  void *value, size_t *bytes)
{
    if (inside == 0 && process_state() != NULL)
        note_property(what);
    return REAL(loader, clGetDeviceInfo)(device, what, room, value, bytes);
}

/* ---- kernels */

struct launch {
    struct state *state; /* NULL: it is not counted */
    struct loader *loader;
    struct queue *queue;
    uint64_t weight; /* 0: it is not timed */
    void **event;    /* where the driver puts it; NULL: nowhere */
    void *own_event;
    const void *outer_queue, *outer_kernel;
};

static void begin_launch(struct launch *launch, struct loader *loader, enum call call, void *queue,
                         void *kernel, void **event)
{
    bool is_passed_on = inside > 0 && enqueuing_on == queue && enqueuing == kernel;
    *launch = (struct launch){
        .state = is_passed_on ? NULL : process_state(),
        .loader = loader,
        .event = event,
        .outer_queue = enqueuing_on,
        .outer_kernel = enqueuing,
    };
    if (launch->state != NULL) {
        struct state *state = launch->state;
        uint64_t number = ADD(state->record->begun[call], 1);
        launch->queue = find_queue(state, queue);
        if (launch->queue != NULL && launch->queue->is_profiled && wants_times()) {
            enum call other = call == CALL_clEnqueueTask ? CALL_clEnqueueNDRangeKernel
                                                         : CALL_clEnqueueTask;
            launch->weight = choose_weight(state, number + GET(state->record->begun[other]));
        }
        if (launch->weight > 0 && event == NULL)
            launch->event = &launch->own_event;
    }
    enqueuing_on = queue;
    enqueuing = kernel;
    enter();
}

static void end_launch(struct launch *launch, enum call call, void *queue, int32_t code)
{
    struct state *state = launch->state;
    struct loader *loader = launch->loader;
    leave();
    enqueuing_on = launch->outer_queue;
    enqueuing = launch->outer_kernel;
    if (state == NULL)
        return;
    uint32_t index = launch->queue != NULL          ? launch->queue->device
                     : code == CL_INVALID_COMMAND_QUEUE ? find_device(state, loader, NULL)
                                                        : device_of_queue(state, loader, queue);
    struct device_record *device = &state->record->devices[index];
    uint64_t now = about_now_ns();
    SET(state->record->last_call_ns, now);
    if (code != CL_SUCCESS) {
        ADD(device->failed, 1);
        SET(device->last_error, code);
        note_outcome(state, call, code);
        return;
    }
    ADD(device->enqueued, 1);
    uint64_t none = 0;
    if (GET(state->record->first_kernel_ns) == 0)
        SWAP(state->record->first_kernel_ns, none, now);
    if (launch->weight > 0 && *launch->event != NULL) {
        bool is_ours = launch->event == &launch->own_event;
        if (is_ours || REAL(loader, clRetainEvent)(*launch->event) == CL_SUCCESS)
            await(state, loader, launch->queue, *launch->event, launch->weight, is_ours);
        harvest_some(state);
    }
}

static int32_t on_clEnqueueNDRangeKernel(struct loader *loader, void *queue, void *kernel,
                                         uint32_t dimensions, const size_t *offset,
                                         const size_t *global, const size_t *local, uint32_t waits,
                                         void *const *wait_for, void **event)
{
    struct launch launch;
    begin_launch(&launch, loader, CALL_clEnqueueNDRangeKernel, queue, kernel, event);
    int32_t code = REAL(loader, clEnqueueNDRangeKernel)(
        queue, kernel, dimensions, offset, global, local, waits, wait_for, launch.event);
    end_launch(&launch, CALL_clEnqueueNDRangeKernel, queue, code);
    return code;
}

static int32_t on_clEnqueueTask(struct loader *loader, void *queue, void *kernel, uint32_t waits,
                                void *const *wait_for, void **event)
{
    struct launch launch;
    begin_launch(&launch, loader, CALL_clEnqueueTask, queue, kernel, event);
    int32_t code = REAL(loader, clEnqueueTask)(queue, kernel, waits, wait_for, launch.event);
    end_launch(&launch, CALL_clEnqueueTask, queue, code);
    return code;
}

/* ---- after these, events are complete; drivers may run the program's callbacks in them, whose
 * calls are the program's */

static void look(void)
{
    struct state *state = inside > 0 ? NULL : process_state();
    if (state != NULL)
        harvest_all(state);
}

static int32_t on_clFinish(struct loader *loader, void *queue)
{
    int32_t code = REAL(loader, clFinish)(queue);
    look();
    return code;
}

static int32_t on_clWaitForEvents(struct loader *loader, uint32_t events, void *const *list)
{
    int32_t code = REAL(loader, clWaitForEvents)(events, list);
    look();
    return code;
}

static int32_t on_clEnqueueReadBuffer(struct loader *loader, void *queue, void *buffer,
                                      uint32_t blocks, size_t offset, size_t bytes, void *to,
                                      uint32_t waits, void *const *wait_for, void **event)
{
    int32_t code = REAL(loader, clEnqueueReadBuffer)(queue, buffer, blocks, offset, bytes, to,
                                                     waits, wait_for, event);
    if (blocks)
        look();
    return code;
}

static void *on_clEnqueueMapBuffer(struct loader *loader, void *queue, void *buffer,
                                   uint32_t blocks, uint64_t flags, size_t offset, size_t bytes,
                                   uint32_t waits, void *const *wait_for, void **event,
                                   int32_t *code)
{
    void *mapped = REAL(loader, clEnqueueMapBuffer)(queue, buffer, blocks, flags, offset, bytes,
                                                    waits, wait_for, event, code);
    if (blocks)
        look();
    return mapped;
}

static int32_t on_clReleaseContext(struct loader *loader, void *context)
{
    look();
    return REAL(loader, clReleaseContext)(context);
}

/* ---- one function for each of so many loaders, for it must know whose it stands for */

#define STAND_IN(n, way, call, result, parameters, ...)                                           \
    static result call##_of_##n parameters                                                        \
    {                                                                                             \
        return on_##call(&loaders[n], __VA_ARGS__);                                               \
    }
#define STAND_INS(n) REPLACED(STAND_IN, n)
#define NUMBERS(X)                                                                                \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
NUMBERS(STAND_INS)

/* No table, whose addresses would be written anew in each process that is started. */
void *stand_in(unsigned loader, enum call call)
{
#define ADDRESS(n, way, call, ...)                                                                \
    case n * REPLACED_CALLS + CALL_##call:                                                        \
        return (void *)call##_of_##n;
#define ADDRESSES(n) REPLACED(ADDRESS, n)
    switch (loader * REPLACED_CALLS + call) {
        NUMBERS(ADDRESSES)
    default:
        return NULL;
    }
}
