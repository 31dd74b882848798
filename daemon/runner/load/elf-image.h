/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A shared object as bytes in memory, before it is loaded. The bytes come from a stranger: each look is checked first, and
 * whatever is handed out lies within them. (ELF-64 object file format 1.5; System V ABI, chapter 5; DT_GNU_HASH as the GNU
 * linkers write it.)
 */

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ElfImage {
        char *bytes; /* 8-byte aligned */
        size_t n;
        Elf64_Phdr *segments;
        size_t n_segments;
} ElfImage;

/* The dynamic symbols: defined ones are all among them. */
typedef struct ElfSymbols {
        Elf64_Sym *rows;
        size_t n;
} ElfSymbols;

/* Finds the segments of the @n bytes at @bytes, which must outlive @ret_image. False where there are none. */
bool elf_image_read(void *bytes, size_t n, ElfImage *ret_image);

/* The @n_bytes at @offset of the file; NULL where the file does not hold them, or not aligned to 8. */
void *elf_image_at(const ElfImage *image, uint64_t offset, uint64_t n_bytes);

/* The bytes of the file from @address on to the end of its segment; NULL where it holds nothing, or not aligned to 8. */
void *elf_image_at_address(const ElfImage *image, uint64_t address, uint64_t *ret_n_bytes);

/* The dynamic section, which ends before its first DT_NULL; NULL where there is none, or where it is not loaded from the file. */
Elf64_Dyn *elf_image_dynamic(const ElfImage *image, size_t *ret_n);

/* The value of the last entry of the dynamic section that has @tag; 0 where there is none. */
uint64_t elf_image_dynamic_value(const ElfImage *image, int64_t tag);

/* The string at @offset of the string table; NULL where it does not end within the table. */
const char *elf_image_string(const ElfImage *image, uint64_t offset);

/* False where there are none, or where nothing tells how many there are. */
bool elf_image_symbols(const ElfImage *image, ElfSymbols *ret_symbols);

/*
 * The section headers of a shared object, by which all its symbols can be read, static ones too. A stripped file has those of the
 * loader only; one without section headers has none. Its bytes come from a stranger: each look is checked first.
 */

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
