// SPDX-License-Identifier: MIT
// What two drivers share: a register that ends the process when an option comes twice, as LLVM's.

#include <stdio.h>
#include <stdlib.h>

static int options;

void registry_add(const char *option) {
    if (options++) {
        fprintf(stderr, ": CommandLine Error: Option '%s' registered more than once!\n", option);
        exit(1);
    }
}
