/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A shared object as bytes in memory, before it is loaded. The bytes are untrusted: each access is checked first, and
 * everything that is returned lies within them. (ELF-64 object file format 1.5; System V ABI, chapter 5; DT_GNU_HASH as
 * the GNU linkers write it.)
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

/* The dynamic symbols, including all defined ones. */
typedef struct ElfSymbols {
        Elf64_Sym *rows;
        size_t n;
} ElfSymbols;

/* Finds the segments of the @n bytes at @bytes, which must outlive @ret_image. False if there are none. */
bool elf_image_read(void *bytes, size_t n, ElfImage *ret_image);

/* The @n_bytes at @offset of the file; NULL if the file does not have them, or they are not aligned to 8. */
void *elf_image_at(const ElfImage *image, uint64_t offset, uint64_t n_bytes);

/*
 * The bytes of the file from @address to the end of its segment; NULL if there are none, or they are not aligned to 8.
 */
void *elf_image_at_address(const ElfImage *image, uint64_t address, uint64_t *ret_n_bytes);

/* The dynamic section, up to its first DT_NULL; NULL if there is none, or it is not loaded from the file. */
Elf64_Dyn *elf_image_dynamic(const ElfImage *image, size_t *ret_n);

/* The value of the last entry of the dynamic section with @tag; 0 if there is none. */
uint64_t elf_image_dynamic_value(const ElfImage *image, int64_t tag);

/* The string at @offset of the string table; NULL if it does not end within the table. */
const char *elf_image_string(const ElfImage *image, uint64_t offset);

/* False if there are none, or their number is not known. */
bool elf_image_symbols(const ElfImage *image, ElfSymbols *ret_symbols);

/*
 * The section headers of a shared object, through which all its symbols can be read, static ones too. A stripped file has only
 * the loader's symbols; one without section headers has none. The bytes are untrusted: each access is checked first.
 */

/* A table of entries of one size. */
typedef struct ElfSectionTable {
        const char *entries;
        uint64_t n;
        uint32_t link; /* the section that it refers to */
} ElfSectionTable;

/* Maps the file at @fd, without its segments. False if it is empty or cannot be mapped. */
bool elf_sections_map(int fd, ElfImage *ret_file);
void elf_sections_unmap(const ElfImage *file);

/* Header @index; NULL if there is none. */
const Elf64_Shdr *elf_section_at(const ElfImage *file, uint64_t index);

/* The entries of @section, each of @size bytes; none if the file does not have them. */
ElfSectionTable elf_section_table(const ElfImage *file, const Elf64_Shdr *section, size_t size);

/* The name of symbol @index of @symbols; empty if it has none. */
const char *elf_section_symbol_name(const ElfImage *file, const ElfSectionTable *symbols, uint64_t index);
