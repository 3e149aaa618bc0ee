// A library that tells, when it is loaded, in what process it is: its descriptors beyond the usual
// three, the variable SEEN and its words, a line each. It is no driver.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void tell(void) {
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
        char path[64], target[512];
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(path, target, sizeof target);
        if (length >= 0) printf("open %.*s\n", (int)length, target);
    }
    const char *seen = getenv("SEEN");
    printf("seen %s\n", seen ? seen : "nothing");
    FILE *words = fopen("/proc/self/cmdline", "r");
    printf("words");
    for (int c; words && (c = fgetc(words)) != EOF;) putchar(c ? c : ' ');
    printf("\n");
    fflush(stdout);
}
