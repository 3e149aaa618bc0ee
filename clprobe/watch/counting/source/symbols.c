/* SPDX-License-Identifier: MIT */
/* The functions that a library exports, by the tables that its dynamic section names: elf(5). */
#include "symbols.h"

#include "system.h"

/* glibc writes addresses into the section where that can be written: x86 and Arm. */
static const void *address(const struct link_map *map, ElfW(Addr) stated)
{
    return (const void *)(stated < map->l_addr ? stated + map->l_addr : stated);
}

bool read_tables(const struct link_map *map, struct tables *tables)
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

const char *symbol_name(const struct tables *tables, const ElfW(Sym) * symbol)
{
    return symbol->st_name < tables->texts_bytes ? tables->texts + symbol->st_name : "";
}

bool is_function(const ElfW(Sym) * symbol)
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

static const ElfW(Sym) * by_gnu_hash(const struct tables *tables, const char *name)
{
    const uint32_t *header = tables->gnu_hash;
    const ElfW(Addr) *filter = (const ElfW(Addr) *)(header + 4);
    const unsigned bits = 8 * sizeof *filter;
    uint32_t hash = 5381;
    for (const char *letter = name; *letter != '\0'; letter++)
        hash = hash * 33 + (unsigned char)*letter;
    if (header[0] == 0 || header[2] == 0)
        return NULL;
    ElfW(Addr) word = filter[hash / bits % header[2]];
    if (!(word >> hash % bits & word >> (hash >> header[3]) % bits & 1))
        return NULL;
    uint32_t index = gnu_buckets(header)[hash % header[0]];
    const uint32_t *chains = gnu_buckets(header) + header[0];
    for (; index >= header[1] && index < MOST_SYMBOLS; index++) {
        uint32_t found = chains[index - header[1]];
        if ((found | 1) == (hash | 1) && is_function(&tables->symbols[index]) &&
            is_same(symbol_name(tables, &tables->symbols[index]), name))
            return &tables->symbols[index];
        if (found & 1)
            break;
    }
    return NULL;
}

/* header: buckets, chains; there are as many chains as symbols */
static const ElfW(Sym) * by_hash(const struct tables *tables, const char *name)
{
    const uint32_t *header = tables->hash;
    uint32_t hash = 0;
    for (const char *letter = name; *letter != '\0'; letter++) {
        hash = (hash << 4) + (unsigned char)*letter;
        hash = (hash ^ (hash & 0xF0000000u) >> 24) & 0x0FFFFFFFu;
    }
    if (header[0] == 0)
        return NULL;
    uint32_t index = header[2 + hash % header[0]];
    for (uint32_t turn = 0; index != 0 && index < header[1] && turn < header[1]; turn++) {
        if (is_function(&tables->symbols[index]) &&
            is_same(symbol_name(tables, &tables->symbols[index]), name))
            return &tables->symbols[index];
        index = header[2 + header[0] + index];
    }
    return NULL;
}

const ElfW(Sym) * find_symbol(const struct tables *tables, const char *name)
{
    return tables->gnu_hash != NULL ? by_gnu_hash(tables, name) : by_hash(tables, name);
}

uint32_t count_symbols(const struct tables *tables)
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
