/* SPDX-License-Identifier: MIT */
/* How long kernels took, from the times that their events know once they are complete.
 *
 * Nobody waits for an event: it is looked at when the program calls anyway, and let go. Where this
 * costs more than an eightieth of the time, one of 2, 4, 8, ... kernels is timed and stands for the
 * others. Which one is left to a hash, for programs enqueue in rhythms.
 */
#include "watch.h"

enum {
    RETRIES = 64,
    LOOKS_PER_CALL = 4,
    MOST_UNFINISHED = 16,
    SAMPLES_PER_WINDOW = 32,
    MOST_SHIFT = 10,
    TOO_MUCH = 80, /* an eightieth */
    WINDOW_NS = 2000000,
    LEAST_NS = 50, /* no kernel is faster; rusticl before Mesa 23 says 1 where it has no clock */
};
/* What an event costs that the program did not ask for: 8 to 10 us with NVIDIA's driver 580 on an
 * H200, within the driver and spread over its calls. Asking for profiling alone costs nothing
 * there, and 0.3 us for each kernel with PoCL.
 */
#define EVENT_NS 10000
#define BEING_USED ((void *)1)

static bool is_wanted;

void choose_times(void)
{
    const char *stated = variable("CLPROBE_WATCH_TIMES");
    is_wanted = stated == NULL || stated[0] != '0';
}

bool wants_times(void)
{
    return is_wanted;
}

static uint64_t mixed(uint64_t number)
{
    number ^= number >> 33;
    number *= UINT64_C(0xFF51AFD7ED558CCD);
    number ^= number >> 33;
    return number;
}

/* Launches come in bursts, so that only a while tells how many there are. Before it has passed, one
 * of ever more is timed.
 */
static void adapt(struct state *state, uint64_t number)
{
    uint64_t now = now_ns(), began = GET(state->window_began_ns);
    uint64_t took_ns = now - began, launches = number - GET(state->window_first);
    uint32_t shift = GET(state->shift);
    if (began != 0 && took_ns < WINDOW_NS) {
        SET(state->shift, shift < MOST_SHIFT ? shift + 1 : shift);
        SET(state->next_check, number + launches);
        return;
    }
    uint64_t timed = GET(state->timed);
    uint64_t cost_ns = timed == 0 ? 0 : GET(state->spent_ns) / timed * launches;
    for (shift = 0; began != 0 && cost_ns > took_ns / TOO_MUCH && shift < MOST_SHIFT; cost_ns /= 2)
        shift++;
    SET(state->shift, shift);
    SET(state->window_began_ns, now);
    SET(state->window_first, number);
    SET(state->next_check, number + (SAMPLES_PER_WINDOW << shift));
}

uint64_t choose_weight(struct state *state, uint64_t number)
{
    uint64_t check = GET(state->next_check);
    if (number >= check && SWAP(state->next_check, check, UINT64_MAX))
        adapt(state, number);
    uint64_t weight = UINT64_C(1) << GET(state->shift);
    if ((mixed(number + 1) & (weight - 1)) != 0 ||
        GET(state->tail) - GET(state->head) >= MOST_PENDING)
        return 0;
    ADD(state->timed, 1);
    return weight;
}

void await(struct state *state, const struct loader *loader, const struct queue *queue,
           void *event, uint64_t weight, bool is_ours)
{
    if (is_ours)
        ADD(state->spent_ns, EVENT_NS);
    for (int retry = 0; retry < RETRIES; retry++) {
        uint64_t tail = GET(state->tail);
        struct pending *pending = &state->pending[tail % MOST_PENDING];
        void *found = NULL;
        if (!SWAP(pending->event, found, BEING_USED))
            continue; /* another thread is faster, or there is no room */
        if (!SWAP(state->tail, tail, tail + 1)) {
            SET(pending->event, NULL);
            continue;
        }
        pending->queue = queue->handle;
        pending->loader = (uint16_t)(loader - loaders);
        pending->device = (uint16_t)queue->device;
        pending->generation = loader->generation;
        pending->weight = weight;
        SET(pending->event, event);
        return;
    }
    REAL(loader, clReleaseEvent)(event);
}

/* Returns whether the event is done with. */
static bool take(struct state *state, const struct pending *pending, void *event)
{
    const struct loader *loader = &loaders[pending->loader];
    if (!GET(loader->is_open) || loader->generation != pending->generation)
        return true; /* the program closed the library, and with it all events */
    struct device_record *device = &state->record->devices[pending->device];
    int32_t status = 0;
    uint64_t start = 0, end = 0;
    if (REAL(loader, clGetEventInfo)(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                     &status, NULL) == CL_SUCCESS) {
        if (status > 0)
            return false;
        info_function get = REAL(loader, clGetEventProfilingInfo);
        if (status < 0) {
            ADD(device->aborted, 1);
            SET(device->last_abort, status);
        } else if (get(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) == 0 &&
                   get(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == 0 &&
                   start != 0 && end >= start + LEAST_NS) {
            ADD(device->weighted_ns, (end - start) * pending->weight);
            ADD(device->timed_weight, pending->weight);
            ADD(device->timed, 1);
        }
    }
    REAL(loader, clReleaseEvent)(event);
    return true;
}

static void harvest(struct state *state, unsigned looks, unsigned unfinished, const void *dropped)
{
    uint64_t began_ns = now_ns();
    enter();
    uint64_t tail = GET(state->tail);
    for (uint64_t index = GET(state->head); index < tail && looks > 0 && unfinished > 0; index++) {
        struct pending *pending = &state->pending[index % MOST_PENDING];
        void *event = GET(pending->event);
        if (event != NULL && event != BEING_USED && SWAP(pending->event, event, BEING_USED)) {
            bool is_done = take(state, pending, event);
            looks--;
            unfinished -= !is_done;
            if (!is_done && dropped != NULL && pending->queue == dropped) {
                REAL(&loaders[pending->loader], clReleaseEvent)(event);
                is_done = true;
                unfinished++;
            }
            SET(pending->event, is_done ? NULL : event);
        }
        uint64_t head = index;
        if (GET(pending->event) == NULL)
            SWAP(state->head, head, index + 1); /* only the oldest moves it */
    }
    leave();
    ADD(state->spent_ns, now_ns() - began_ns);
}

void harvest_some(struct state *state)
{
    if (GET(state->head) != GET(state->tail))
        harvest(state, LOOKS_PER_CALL, 1, NULL);
}

void harvest_all(struct state *state)
{
    if (GET(state->head) != GET(state->tail))
        harvest(state, MOST_PENDING, MOST_UNFINISHED, NULL);
}

/* A queue that the program gives up must not live on in our events. */
void drop_queue(struct state *state, const void *queue)
{
    if (GET(state->head) != GET(state->tail))
        harvest(state, MOST_PENDING, MOST_PENDING, queue);
}
