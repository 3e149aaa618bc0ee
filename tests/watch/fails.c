/* SPDX-License-Identifier: MIT */
/* A driver without a GPU: it lists a device, and crashes in the call that CRASHES_IN names. */
#include "functions.h"

#include <stdlib.h>
#include <string.h>

#define X(result, name, parameters, arguments)                                                    \
    result name parameters                                                                        \
    {                                                                                             \
        const char *crashes_in = getenv("CRASHES_IN");                                            \
        if (crashes_in != NULL && strcmp(crashes_in, #name) == 0)                                 \
            abort();                                                                              \
        return (result)0;                                                                         \
    }
#define clGetPlatformIDs no_clGetPlatformIDs
#define clGetPlatformInfo no_clGetPlatformInfo
#define clGetDeviceIDs no_clGetDeviceIDs
FUNCTIONS(X)
MORE_FUNCTIONS(X)
#undef clGetPlatformIDs
#undef clGetPlatformInfo
#undef clGetDeviceIDs

static char thing[16];

int clGetPlatformIDs(unsigned room, void **ids, unsigned *found)
{
    if (room > 0)
        ids[0] = thing;
    if (found != NULL)
        *found = 1;
    return 0;
}

int clGetPlatformInfo(void *platform, unsigned what, size_t room, void *value, size_t *bytes)
{
    (void)platform, (void)what;
    if (value != NULL && room > 0)
        *(char *)value = '\0';
    if (bytes != NULL)
        *bytes = 1;
    return 0;
}

int clGetDeviceIDs(void *platform, uint64_t type, unsigned room, void **ids, unsigned *found)
{
    (void)platform, (void)type, (void)found;
    if (room > 0)
        ids[0] = thing;
    return 0;
}
