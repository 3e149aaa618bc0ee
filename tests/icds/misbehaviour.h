// SPDX-License-Identifier: MIT
// What a faulty driver does to the process that loads it; faulty.c includes this after has().

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

static void hang(void) { for (;;) pause(); }

static void crash(void) { signal(SIGSEGV, SIG_DFL); raise(SIGSEGV); }

static int overflow(volatile char *before) {
    volatile char room[65536];
    room[0] = before ? before[0] : 0;
    return overflow(room) + room[0];
}

static void eat_memory(void) {
    while (malloc(64 << 20)) {}
    fputs("fixture: out of memory\n", stderr);
    abort();
}

static void *hang_thread(void *unused) { hang(); return NULL; }

static void *crash_thread(void *unused) { crash(); return NULL; }

static void end_main_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, hang_thread, NULL);
    pthread_exit(NULL);
}

static void crash_in_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, crash_thread, NULL);
    pthread_join(thread, NULL);
}

// A process of its own session, without parent, descriptors or folder: what daemon(3) makes.
static void leave_daemon(void) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            for (int i = 0; i < 1024; i++) close(i);
            chdir("/");
            hang();
        }
        _exit(0);
    }
}

// One that nothing but its parent tells from a stranger: it runs another program, FIXTURE_PROGRAM.
static void leave_stranger(void) {
    char *arguments[] = {getenv("FIXTURE_PROGRAM"), "600", NULL}, *no_environment[] = {NULL};
    int started[2];
    char none;
    if (pipe2(started, O_CLOEXEC)) return;
    if (fork() == 0) {
        setsid();
        if (fork() == 0) execve(arguments[0], arguments, no_environment);
        _exit(0);
    }
    close(started[1]);
    read(started[0], &none, 1);
}

// Each process starts the next one and ends, in a session of its own.
static void leave_chain(void) {
    if (fork()) return;
    while (fork() == 0) { setsid(); usleep(20000); }
    _exit(0);
}

// What lies in the folder FIXTURE_SCRATCH, and that only the first time; the process ends with it.
static void empty_scratch(void) {
    const char *scratch = getenv("FIXTURE_SCRATCH");
    char emptied[PATH_MAX], taken[2 * PATH_MAX], place[2 * PATH_MAX];
    if (!scratch) return;
    snprintf(emptied, sizeof emptied, "%s.emptied", scratch);
    if (mkdir(emptied, 0700)) return;
    DIR *folder = opendir(scratch);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(taken, sizeof taken, "%s/%s", emptied, entry->d_name);
        snprintf(place, sizeof place, "%s/%s", scratch, entry->d_name);
        close(creat(taken, 0600));
        // At one stroke: a folder that its owner removes just now must not come back as a file.
        renameat2(AT_FDCWD, taken, AT_FDCWD, place, RENAME_EXCHANGE);
    }
    exit(1);
}

static void leave_files(void) {
    system("cd \"$TMPDIR\" && mkfifo fifo && mkdir -p closed/deep && chmod 0 closed");
}

static void smash_heap(void) {
    char *first = malloc(24), *second = malloc(24);
    memset(first, 'A', 4096);
    free(second);
    free(first);
    abort();
}

static int parent_of(int pid) {
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int file = open(path, O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0) exit(1);
    close(file);
    char *end = strrchr(text, ')');
    if (!end || sscanf(end, ") %*c %d", &pid) != 1) exit(1);
    return pid;
}

/* Our parent is the guardian, whose parent is clprobe. */
static int clprobe_itself(void) { return parent_of(getppid()); }

static void write_to_outputs(int pid) {
    char path[64];
    for (int output = 1; output <= 2; output++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, output);
        int file = open(path, O_WRONLY | O_NONBLOCK);
        if (file >= 0 && write(file, "FORGED\n", 7)) close(file);
    }
}

static void write_to_outputs_above(void) {
    write_to_outputs(getppid());
    write_to_outputs(clprobe_itself());
}

static void take_a_processor(void) {
    struct sched_param priority = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &priority)) exit(1);
    for (;;) {}
}

static void hang_without_signals(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    hang();
}

static void change_surroundings(void) {
    setlocale(LC_ALL, "de_DE.UTF-8");
    setenv("LC_ALL", "tr_TR.UTF-8", 1);
    chdir("/");
    signal(SIGCHLD, SIG_IGN);
    signal(SIGPIPE, SIG_DFL);
}

static void write_below_home(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/written-by-a-driver", getenv("HOME"));
    FILE *file = fopen(path, "w");
    if (file) fclose(file);
}

static void misbehave_strangely(void) {
    if (has("writes_home")) write_below_home();
    if (has("kills_victim")) kill(atoi(getenv("FIXTURE_VICTIM")), SIGKILL);
    if (has("trap")) __builtin_trap();
    if (has("bus_error")) raise(SIGBUS);
    if (has("division")) raise(SIGFPE);
    /* Our own end follows the parent's a moment later; without the pause, anywhere from here on. */
    if (has("kills_parent")) { kill(getppid(), SIGKILL); sleep(1); }
    if (has("kills_clprobe")) kill(clprobe_itself(), SIGKILL);
    if (has("stops_clprobe")) kill(clprobe_itself(), SIGSTOP);
    if (has("kills_group")) kill(0, SIGKILL);
    if (has("kills_itself")) kill(getpid(), SIGKILL);
    if (has("stops_itself")) raise(SIGSTOP);
    if (has("alarm")) { alarm(1); pause(); }
    if (has("stack_overflow")) overflow(NULL);
    if (has("eats_memory")) eat_memory();
    if (has("ends_main_thread")) end_main_thread();
    if (has("thread_crash")) crash_in_thread();
    if (has("daemonises")) leave_daemon();
    if (has("leaves_stranger")) leave_stranger();
    if (has("leaves_chain")) leave_chain();
    if (has("stranger_then_hang")) { leave_stranger(); hang(); }
    if (has("stranger_then_kills_parent")) { leave_stranger(); kill(getppid(), SIGKILL); hang(); }
    if (has("stops_parent")) { kill(getppid(), SIGSTOP); hang(); }
    if (has("is_traced")) { ptrace(PTRACE_TRACEME, 0, NULL, NULL); raise(SIGTRAP); }
    if (has("empties_scratch")) empty_scratch();
    if (has("leaves_files")) leave_files();
    if (has("smashes_heap")) smash_heap();
    if (has("takes_a_processor")) take_a_processor();
    if (has("writes_to_outputs_above")) write_to_outputs_above();
    if (has("hang_without_signals")) hang_without_signals();
    if (has("changes_surroundings")) change_surroundings();
    if (has("becomes_true")) execl("/bin/true", "true", NULL);
    if (has("becomes_sleep")) execl("/bin/sleep", "sleep", "600", NULL);
    if (has("prints_evil")) puts("\033[31m\033]0;owned\007 fixture \377\302\233 evil");
    if (has("prints_forever")) for (;;) puts("fixture: noise without end");
    if (!strncmp(FAULT, "report_", 7)) damage_report();
    if (has("answers_late")) sleep(3);
    if (has("busy_hang")) for (;;) {}
}

static void misbehave(const char *where) {
    char fault[64];
    snprintf(fault, sizeof fault, "%s_abort", where);
    if (has(fault)) abort();
    snprintf(fault, sizeof fault, "%s_segv", where);
    if (has(fault)) crash();
    snprintf(fault, sizeof fault, "%s_exit0", where);
    if (has(fault)) exit(0);
    snprintf(fault, sizeof fault, "%s_exit1", where);
    if (has(fault)) exit(1);
    snprintf(fault, sizeof fault, "%s_hang", where);
    if (has(fault)) hang();
    if (!strcmp(where, "entry")) misbehave_strangely();
}
