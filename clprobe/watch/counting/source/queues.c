/* SPDX-License-Identifier: MIT */
/* Which queue is of which device. Tables are read and written without locks. */
#include "watch.h"

enum { MOST_PROBES = 32, DEEPEST_DEVICE = 8 };
/* No handle is at these addresses. */
#define NEVER_USED ((void *)0)
#define BEING_WRITTEN ((void *)1)
#define FORGOTTEN ((void *)2)

static unsigned place_of(const void *handle)
{
    return (unsigned)(((uintptr_t)handle * UINT64_C(0x9E3779B97F4A7C15)) >> 40) % MOST_QUEUES;
}

struct queue *find_queue(struct state *state, const void *handle)
{
    if ((uintptr_t)handle <= (uintptr_t)FORGOTTEN)
        return NULL;
    for (unsigned probe = 0; probe < MOST_PROBES; probe++) {
        struct queue *queue = &state->queues[(place_of(handle) + probe) % MOST_QUEUES];
        void *found = GET(queue->handle);
        if (found == handle)
            return queue;
        if (found == NEVER_USED)
            return NULL;
    }
    return NULL;
}

/* Returns one that only its caller sees until the handle is set; NULL where the table is full. */
struct queue *add_queue(struct state *state, void *handle, uint32_t device)
{
    if ((uintptr_t)handle <= (uintptr_t)FORGOTTEN)
        return NULL;
    forget_queue(state, handle); /* of a queue that is gone, at the same address */
    for (unsigned probe = 0; probe < MOST_PROBES; probe++) {
        struct queue *queue = &state->queues[(place_of(handle) + probe) % MOST_QUEUES];
        void *found = GET(queue->handle);
        if ((found == NEVER_USED || found == FORGOTTEN) &&
            SWAP(queue->handle, found, BEING_WRITTEN)) {
            queue->device = device;
            queue->is_profiled = queue->is_altered = queue->words = 0;
            return queue;
        }
    }
    return NULL;
}

void forget_queue(struct state *state, const void *handle)
{
    struct queue *queue;
    while ((queue = find_queue(state, handle)) != NULL) {
        void *found = (void *)handle;
        SWAP(queue->handle, found, FORGOTTEN);
    }
}

static void read_text(info_function get, void *of, uint32_t what, char *text, size_t room)
{
    char long_text[512];
    size_t bytes = 0;
    if (of == NULL || get(of, what, 0, NULL, &bytes) != CL_SUCCESS ||
        bytes > sizeof long_text || get(of, what, bytes, long_text, NULL) != CL_SUCCESS)
        return;
    size_t kept = bytes < room - 1 ? bytes : room - 1;
    memcpy(text, long_text, kept);
}

static void describe(struct device_record *record, const struct loader *loader, void *device)
{
    info_function get = REAL(loader, clGetDeviceInfo);
    void *platform = NULL;
    uint64_t type = 0;
    get(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    get(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    record->type = type;
    read_text(get, device, CL_DEVICE_NAME, record->name, sizeof record->name);
    read_text(get, device, CL_DRIVER_VERSION, record->driver_version,
              sizeof record->driver_version);
    read_text(REAL(loader, clGetPlatformInfo), platform, CL_PLATFORM_NAME, record->platform,
              sizeof record->platform);
}

/* Parts of a device count as the whole. */
static void *whole_device(const struct loader *loader, void *device)
{
    info_function get = REAL(loader, clGetDeviceInfo);
    for (int depth = 0; depth < DEEPEST_DEVICE; depth++) {
        void *parent = NULL;
        if (get(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) != CL_SUCCESS ||
            parent == NULL)
            break;
        device = parent;
    }
    return device;
}

static uint32_t nobody_knows(struct state *state)
{
    SET(state->record->devices[NO_DEVICE].state, READY);
    return NO_DEVICE;
}

uint32_t find_device(struct state *state, const struct loader *loader, void *device)
{
    if (device == NULL)
        return nobody_knows(state);
    enter();
    device = whole_device(loader, device);
    uint32_t index = 0;
    for (; index < NO_DEVICE; index++) {
        void *found = GET(state->device_handles[index]);
        if (found == device)
            break;
        if (found == NULL && SWAP(state->device_handles[index], found, device)) {
            describe(&state->record->devices[index], loader, device);
            SET(state->record->devices[index].state, READY);
            break;
        }
        if (found == device) /* another thread was faster */
            break;
    }
    leave();
    if (index < NO_DEVICE)
        return index;
    __atomic_fetch_or(&state->record->flags, MORE_DEVICES, __ATOMIC_RELAXED);
    return nobody_knows(state);
}

uint32_t device_of_queue(struct state *state, const struct loader *loader, void *queue)
{
    info_function get = REAL(loader, clGetCommandQueueInfo);
    void *device = NULL;
    uint64_t properties = 0;
    enter();
    if (get(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) != CL_SUCCESS)
        device = NULL;
    if (device != NULL)
        get(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    leave();
    uint32_t index = find_device(state, loader, device);
    if (device == NULL)
        return index;
    struct queue *added = add_queue(state, queue, index);
    if (added != NULL) {
        added->is_profiled = (properties & QUEUE_PROFILING) != 0;
        SET(added->handle, queue);
    }
    return index;
}
