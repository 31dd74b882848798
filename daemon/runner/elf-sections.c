/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/elf-sections.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

bool elf_sections_map(int fd, ElfImage *ret_file) {
        struct stat status;
        void *bytes;

        if (fstat(fd, &status) < 0 || status.st_size <= 0)
                return false;
        bytes = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED)
                return false;
        *ret_file = (ElfImage){ .bytes = bytes, .n = status.st_size };
        return true;
}

void elf_sections_unmap(const ElfImage *file) {
        munmap(file->bytes, file->n);
}

const Elf64_Shdr *elf_section_at(const ElfImage *file, uint64_t index) {
        const Elf64_Ehdr *elf = elf_image_at(file, 0, sizeof *elf);

        if (!elf || index >= elf->e_shnum || elf->e_shentsize != sizeof(Elf64_Shdr) || elf->e_shoff > file->n)
                return NULL;
        return elf_image_at(file, elf->e_shoff + index * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

ElfSectionTable elf_section_table(const ElfImage *file, const Elf64_Shdr *section, size_t size) {
        const char *entries = elf_image_at(file, section->sh_offset, section->sh_size);

        return (ElfSectionTable){
                .entries = entries,
                .n = entries ? section->sh_size / size : 0,
                .link = section->sh_link,
        };
}

const char *elf_section_symbol_name(const ElfImage *file, const ElfSectionTable *symbols, uint64_t index) {
        const Elf64_Shdr *section = elf_section_at(file, symbols->link);
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
