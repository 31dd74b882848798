/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/unique.h"

#include <string.h>

/* ---- a side */

/* The libraries of @side that @image needs, and they in turn. */
static uint32_t side_reach(const UniqueSide *side, const ElfImage *image) {
        const Elf64_Dyn *entries;
        uint32_t reach = 0;
        size_t n;

        entries = elf_image_dynamic(image, &n);
        for (size_t i = 0; entries && i < n; i++) {
                const char *name =
                                entries[i].d_tag == DT_NEEDED ? elf_image_string(image, entries[i].d_un.d_val) : NULL;

                for (uint32_t k = 0; name && k < side->n; k++)
                        if (strcmp(side->libraries[k].name, name) == 0)
                                reach |= 1u << k | side->libraries[k].reach;
        }
        return reach;
}

void unique_side_add(UniqueSide *side, const char *name, void *image, size_t n) {
        UniqueLibrary *library = &side->libraries[side->n];

        if (side->n == RUNNER_LIBRARIES_MAX || !elf_image_read(image, n, &library->image))
                return;
        library->name = name;
        library->reach = side_reach(side, &library->image);
        side->n++;
}

static bool side_defines(const UniqueSide *side, uint32_t reach, const char *name) {
        for (uint32_t k = 0; name && k < side->n; k++) {
                const Elf64_Sym *symbol =
                                reach & 1u << k ? elf_image_find_symbol(&side->libraries[k].image, name) : NULL;

                if (symbol && symbol->st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) == STB_GNU_UNIQUE)
                        return true;
        }
        return false;
}

/* ---- symbols */

/*
 * Leaves symbol @i undefined, to be bound as any other that a library defines. It loses its version, which is that of its own object and
 * not the library's: unique symbols are bound by name alone. False where the versions cannot be read.
 */
static bool symbol_undefine(const ElfImage *image, const ElfSymbols *symbols, size_t i) {
        const uint64_t address = elf_image_dynamic_value(image, DT_VERSYM);
        uint64_t n_bytes;

        if (address) {
                uint16_t *versions = elf_image_at_address(image, address & ~7ull, &n_bytes);
                const size_t place = i + (address & 7) / sizeof *versions;

                if (!versions || place >= n_bytes / sizeof *versions)
                        return false;
                versions[place] = VER_NDX_GLOBAL;
        }
        symbols->rows[i].st_value = 0;
        symbols->rows[i].st_size = 0;
        symbols->rows[i].st_shndx = SHN_UNDEF;
        return true;
}

int unique_rebind(void *bytes, size_t n, const UniqueSide *side, size_t *ret_n_rebound) {
        size_t n_rebound = 0;
        ElfSymbols symbols;
        ElfImage image;
        uint32_t reach;

        if (!elf_image_read(bytes, n, &image) || !elf_image_symbols(&image, &symbols))
                return UNIQUE_E_INVALID;
        reach = side_reach(side, &image);
        for (size_t i = 0; i < symbols.n; i++) {
                Elf64_Sym *symbol = &symbols.rows[i];

                if (ELF64_ST_BIND(symbol->st_info) != STB_GNU_UNIQUE)
                        continue;
                symbol->st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbol->st_info));
                n_rebound++;
                if (reach && symbol->st_shndx != SHN_UNDEF &&
                                side_defines(side, reach, elf_image_string(&image, symbol->st_name)) &&
                                !symbol_undefine(&image, &symbols, i))
                        return UNIQUE_E_INVALID;
        }
        *ret_n_rebound = n_rebound;
        return 0;
}

/* A string table begins with the empty string, which no file needs. */
int unique_unname(void *bytes, size_t n) {
        ElfImage image;
        Elf64_Dyn *entries;
        size_t n_entries;

        if (!elf_image_read(bytes, n, &image))
                return UNIQUE_E_INVALID;
        entries = elf_image_dynamic(&image, &n_entries);
        if (!entries)
                return UNIQUE_E_INVALID;
        for (size_t i = 0; i < n_entries; i++)
                if (entries[i].d_tag == DT_SONAME)
                        entries[i].d_un.d_val = 0;
        return 0;
}
