/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/unique.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct Image {
        char *bytes;
        size_t n;
        const Elf64_Phdr *segments;
        size_t n_segments;
} Image;

/* What the dynamic section says of the symbols; addresses, 0 where it does not. */
typedef struct SymbolTables {
        uint64_t symbols;
        uint64_t hash;
        uint64_t gnu_hash;
} SymbolTables;

/* The head of DT_GNU_HASH; a filter of n_words words of 64 bits follows, then n_buckets, then a chain a symbol. */
typedef struct GnuHash {
        uint32_t n_buckets;
        uint32_t first_symbol;
        uint32_t n_words;
        uint32_t shift;
} GnuHash;

/* @n_bytes at @offset; NULL where the file does not hold them, or not aligned. */
static void *image_at(const Image *image, uint64_t offset, uint64_t n_bytes) {
        if (offset % 8 || offset > image->n || n_bytes > image->n - offset)
                return NULL;
        return image->bytes + offset;
}

static bool image_read(void *bytes, size_t n, Image *ret_image) {
        Image image = { .bytes = bytes, .n = n };
        const Elf64_Ehdr *head = image_at(&image, 0, sizeof *head);

        if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_phentsize != sizeof(Elf64_Phdr))
                return false;
        image.n_segments = head->e_phnum;
        image.segments = image_at(&image, head->e_phoff, image.n_segments * sizeof *image.segments);
        *ret_image = image;
        return image.segments;
}

/* How much of the file stands from @address on, and where; NULL if nothing does. */
static void *image_at_address(const Image *image, uint64_t address, uint64_t *ret_n_bytes) {
        for (size_t i = 0; i < image->n_segments; i++) {
                const Elf64_Phdr *segment = &image->segments[i];

                if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
                                address - segment->p_vaddr >= segment->p_filesz)
                        continue;
                *ret_n_bytes = segment->p_filesz - (address - segment->p_vaddr);
                return image_at(image, segment->p_offset + (address - segment->p_vaddr), *ret_n_bytes);
        }
        return NULL;
}

static void tables_note(SymbolTables *tables, const Elf64_Dyn *entry) {
        if (entry->d_tag == DT_SYMTAB)
                tables->symbols = entry->d_un.d_ptr;
        else if (entry->d_tag == DT_HASH)
                tables->hash = entry->d_un.d_ptr;
        else if (entry->d_tag == DT_GNU_HASH)
                tables->gnu_hash = entry->d_un.d_ptr;
}

static bool tables_read(const Image *image, SymbolTables *ret_tables) {
        SymbolTables tables = {};

        for (size_t i = 0; i < image->n_segments; i++) {
                const Elf64_Phdr *segment = &image->segments[i];
                const Elf64_Dyn *entries;

                if (segment->p_type != PT_DYNAMIC)
                        continue;
                entries = image_at(image, segment->p_offset, segment->p_filesz);
                for (size_t k = 0; entries && k < segment->p_filesz / sizeof *entries; k++)
                        tables_note(&tables, &entries[k]);
        }
        *ret_tables = tables;
        return tables.symbols;
}

/* The number of symbols by DT_HASH: the length of its chain. 0 where it is not there. */
static size_t count_by_hash(const Image *image, uint64_t address) {
        const uint32_t *hash;
        uint64_t n_bytes;

        hash = image_at_address(image, address, &n_bytes);
        return hash && n_bytes >= 2 * sizeof *hash ? hash[1] : 0;
}

/* The number of symbols by DT_GNU_HASH: one more than the last of the chain that begins last. */
static size_t count_by_gnu_hash(const Image *image, uint64_t address) {
        const uint32_t *buckets, *chains;
        const GnuHash *head;
        uint64_t n_bytes, n_chains;
        size_t last = 0;

        head = image_at_address(image, address, &n_bytes);
        if (!head || n_bytes < sizeof *head)
                return 0;
        if (n_bytes < sizeof *head + head->n_words * 8ull + head->n_buckets * 4ull)
                return 0;
        buckets = (const uint32_t *)(head + 1) + 2 * (size_t)head->n_words;
        chains = buckets + head->n_buckets;
        n_chains = (n_bytes - sizeof *head - head->n_words * 8ull - head->n_buckets * 4ull) / 4;

        for (uint32_t i = 0; i < head->n_buckets; i++)
                last = buckets[i] > last ? buckets[i] : last;
        if (last < head->first_symbol)
                return head->first_symbol;
        while (last - head->first_symbol < n_chains && !(chains[last - head->first_symbol] & 1))
                last++;
        return last + 1;
}

static size_t count_symbols(const Image *image, const SymbolTables *tables) {
        size_t n = tables->hash ? count_by_hash(image, tables->hash) : 0;

        return n == 0 && tables->gnu_hash ? count_by_gnu_hash(image, tables->gnu_hash) : n;
}

int unique_rebind(void *bytes, size_t n, size_t *ret_n_rebound) {
        SymbolTables tables;
        Elf64_Sym *symbols;
        size_t n_symbols, n_rebound = 0;
        uint64_t n_bytes;
        Image image;

        if (!image_read(bytes, n, &image) || !tables_read(&image, &tables))
                return UNIQUE_E_INVALID;
        n_symbols = count_symbols(&image, &tables);
        symbols = image_at_address(&image, tables.symbols, &n_bytes);
        if (n_symbols == 0 || !symbols || n_symbols > n_bytes / sizeof *symbols)
                return UNIQUE_E_INVALID;

        for (size_t i = 0; i < n_symbols; i++) {
                if (ELF64_ST_BIND(symbols[i].st_info) != STB_GNU_UNIQUE)
                        continue;
                symbols[i].st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbols[i].st_info));
                n_rebound++;
        }
        *ret_n_rebound = n_rebound;
        return 0;
}
