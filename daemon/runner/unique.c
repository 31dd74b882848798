/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/unique.h"

#include "runner/elf-image.h"

int unique_rebind(void *bytes, size_t n, size_t *ret_n_rebound) {
        size_t n_rebound = 0;
        ElfSymbols symbols;
        ElfImage image;

        if (!elf_image_read(bytes, n, &image) || !elf_image_symbols(&image, &symbols))
                return UNIQUE_E_INVALID;
        for (size_t i = 0; i < symbols.n; i++) {
                Elf64_Sym *symbol = &symbols.rows[i];

                if (ELF64_ST_BIND(symbol->st_info) != STB_GNU_UNIQUE)
                        continue;
                symbol->st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbol->st_info));
                n_rebound++;
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
