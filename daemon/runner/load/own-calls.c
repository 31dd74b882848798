/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/own-calls.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define LIBC_NAME    "libc.so.6"
#define PAGE_BYTES   4096u
#define VERSION_MASK 0x7fffu /* of a DT_VERSYM entry; the bit above hides a symbol from references without a version */

/* This executable, as the linker lays it out. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern const ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC") __attribute__((visibility("hidden")));

/* The tables that the dynamic section of a loaded object points to. */
typedef struct Tables {
        uintptr_t base;
        const ElfW(Sym) * symbols;
        const char *strings;
        const uint16_t *versions;
        const uint32_t *hash;
        const char *defined;  /* versions: Elf64_Verdef */
        const char *required; /* Elf64_Verneed */
        struct {
                const ElfW(Rela) * rows;
                size_t n;
        } relocations[2];
        const char *soname;
} Tables;

/* ---- without libc, which is not bound yet */

static bool texts_equal(const char *a, const char *b) {
        while (*a && *a == *b)
                a++, b++;
        return *a == *b;
}

static long protect(uintptr_t address, size_t n_bytes, long protection) {
        long result;

        __asm__ volatile("syscall"
                         : "=a"(result)
                         : "a"(SYS_mprotect), "D"(address), "S"(n_bytes), "d"(protection)
                         : "rcx", "r11", "memory");
        return result;
}

/* ---- tables */

/* The loader has relocated some values, and left others as linked. */
static const void *table_at(uintptr_t base, uintptr_t value) {
        return (const void *)(value < base ? base + value : value);
}

static Tables tables_read(uintptr_t base, const ElfW(Dyn) * dynamic) {
        Tables tables = { .base = base };
        uintptr_t soname = 0;

        for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
                const uintptr_t value = entry->d_un.d_val;

                switch (entry->d_tag) {
                case DT_SYMTAB:
                        tables.symbols = table_at(base, value);
                        break;
                case DT_STRTAB:
                        tables.strings = table_at(base, value);
                        break;
                case DT_VERSYM:
                        tables.versions = table_at(base, value);
                        break;
                case DT_GNU_HASH:
                        tables.hash = table_at(base, value);
                        break;
                case DT_VERDEF:
                        tables.defined = table_at(base, value);
                        break;
                case DT_VERNEED:
                        tables.required = table_at(base, value);
                        break;
                case DT_RELA:
                        tables.relocations[0].rows = table_at(base, value);
                        break;
                case DT_RELASZ:
                        tables.relocations[0].n = value / sizeof(ElfW(Rela));
                        break;
                case DT_JMPREL:
                        tables.relocations[1].rows = table_at(base, value);
                        break;
                case DT_PLTRELSZ:
                        tables.relocations[1].n = value / sizeof(ElfW(Rela));
                        break;
                case DT_SONAME:
                        soname = value;
                        break;
                }
        }
        tables.soname = soname && tables.strings ? tables.strings + soname : "";
        return tables;
}

/* The version of symbol @i that @tables require; NULL if it has none. */
static const char *version_required(const Tables *tables, size_t i) {
        const uint16_t version = tables->versions[i] & VERSION_MASK;

        for (const char *at = tables->required; at;) {
                const ElfW(Verneed) *file = (const void *)at;
                const char *row = at + file->vn_aux;

                for (unsigned k = 0; k < file->vn_cnt; k++) {
                        const ElfW(Vernaux) *name = (const void *)row;

                        if (name->vna_other == version)
                                return tables->strings + name->vna_name;
                        row += name->vna_next;
                }
                at = file->vn_next ? at + file->vn_next : NULL;
        }
        return NULL;
}

/* The version of symbol @i that @tables define. */
static const char *version_defined(const Tables *tables, size_t i) {
        const uint16_t version = tables->versions[i] & VERSION_MASK;

        for (const char *at = tables->defined; at;) {
                const ElfW(Verdef) *row = (const void *)at;

                if (row->vd_ndx == version)
                        return tables->strings + ((const ElfW(Verdaux) *)(const void *)(at + row->vd_aux))->vda_name;
                at = row->vd_next ? at + row->vd_next : NULL;
        }
        return NULL;
}

/* ---- looking up */

static uint32_t hash_of(const char *name) {
        uint32_t hash = 5381;

        for (; *name; name++)
                hash = hash * 33 + (unsigned char)*name;
        return hash;
}

static bool symbol_is(const Tables *tables, size_t i, const char *name, const char *version) {
        const ElfW(Sym) *symbol = &tables->symbols[i];
        const char *own;

        if (symbol->st_shndx == SHN_UNDEF || !texts_equal(tables->strings + symbol->st_name, name))
                return false;
        own = version_defined(tables, i);
        return own && texts_equal(own, version);
}

static void *symbol_function(const Tables *tables, size_t i) {
        const ElfW(Sym) *symbol = &tables->symbols[i];
        const uintptr_t address = tables->base + symbol->st_value;

        if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
                return ((void *(*)(void))address)();
        return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ? (void *)address : NULL;
}

/* By DT_GNU_HASH: a head of four words, a filter of 64-bit words, the buckets, and the chains, whose last entry is odd. */
static void *tables_find(const Tables *tables, const char *name, const char *version) {
        const uint32_t hash = hash_of(name);
        const uint32_t n_buckets = tables->hash[0], first = tables->hash[1], n_filter = tables->hash[2];
        const uint32_t *buckets = tables->hash + 4 + 2 * (size_t)n_filter;
        const uint32_t *chains = buckets + n_buckets;

        for (uint32_t i = buckets[hash % n_buckets]; i >= first; i++) {
                const uint32_t entry = chains[i - first];

                if ((entry | 1) == (hash | 1) && symbol_is(tables, i, name, version))
                        return symbol_function(tables, i);
                if (entry & 1)
                        return NULL;
        }
        return NULL;
}

static bool tables_are_whole(const Tables *tables) {
        return tables->symbols && tables->strings && tables->versions;
}

void *own_calls_find(const struct link_map *map, const char *name, const char *version) {
        const Tables tables = tables_read(map->l_addr, map->l_ld);

        return tables_are_whole(&tables) && tables.hash ? tables_find(&tables, name, version) : NULL;
}

/* ---- binding */

static bool text_begins(const char *text, const char *beginning) {
        while (*beginning && *text == *beginning)
                text++, beginning++;
        return !*beginning;
}

/*
 * Functions with a process-wide definition: libc itself calls the malloc() family by these names, in asprintf(),
 * getline(), strdup() and others.
 */
static bool is_shared(const char *name) {
        static const char names[][24] = {
                "malloc",
                "calloc",
                "realloc",
                "reallocarray",
                "free",
                "aligned_alloc",
                "posix_memalign",
                "malloc_usable_size",
        };

        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (texts_equal(names[i], name))
                        return true;
        return text_begins(name, "pthread_") || text_begins(name, "sem_");
}

static const struct link_map *find_libc(void) {
        const struct r_debug *debug = NULL;

        for (const ElfW(Dyn) *entry = own_dynamic; entry->d_tag != DT_NULL; entry++)
                if (entry->d_tag == DT_DEBUG)
                        debug = (const void *)entry->d_un.d_ptr;
        for (const struct link_map *map = debug ? debug->r_map : NULL; map; map = map->l_next)
                if (texts_equal(tables_read(map->l_addr, map->l_ld).soname, LIBC_NAME))
                        return map;
        return NULL;
}

/* True if the relocation stores the address of a symbol, and nothing else. */
static bool is_reference(const ElfW(Rela) * relocation) {
        const uint32_t type = ELF64_R_TYPE(relocation->r_info);

        return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
               (type == R_X86_64_64 && relocation->r_addend == 0);
}

/* libc's function for the reference @relocation; NULL if the reference stays unchanged. */
static void *reference_target(const Tables *own, const ElfW(Rela) * relocation, const Tables *libc) {
        const size_t i = ELF64_R_SYM(relocation->r_info);
        const char *name = own->strings + own->symbols[i].st_name;
        const char *version;

        if (!is_reference(relocation) || own->symbols[i].st_shndx != SHN_UNDEF || is_shared(name))
                return NULL;
        version = version_required(own, i);
        return version ? tables_find(libc, name, version) : NULL;
}

/* The pages that the loader made read-only after relocation. */
typedef struct ReadOnly {
        uintptr_t begin;
        size_t n_bytes;
} ReadOnly;

static ReadOnly find_read_only(uintptr_t base) {
        const ElfW(Phdr) *segments = (const void *)(base + __ehdr_start.e_phoff);

        for (unsigned i = 0; i < __ehdr_start.e_phnum; i++)
                if (segments[i].p_type == PT_GNU_RELRO) {
                        const uintptr_t begin = (base + segments[i].p_vaddr) / PAGE_BYTES * PAGE_BYTES;
                        const uintptr_t end =
                                        (base + segments[i].p_vaddr + segments[i].p_memsz) / PAGE_BYTES * PAGE_BYTES;

                        return (ReadOnly){ begin, end - begin };
                }
        return (ReadOnly){};
}

size_t own_calls_bind(void) {
        const uintptr_t base = (uintptr_t)&__ehdr_start;
        const Tables own = tables_read(base, own_dynamic);
        const struct link_map *map = find_libc();
        const ReadOnly read_only = find_read_only(base);
        size_t n_bound = 0;
        Tables libc;

        if (!map || !tables_are_whole(&own))
                return 0;
        libc = tables_read(map->l_addr, map->l_ld);
        if (read_only.n_bytes)
                protect(read_only.begin, read_only.n_bytes, PROT_READ | PROT_WRITE);
        for (unsigned kind = 0; kind < 2; kind++)
                for (size_t i = 0; i < own.relocations[kind].n; i++) {
                        const ElfW(Rela) *relocation = &own.relocations[kind].rows[i];
                        void *target = reference_target(&own, relocation, &libc);
                        void **slot = (void **)(base + relocation->r_offset);

                        if (!target || *slot == target)
                                continue;
                        *slot = target;
                        n_bound++;
                }
        if (read_only.n_bytes)
                protect(read_only.begin, read_only.n_bytes, PROT_READ);
        return n_bound;
}
