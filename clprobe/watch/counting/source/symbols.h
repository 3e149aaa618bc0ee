/* SPDX-License-Identifier: MIT */
#ifndef CLPROBE_SYMBOLS_H
#define CLPROBE_SYMBOLS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_SYMBOLS = 1 << 20 }; /* count_symbols() says more: they cannot be counted */

/* What the dynamic section says; addresses are of this process. */
struct tables {
    ElfW(Dyn) * symbols_entry;
    const ElfW(Sym) * symbols;
    const char *texts;
    size_t texts_bytes;
    const uint32_t *gnu_hash;
    const uint32_t *hash;
};

/* false: it has none that could be read */
bool read_tables(const struct link_map *map, struct tables *tables);
const ElfW(Sym) * find_symbol(const struct tables *tables, const char *name); /* NULL: no such */
uint32_t count_symbols(const struct tables *tables);
const char *symbol_name(const struct tables *tables, const ElfW(Sym) * symbol);
bool is_function(const ElfW(Sym) * symbol);

#endif
