/* SPDX-License-Identifier: MIT */
/* Finds each library that exports OpenCL's functions, and puts ours in their place: rtld-audit(7).
 *
 * la_symbind() is not enough: it is not told of functions that programs take the address of, or
 * call without a PLT as Rust's do, and before glibc 2.35 of nothing that is bound at once. So the
 * library gets a symbol table of ours, in which the functions lie elsewhere, as soon as the dynamic
 * linker has mapped it and before it binds anything to it. Whoever asks then finds our functions:
 * relocations of any kind, dlsym() and dlvsym(). Files and code stay as they are.
 */
#define _GNU_SOURCE
#include "symbols.h"
#include "watch.h"

#include <sys/mman.h>

enum { LINKER_INTERFACES_KNOWN = 2 };
#define EXPORTED __attribute__((visibility("default")))

#define SIGN "clGetPlatformIDs"
/* Texts, not their addresses, which would be written anew in each process. */
static const char names[ALL_CALLS][sizeof "clCreateCommandQueueWithProperties"] = {
#define X(n, way, call, ...) [CALL_##call] = #call,
    REPLACED(X, )
#undef X
#define X(call, type) [CALL_##call] = #call,
    CALLED(X)
#undef X
};

struct loader loaders[MOST_LOADERS];
static unsigned next; /* places take turns, so that one that is closed rests for a while */
static const struct link_map *program; /* what the linker opens first */
static bool has_ended;

EXPORTED unsigned la_version(unsigned version)
{
    /* An interface that nobody knows yet could be another one. 0: go on without us, silently. */
    if (version > LINKER_INTERFACES_KNOWN || !process_starts())
        return 0;
    links_start();
    return version;
}

static int find_call(const char *name)
{
    if (name[0] == 'c' && name[1] == 'l')
        for (int call = 0; call < ALL_CALLS; call++)
            if (is_same(names[call], name))
                return call;
    return -1;
}

/* A part of OpenCL is a wrapper that passes on to a loader, which is the one to watch: only that
 * one can tell of devices and events.
 */
static bool exports_all(const struct tables *tables)
{
    static const enum call needed[] = {
        CALL_clGetPlatformInfo, CALL_clGetDeviceInfo,       CALL_clGetCommandQueueInfo,
        CALL_clRetainEvent,     CALL_clReleaseCommandQueue, CALL_clGetEventProfilingInfo,
        CALL_clReleaseEvent,    CALL_clGetEventInfo,
    };
    for (size_t index = 0; index < sizeof needed / sizeof *needed; index++)
        if (find_symbol(tables, names[needed[index]]) == NULL)
            return false;
    return true;
}

static bool replace(const struct link_map *map, const struct tables *tables, unsigned index)
{
    struct loader *loader = &loaders[index];
    uint32_t count = count_symbols(tables);
    /* An address that nobody has written lies in a section that nobody can write to. */
    if (map->l_addr == 0 || tables->symbols_entry->d_un.d_ptr < map->l_addr ||
        count >= MOST_SYMBOLS)
        return false;
    size_t bytes = count * sizeof(ElfW(Sym));
    ElfW(Sym) *copy = map_memory(bytes);
    if (copy == NULL)
        return false;
    memcpy(copy, tables->symbols, bytes);
    memset(loader->real, 0, sizeof loader->real);
    for (uint32_t number = 0; number < count; number++) {
        int call = is_function(&copy[number]) ? find_call(symbol_name(tables, &copy[number])) : -1;
        if (call < 0)
            continue;
        void *real = (void *)(map->l_addr + copy[number].st_value);
        if (loader->real[call] != NULL && loader->real[call] != real)
            continue; /* another version of it: whoever wants that one gets it */
        loader->real[call] = real;
        if (call < REPLACED_CALLS)
            copy[number].st_value = (ElfW(Addr))stand_in(index, (enum call)call) - map->l_addr;
    }
    LINUX(mprotect, copy, bytes, PROT_READ);
    if (loader->symbols != NULL)
        LINUX(munmap, loader->symbols, loader->symbols_bytes); /* of one that was closed before */
    loader->symbols = copy;
    loader->symbols_bytes = bytes;
    SET(loader->is_open, 1);
    tables->symbols_entry->d_un.d_ptr = (ElfW(Addr))copy;
    return true;
}

/* Linux maps functions that tell the time without a system call into every program, as a library
 * to which old versions of glibc give no name.
 */
static void find_clock(void)
{
    struct tables tables;
    for (const struct link_map *map = program->l_next; map != NULL; map = map->l_next) {
        const char *name = map->l_name == NULL ? "" : map->l_name;
        if ((*name != '\0' && !begins_with(name, "linux-vdso.")) || !read_tables(map, &tables))
            continue;
        const ElfW(Sym) *found = find_symbol(&tables, "__vdso_clock_gettime"); /* x86 */
        found = found != NULL ? found : find_symbol(&tables, "__kernel_clock_gettime"); /* Arm */
        if (found != NULL)
            use_clock((clock_function *)(map->l_addr + found->st_value));
    }
}

EXPORTED unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    struct tables tables;
    (void)space;
    *cookie = (uintptr_t)map;
    program = program == NULL ? map : program;
    note_opened(map->l_name);
    if (!read_tables(map, &tables) || find_symbol(&tables, SIGN) == NULL)
        return 0;
    note_surroundings();
    find_clock();
    if (!exports_all(&tables)) {
        note_loader(NULL, WRAPPER_SEEN);
        return 0;
    }
    for (unsigned turn = 0; turn < MOST_LOADERS; turn++) {
        unsigned index = (next + turn) % MOST_LOADERS;
        struct loader *loader = &loaders[index];
        if (GET(loader->is_open))
            continue;
        struct text path = {loader->path, 0, sizeof loader->path};
        put(&path, map->l_name == NULL ? "" : map->l_name);
        bool is_watched = replace(map, &tables, index);
        if (is_watched) {
            next = index + 1;
            loader->map = map;
        }
        note_loader(loader, is_watched ? 0 : LOADER_UNWATCHED);
        return 0;
    }
    note_loader(NULL, LOADER_UNWATCHED);
    return 0;
}

EXPORTED unsigned la_objclose(uintptr_t *cookie)
{
    const struct link_map *map = (const struct link_map *)*cookie;
    if (map == NULL)
        return 0;
    /* At the end the program is the first that is closed, and all that it loaded follows. */
    if (!has_ended)
        note_closed(map->l_name);
    has_ended = has_ended || map == program;
    for (unsigned index = 0; next > 0 && index < MOST_LOADERS; index++)
        if (loaders[index].map == map && GET(loaders[index].is_open)) {
            loaders[index].generation++;
            loaders[index].map = NULL;
            SET(loaders[index].is_open, 0);
        }
    return 0;
}

EXPORTED char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    const struct link_map *asker = (const struct link_map *)*cookie;
    if (flag == LA_SER_ORIG)
        note_wish(name, asker == NULL ? "" : asker->l_name);
    return (char *)name;
}

EXPORTED void la_preinit(uintptr_t *cookie)
{
    (void)cookie;
    links_started();
}
