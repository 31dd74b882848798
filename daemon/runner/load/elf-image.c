/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/elf-image.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The head of DT_GNU_HASH; a filter of n_words words of 64 bits follows, then n_buckets, then a chain a symbol. */
typedef struct GnuHash {
        uint32_t n_buckets;
        uint32_t first_symbol;
        uint32_t n_words;
        uint32_t shift;
} GnuHash;

void *elf_image_at(const ElfImage *image, uint64_t offset, uint64_t n_bytes) {
        if (offset % 8 || offset > image->n || n_bytes > image->n - offset)
                return NULL;
        return image->bytes + offset;
}

bool elf_image_read(void *bytes, size_t n, ElfImage *ret_image) {
        ElfImage image = { .bytes = bytes, .n = n };
        const Elf64_Ehdr *head = elf_image_at(&image, 0, sizeof *head);

        if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_phentsize != sizeof(Elf64_Phdr))
                return false;
        image.n_segments = head->e_phnum;
        image.segments = elf_image_at(&image, head->e_phoff, image.n_segments * sizeof *image.segments);
        *ret_image = image;
        return image.segments;
}

/* The bytes of the file from @address to the end of its segment, of any alignment; NULL if there are none. */
static char *image_bytes_at(const ElfImage *image, uint64_t address, uint64_t *ret_n_bytes) {
        for (size_t i = 0; i < image->n_segments; i++) {
                const Elf64_Phdr *segment = &image->segments[i];
                const uint64_t within = address - segment->p_vaddr, n = segment->p_filesz - within;

                if (segment->p_type != PT_LOAD || address < segment->p_vaddr || within >= segment->p_filesz)
                        continue;
                if (segment->p_offset > image->n || within > image->n - segment->p_offset ||
                                n > image->n - segment->p_offset - within)
                        return NULL;
                *ret_n_bytes = n;
                return image->bytes + segment->p_offset + within;
        }
        return NULL;
}

void *elf_image_at_address(const ElfImage *image, uint64_t address, uint64_t *ret_n_bytes) {
        char *bytes = image_bytes_at(image, address, ret_n_bytes);

        return bytes && (bytes - image->bytes) % 8 == 0 ? bytes : NULL;
}

Elf64_Dyn *elf_image_dynamic(const ElfImage *image, size_t *ret_n) {
        const Elf64_Phdr *found = NULL;
        Elf64_Dyn *entries;
        uint64_t n_bytes;
        size_t n = 0;

        for (size_t i = 0; i < image->n_segments; i++)
                if (image->segments[i].p_type == PT_DYNAMIC)
                        found = &image->segments[i];
        entries = found ? elf_image_at_address(image, found->p_vaddr, &n_bytes) : NULL;
        if (!entries)
                return NULL;
        while (n < n_bytes / sizeof *entries && entries[n].d_tag != DT_NULL)
                n++;
        *ret_n = n;
        return entries;
}

uint64_t elf_image_dynamic_value(const ElfImage *image, int64_t tag) {
        const Elf64_Dyn *entries;
        uint64_t value = 0;
        size_t n;

        entries = elf_image_dynamic(image, &n);
        for (size_t i = 0; entries && i < n; i++)
                if (entries[i].d_tag == tag)
                        value = entries[i].d_un.d_val;
        return value;
}

/* The number of symbols by DT_HASH: the length of its chain. 0 if it is missing. */
static size_t count_by_hash(const ElfImage *image, uint64_t address) {
        const uint32_t *hash;
        uint64_t n_bytes;

        hash = elf_image_at_address(image, address, &n_bytes);
        return hash && n_bytes >= 2 * sizeof *hash ? hash[1] : 0;
}

/* The number of symbols by DT_GNU_HASH: one more than the last of the chain that begins last. */
static size_t count_by_gnu_hash(const ElfImage *image, uint64_t address) {
        const uint32_t *buckets, *chains;
        const GnuHash *head;
        uint64_t n_bytes, n_chains;
        size_t last = 0;

        head = elf_image_at_address(image, address, &n_bytes);
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

static size_t count_symbols(const ElfImage *image) {
        const uint64_t hash = elf_image_dynamic_value(image, DT_HASH);
        const uint64_t gnu_hash = elf_image_dynamic_value(image, DT_GNU_HASH);
        size_t n = hash ? count_by_hash(image, hash) : 0;

        return n == 0 && gnu_hash ? count_by_gnu_hash(image, gnu_hash) : n;
}

bool elf_image_symbols(const ElfImage *image, ElfSymbols *ret_symbols) {
        const uint64_t address = elf_image_dynamic_value(image, DT_SYMTAB);
        ElfSymbols symbols = { .n = count_symbols(image) };
        uint64_t n_bytes;

        symbols.rows = address ? elf_image_at_address(image, address, &n_bytes) : NULL;
        if (symbols.n == 0 || !symbols.rows || symbols.n > n_bytes / sizeof *symbols.rows)
                return false;
        *ret_symbols = symbols;
        return true;
}

const char *elf_image_string(const ElfImage *image, uint64_t offset) {
        const uint64_t n_table = elf_image_dynamic_value(image, DT_STRSZ);
        const char *strings;
        uint64_t n_bytes;

        strings = image_bytes_at(image, elf_image_dynamic_value(image, DT_STRTAB), &n_bytes);
        if (!strings || n_table > n_bytes || offset >= n_table || !memchr(strings + offset, 0, n_table - offset))
                return NULL;
        return strings + offset;
}

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
