/* SPDX-License-Identifier: MIT */
#include "lib/elf-needs.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

typedef struct ElfFile {
        const uint8_t *data;
        size_t n_data;
        Elf64_Ehdr header;
} ElfFile;

/* Copies @n bytes from @offset, since nothing says that they are aligned. Returns false where they lie beyond the end. */
static bool elf_copy(const ElfFile *file, uint64_t offset, void *to, size_t n) {
        if (offset > file->n_data || n > file->n_data - offset)
                return false;
        memcpy(to, file->data + offset, n);
        return true;
}

static int elf_open(ElfFile *file) {
        const Elf64_Ehdr *header = &file->header;

        if (!elf_copy(file, 0, &file->header, sizeof file->header))
                return ELF_NEEDS_E_FOREIGN;
        if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
                        header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_machine != EM_X86_64)
                return ELF_NEEDS_E_FOREIGN;
        if (header->e_phnum > 0 && header->e_phentsize != sizeof(Elf64_Phdr))
                return ELF_NEEDS_E_MALFORMED;
        return 0;
}

static bool elf_segment(const ElfFile *file, unsigned index, Elf64_Phdr *ret_segment) {
        uint64_t offset = file->header.e_phoff;

        if (offset > file->n_data)
                return false;
        return elf_copy(file, offset + index * sizeof *ret_segment, ret_segment, sizeof *ret_segment);
}

static int elf_find_dynamic(const ElfFile *file, Elf64_Phdr *ret_segment) {
        for (unsigned i = 0; i < file->header.e_phnum; i++) {
                Elf64_Phdr segment;

                if (!elf_segment(file, i, &segment))
                        return ELF_NEEDS_E_MALFORMED;
                if (segment.p_type != PT_DYNAMIC)
                        continue;
                *ret_segment = segment;
                return 0;
        }
        return ELF_NEEDS_E_FOREIGN;
}

/* The place in the file of what is loaded at @address, and how many bytes the file has from there on. */
static bool elf_locate(const ElfFile *file, uint64_t address, uint64_t *ret_offset, uint64_t *ret_n) {
        for (unsigned i = 0; i < file->header.e_phnum; i++) {
                Elf64_Phdr segment;
                uint64_t within;

                if (!elf_segment(file, i, &segment))
                        return false;
                within = address - segment.p_vaddr;
                if (segment.p_type != PT_LOAD || address < segment.p_vaddr || within >= segment.p_filesz)
                        continue;
                if (segment.p_offset > file->n_data || within >= file->n_data - segment.p_offset)
                        return false;
                *ret_offset = segment.p_offset + within;
                *ret_n = segment.p_filesz - within;
                return true;
        }
        return false;
}

/* ---- the dynamic section: entries name their strings by offsets into a table that another entry locates */

typedef struct ElfStrings {
        const char *data;
        size_t n_data;
} ElfStrings;

static bool elf_entry(const ElfFile *file, const Elf64_Phdr *dynamic, size_t index, Elf64_Dyn *ret_entry) {
        if (index >= dynamic->p_filesz / sizeof *ret_entry || dynamic->p_offset > file->n_data)
                return false;
        if (!elf_copy(file, dynamic->p_offset + index * sizeof *ret_entry, ret_entry, sizeof *ret_entry))
                return false;
        return ret_entry->d_tag != DT_NULL;
}

static int elf_find_strings(const ElfFile *file, const Elf64_Phdr *dynamic, ElfStrings *ret_strings) {
        uint64_t address = 0, size = 0, offset, n;
        Elf64_Dyn entry;

        for (size_t i = 0; elf_entry(file, dynamic, i, &entry); i++) {
                if (entry.d_tag == DT_STRTAB)
                        address = entry.d_un.d_ptr;
                if (entry.d_tag == DT_STRSZ)
                        size = entry.d_un.d_val;
        }
        if (!elf_locate(file, address, &offset, &n) || size > n || size > file->n_data - offset)
                return ELF_NEEDS_E_MALFORMED;
        *ret_strings = (ElfStrings){ .data = (const char *)file->data + offset, .n_data = size };
        return 0;
}

static bool elf_string(const ElfStrings *strings, uint64_t offset, const char **ret_string) {
        if (offset >= strings->n_data || !memchr(strings->data + offset, '\0', strings->n_data - offset))
                return false;
        *ret_string = strings->data + offset;
        return true;
}

/* The place in @needs for the string of an entry with @tag; NULL for entries of no concern. */
static const char **elf_needs_slot(ElfNeeds *needs, int64_t tag) {
        switch (tag) {
        case DT_NEEDED:
                return &needs->needed[needs->n_needed];
        case DT_SONAME:
                return &needs->soname;
        case DT_RPATH:
                return &needs->rpath;
        case DT_RUNPATH:
                return &needs->runpath;
        default:
                return NULL;
        }
}

static int elf_collect(const ElfFile *file, const Elf64_Phdr *dynamic, const ElfStrings *strings, ElfNeeds *needs) {
        Elf64_Dyn entry;

        for (size_t i = 0; elf_entry(file, dynamic, i, &entry); i++) {
                const char **slot;

                if (entry.d_tag == DT_NEEDED && needs->n_needed == ELF_NEEDED_MAX)
                        return ELF_NEEDS_E_MALFORMED;
                slot = elf_needs_slot(needs, entry.d_tag);
                if (!slot)
                        continue;
                if (!elf_string(strings, entry.d_un.d_val, slot))
                        return ELF_NEEDS_E_MALFORMED;
                needs->n_needed += entry.d_tag == DT_NEEDED;
        }
        return 0;
}

int elf_needs_read(const uint8_t *data, size_t n_data, ElfNeeds *ret_needs) {
        ElfFile file = { .data = data, .n_data = n_data };
        ElfNeeds needs = {};
        ElfStrings strings;
        Elf64_Phdr dynamic;
        int r;

        r = elf_open(&file);
        if (r)
                return r;
        r = elf_find_dynamic(&file, &dynamic);
        if (r)
                return r;
        r = elf_find_strings(&file, &dynamic, &strings);
        if (r)
                return r;
        r = elf_collect(&file, &dynamic, &strings, &needs);
        if (r)
                return r;
        *ret_needs = needs;
        return 0;
}
