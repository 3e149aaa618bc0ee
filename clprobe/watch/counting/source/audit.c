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
#include "watch.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum { LINKER_INTERFACES_KNOWN = 2, MOST_SYMBOLS = 1 << 20 };

#define SIGN "clGetPlatformIDs"
static const char *const names[ALL_CALLS] = {
#define X(n, way, call, ...) [CALL_##call] = #call,
    REPLACED(X, )
#undef X
#define X(call, type) [CALL_##call] = #call,
    CALLED(X)
#undef X
};

struct loader loaders[MOST_LOADERS];

/* What the dynamic section says; addresses are of this process. */
struct tables {
    ElfW(Dyn) * symbols_entry;
    const ElfW(Sym) * symbols;
    const char *texts;
    size_t texts_bytes;
    const uint32_t *gnu_hash;
    const uint32_t *hash;
};

__attribute__((visibility("default"))) unsigned la_version(unsigned version)
{
    /* An interface that nobody knows yet could be another one. 0: go on without us, silently. */
    if (version > LINKER_INTERFACES_KNOWN || !process_starts())
        return 0;
    links_start();
    return version;
}

/* glibc writes addresses into the section where that can be written: x86 and Arm. */
static const void *address(const struct link_map *map, ElfW(Addr) stated)
{
    return (const void *)(stated < map->l_addr ? stated + map->l_addr : stated);
}

static bool read_tables(const struct link_map *map, struct tables *tables)
{
    memset(tables, 0, sizeof *tables);
    for (ElfW(Dyn) *entry = map->l_ld; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        const void *at = address(map, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB) {
            tables->symbols_entry = entry;
            tables->symbols = at;
        } else if (entry->d_tag == DT_STRTAB)
            tables->texts = at;
        else if (entry->d_tag == DT_STRSZ)
            tables->texts_bytes = entry->d_un.d_val;
        else if (entry->d_tag == DT_GNU_HASH)
            tables->gnu_hash = at;
        else if (entry->d_tag == DT_HASH)
            tables->hash = at;
    }
    return tables->symbols != NULL && tables->texts != NULL &&
           (tables->gnu_hash != NULL || tables->hash != NULL);
}

static const char *name_of(const struct tables *tables, const ElfW(Sym) * symbol)
{
    return symbol->st_name < tables->texts_bytes ? tables->texts + symbol->st_name : "";
}

static bool is_function(const ElfW(Sym) * symbol)
{
    unsigned bind = symbol->st_info >> 4, visibility = symbol->st_other & 3;
    return symbol->st_shndx != SHN_UNDEF && (symbol->st_info & 15) == STT_FUNC &&
           symbol->st_value != 0 && (bind == STB_GLOBAL || bind == STB_WEAK) &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

/* header: buckets, first symbol, words of the filter, shift; then filter, buckets, chains */
static const uint32_t *gnu_buckets(const uint32_t *header)
{
    return (const uint32_t *)((const ElfW(Addr) *)(header + 4) + header[2]);
}

static bool exports_by_gnu_hash(const struct tables *tables, const char *name)
{
    const uint32_t *header = tables->gnu_hash;
    const ElfW(Addr) *filter = (const ElfW(Addr) *)(header + 4);
    const unsigned bits = 8 * sizeof *filter;
    uint32_t hash = 5381;
    for (const char *letter = name; *letter != '\0'; letter++)
        hash = hash * 33 + (unsigned char)*letter;
    if (header[0] == 0 || header[2] == 0)
        return false;
    ElfW(Addr) word = filter[hash / bits % header[2]];
    if (!(word >> hash % bits & word >> (hash >> header[3]) % bits & 1))
        return false;
    uint32_t index = gnu_buckets(header)[hash % header[0]];
    const uint32_t *chains = gnu_buckets(header) + header[0];
    for (; index >= header[1] && index < MOST_SYMBOLS; index++) {
        uint32_t found = chains[index - header[1]];
        if ((found | 1) == (hash | 1) && is_function(&tables->symbols[index]) &&
            strcmp(name_of(tables, &tables->symbols[index]), name) == 0)
            return true;
        if (found & 1)
            break;
    }
    return false;
}

/* header: buckets, chains; there are as many chains as symbols */
static bool exports_by_hash(const struct tables *tables, const char *name)
{
    const uint32_t *header = tables->hash;
    uint32_t hash = 0;
    for (const char *letter = name; *letter != '\0'; letter++) {
        hash = (hash << 4) + (unsigned char)*letter;
        hash = (hash ^ (hash & 0xF0000000u) >> 24) & 0x0FFFFFFFu;
    }
    if (header[0] == 0)
        return false;
    uint32_t index = header[2 + hash % header[0]];
    for (uint32_t turn = 0; index != 0 && index < header[1] && turn < header[1]; turn++) {
        if (is_function(&tables->symbols[index]) &&
            strcmp(name_of(tables, &tables->symbols[index]), name) == 0)
            return true;
        index = header[2 + header[0] + index];
    }
    return false;
}

static bool exports(const struct tables *tables, const char *name)
{
    return tables->gnu_hash != NULL ? exports_by_gnu_hash(tables, name)
                                    : exports_by_hash(tables, name);
}

static uint32_t count_symbols(const struct tables *tables)
{
    if (tables->hash != NULL)
        return tables->hash[1];
    const uint32_t *header = tables->gnu_hash, *buckets = gnu_buckets(header);
    uint32_t last = 0;
    for (uint32_t bucket = 0; bucket < header[0]; bucket++)
        last = buckets[bucket] > last ? buckets[bucket] : last;
    if (last < header[1])
        return header[1];
    while (last < MOST_SYMBOLS && !(buckets[header[0] + last - header[1]] & 1))
        last++;
    return last + 1;
}

static int find_call(const char *name)
{
    if (name[0] == 'c' && name[1] == 'l')
        for (int call = 0; call < ALL_CALLS; call++)
            if (strcmp(names[call], name) == 0)
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
        if (!exports(tables, names[needed[index]]))
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
    ElfW(Sym) *copy =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return false;
    memcpy(copy, tables->symbols, bytes);
    memset(loader->real, 0, sizeof loader->real);
    for (uint32_t number = 0; number < count; number++) {
        int call = is_function(&copy[number]) ? find_call(name_of(tables, &copy[number])) : -1;
        if (call < 0)
            continue;
        void *real = (void *)(map->l_addr + copy[number].st_value);
        if (loader->real[call] != NULL && loader->real[call] != real)
            continue; /* another version of it: whoever wants that one gets it */
        loader->real[call] = real;
        if (call < REPLACED_CALLS)
            copy[number].st_value = (ElfW(Addr))stand_in(index, (enum call)call) - map->l_addr;
    }
    mprotect(copy, bytes, PROT_READ);
    if (loader->symbols != NULL)
        munmap(loader->symbols, loader->symbols_bytes); /* of one that was closed before */
    loader->symbols = copy;
    loader->symbols_bytes = bytes;
    SET(loader->is_open, 1);
    tables->symbols_entry->d_un.d_ptr = (ElfW(Addr))copy;
    return true;
}

__attribute__((visibility("default"))) unsigned la_objopen(struct link_map *map, Lmid_t space,
                                                           uintptr_t *cookie)
{
    static unsigned next; /* places take turns, so that one that is closed rests for a while */
    struct tables tables;
    (void)space;
    *cookie = (uintptr_t)map;
    note_opened(map->l_name);
    if (!read_tables(map, &tables) || !exports(&tables, SIGN))
        return 0;
    if (!exports_all(&tables)) {
        note_loader(NULL, WRAPPER_SEEN);
        return 0;
    }
    for (unsigned turn = 0; turn < MOST_LOADERS; turn++) {
        unsigned index = (next + turn) % MOST_LOADERS;
        struct loader *loader = &loaders[index];
        if (GET(loader->is_open))
            continue;
        strncpy(loader->path, map->l_name == NULL ? "" : map->l_name, sizeof loader->path - 1);
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

__attribute__((visibility("default"))) unsigned la_objclose(uintptr_t *cookie)
{
    const struct link_map *map = (const struct link_map *)*cookie;
    if (map == NULL)
        return 0;
    note_closed(map->l_name);
    for (unsigned index = 0; index < MOST_LOADERS; index++)
        if (loaders[index].map == map && GET(loaders[index].is_open)) {
            loaders[index].generation++;
            loaders[index].map = NULL;
            SET(loaders[index].is_open, 0);
        }
    return 0;
}

__attribute__((visibility("default"))) char *la_objsearch(const char *name, uintptr_t *cookie,
                                                          unsigned flag)
{
    const struct link_map *asker = (const struct link_map *)*cookie;
    if (flag == LA_SER_ORIG)
        note_wish(name, asker == NULL ? "" : asker->l_name);
    return (char *)name;
}
