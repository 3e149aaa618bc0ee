/* SPDX-License-Identifier: MIT */
/* Prints how long a record and its parts are. */
#include "layout.h"

#include <stddef.h>
#include <stdio.h>

int main(void)
{
    printf("%zu %zu %zu %zu %zu\n", sizeof(struct record), offsetof(struct record, loaders),
           sizeof(struct loader_record), sizeof(struct device_record),
           sizeof(struct outcome_record));
    return 0;
}
