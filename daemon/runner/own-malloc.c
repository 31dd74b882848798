/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/own-malloc.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runner/elf-image.h"
#include "util/cleanup.h"

/* A table of entries of one size. */
typedef struct ElfTable {
        const char *entries;
        uint64_t n;
        uint32_t link; /* the section that it is about */
} ElfTable;

static const Elf64_Shdr *elf_section(const ElfImage *file, uint64_t index) {
        const Elf64_Ehdr *elf = elf_image_at(file, 0, sizeof *elf);

        if (!elf || index >= elf->e_shnum || elf->e_shentsize != sizeof(Elf64_Shdr) || elf->e_shoff > file->n)
                return NULL;
        return elf_image_at(file, elf->e_shoff + index * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

static ElfTable elf_table(const ElfImage *file, const Elf64_Shdr *section, size_t size) {
        const char *entries = elf_image_at(file, section->sh_offset, section->sh_size);

        return (ElfTable){ .entries = entries, .n = entries ? section->sh_size / size : 0, .link = section->sh_link };
}

/* The name of symbol @index of @symbols; empty where it has none. */
static const char *elf_symbol_name(const ElfImage *file, const ElfTable *symbols, uint64_t index) {
        const Elf64_Shdr *section = elf_section(file, symbols->link);
        const Elf64_Sym *symbol;
        uint64_t offset;

        if (!section || index >= symbols->n)
                return "";
        symbol = (const Elf64_Sym *)symbols->entries + index;
        if (symbol->st_name >= section->sh_size)
                return "";
        offset = section->sh_offset + symbol->st_name;
        if (offset >= file->n || !memchr(file->bytes + offset, 0, file->n - offset))
                return "";
        return file->bytes + offset;
}

static bool is_malloc(const char *name) {
        return strcmp(name, "malloc") == 0;
}

static bool is_allocator(const char *name) {
        return is_malloc(name) || strcmp(name, "_Znwm") == 0;
}

static bool symbols_define_allocator(const ElfImage *file, const Elf64_Shdr *section) {
        const ElfTable symbols = elf_table(file, section, sizeof(Elf64_Sym));

        for (uint64_t i = 0; i < symbols.n; i++) {
                const Elf64_Sym *symbol = (const Elf64_Sym *)symbols.entries + i;

                if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
                                is_allocator(elf_symbol_name(file, &symbols, i)))
                        return true;
        }
        return false;
}

static bool relocations_want_malloc(const ElfImage *file, const Elf64_Shdr *section) {
        const ElfTable relocations = elf_table(file, section, sizeof(Elf64_Rela));
        const Elf64_Shdr *of = elf_section(file, relocations.link);
        ElfTable symbols;

        if (!of)
                return false;
        symbols = elf_table(file, of, sizeof(Elf64_Sym));
        for (uint64_t i = 0; i < relocations.n; i++) {
                const Elf64_Rela *relocation = (const Elf64_Rela *)relocations.entries + i;

                if (is_malloc(elf_symbol_name(file, &symbols, ELF64_R_SYM(relocation->r_info))))
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

/* True if any section that tells of what @defines says so. */
static bool elf_has(const ElfImage *file, bool defines) {
        const Elf64_Shdr *section;

        for (uint64_t i = 0; (section = elf_section(file, i)); i++)
                for (size_t look = 0; look < N_ELEMENTS(own_malloc_looks); look++)
                        if (own_malloc_looks[look].defines == defines &&
                                        own_malloc_looks[look].type == section->sh_type &&
                                        own_malloc_looks[look].has(file, section))
                                return true;
        return false;
}

bool own_malloc_in(int fd) {
        struct stat status;
        ElfImage file;
        void *bytes;
        bool own;

        if (fstat(fd, &status) < 0 || status.st_size <= 0)
                return false;
        bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED)
                return false;
        file = (ElfImage){ .bytes = bytes, .n = status.st_size };
        own = elf_has(&file, true) && !elf_has(&file, false);
        munmap(bytes, status.st_size);
        return own;
}
