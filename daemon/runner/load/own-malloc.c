/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/own-malloc.h"

#include <string.h>

#include "runner/load/elf-image.h"
#include "util/cleanup.h"

static bool is_malloc(const char *name) {
        return strcmp(name, "malloc") == 0;
}

static bool is_allocator(const char *name) {
        return is_malloc(name) || strcmp(name, "_Znwm") == 0;
}

static bool symbols_define_allocator(const ElfImage *file, const Elf64_Shdr *section) {
        const ElfSectionTable symbols = elf_section_table(file, section, sizeof(Elf64_Sym));

        for (uint64_t i = 0; i < symbols.n; i++) {
                const Elf64_Sym *symbol = (const Elf64_Sym *)symbols.entries + i;

                if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
                                is_allocator(elf_section_symbol_name(file, &symbols, i)))
                        return true;
        }
        return false;
}

static bool relocations_want_malloc(const ElfImage *file, const Elf64_Shdr *section) {
        const ElfSectionTable relocations = elf_section_table(file, section, sizeof(Elf64_Rela));
        const Elf64_Shdr *of = elf_section_at(file, relocations.link);
        ElfSectionTable symbols;

        if (!of)
                return false;
        symbols = elf_section_table(file, of, sizeof(Elf64_Sym));
        for (uint64_t i = 0; i < relocations.n; i++) {
                const Elf64_Rela *relocation = (const Elf64_Rela *)relocations.entries + i;

                if (is_malloc(elf_section_symbol_name(file, &symbols, ELF64_R_SYM(relocation->r_info))))
                        return true;
        }
        return false;
}

static const struct {
        uint32_t type;
        bool (*has)(const ElfImage *file, const Elf64_Shdr *section);
        bool defines;
} own_malloc_looks[] = {
        { SHT_SYMTAB, symbols_define_allocator, true },
        { SHT_DYNSYM, symbols_define_allocator, true },
        { SHT_RELA, relocations_want_malloc, false },
};

/*
 * True if a section shows that the module defines an allocator (@defines), or else that it asks the loader for malloc.
 */
static bool elf_has(const ElfImage *file, bool defines) {
        const Elf64_Shdr *section;

        for (uint64_t i = 0; (section = elf_section_at(file, i)); i++)
                for (size_t look = 0; look < N_ELEMENTS(own_malloc_looks); look++)
                        if (own_malloc_looks[look].defines == defines &&
                                        own_malloc_looks[look].type == section->sh_type &&
                                        own_malloc_looks[look].has(file, section))
                                return true;
        return false;
}

bool own_malloc_in(int fd) {
        ElfImage file;
        bool own;

        if (!elf_sections_map(fd, &file))
                return false;
        own = elf_has(&file, true) && !elf_has(&file, false);
        elf_sections_unmap(&file);
        return own;
}
