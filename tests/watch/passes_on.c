/* SPDX-License-Identifier: MIT */
/* Stands before the loader REAL_LOADER, as wrappers within programs and libraries do. PARTIAL ones
 * know no more than their program needs.
 */
#define _GNU_SOURCE
#include "functions.h"

#include <dlfcn.h>
#include <stdlib.h>

static void *real(const char *name)
{
    static void *opened;
    if (opened == NULL)
        opened = dlopen(getenv("REAL_LOADER"), RTLD_NOW | RTLD_LOCAL);
    return dlsym(opened, name);
}

#define X(result, name, parameters, arguments)                                                    \
    result name parameters                                                                        \
    {                                                                                             \
        static result(*found) parameters;                                                         \
        if (found == NULL)                                                                        \
            *(void **)&found = real(#name);                                                       \
        return found arguments;                                                                   \
    }
FUNCTIONS(X)
#ifndef PARTIAL
MORE_FUNCTIONS(X)
#endif
