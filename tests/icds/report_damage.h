// SPDX-License-Identifier: MIT
// What a driver does to the memory that its process reports through; faulty.c includes this.

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *report_memory(size_t *size) {
    char line[512];
    unsigned long start = 0, end = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "clprobe-report") && sscanf(line, "%lx-%lx", &start, &end) == 2) break;
    if (maps) fclose(maps);
    *size = end - start;
    return (char *)start;
}

static void damage_report(void) {
    size_t size;
    char *report = report_memory(&size);
    if (!size) return;
    if (has("report_garbage")) memset(report, 'x', 65536);
    if (has("report_zeroed")) memset(report, 0, strlen(report));
    if (has("report_full")) memset(report, '\n', size);
    if (has("report_nested")) memset(report, '[', 200000), report[200000] = '\n';
    if (has("report_wrong_types")) strcpy(report, "{\"stage\": \"load\"}\n{\"platform\": \"x\"}\n");
    if (has("report_huge_index"))
        strcpy(report, "{\"stage\": \"platforms\"}\n{\"platform\": 400000000}\n{\"done\": true}\n");
    if (has("report_forged_ok")) {
        memset(report, 0, strlen(report));
        strcpy(report, "{\"stage\": \"load\"}\n"
                       "{\"platform\": 0, \"devices\": 1, \"devices_error\": null}\n{\"done\": true}\n");
        _exit(0);
    }
    if (has("report_forged_whole")) {
        memset(report, 0, strlen(report));
        strcpy(report, "{\"stage\": \"load\"}\n{\"stage\": \"entry-point\"}\n{\"stage\": \"platforms\"}\n"
                       "{\"platform\": 0}\n{\"at\": [0], \"fact\": \"name\", \"value\": \"Forged\"}\n"
                       "{\"stage\": \"devices\"}\n"
                       "{\"platform\": 0, \"devices\": 1, \"devices_error\": null}\n"
                       "{\"stage\": \"queries\"}\n"
                       "{\"at\": [0, 0], \"fact\": \"name\", \"value\": \"Forged GPU\"}\n"
                       "{\"done\": true}\n");
        _exit(0);
    }
    if (has("report_unmapped")) munmap(report, size);
    if (has("report_cut"))
        for (int i = 0; i < 64; i++) ftruncate(i, 0);
}
