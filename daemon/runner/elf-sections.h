/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The section headers of a shared object, by which all its symbols can be read, static ones too. A stripped file has those of the
 * loader only; one without section headers has none. Its bytes come from a stranger: each look is checked first.
 */

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "runner/elf-image.h"

/* A table of entries of one size. */
typedef struct ElfSectionTable {
        const char *entries;
        uint64_t n;
        uint32_t link; /* the section that it is about */
} ElfSectionTable;

/* Maps the file at @fd, without its segments. False if it is empty or cannot be mapped. */
bool elf_sections_map(int fd, ElfImage *ret_file);
void elf_sections_unmap(const ElfImage *file);

/* Header @index; NULL where there is none. */
const Elf64_Shdr *elf_section_at(const ElfImage *file, uint64_t index);

/* The entries of @section, each of @size; none where the file does not hold them. */
ElfSectionTable elf_section_table(const ElfImage *file, const Elf64_Shdr *section, size_t size);

/* The name of symbol @index of @symbols; empty where it has none. */
const char *elf_section_symbol_name(const ElfImage *file, const ElfSectionTable *symbols, uint64_t index);
