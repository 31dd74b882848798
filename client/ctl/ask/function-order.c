/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/function-order.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

/* An object whose headers were checked. */
typedef struct Object {
        char *bytes;
        size_t n;
        Elf64_Shdr *sections;
        size_t n_sections;
} Object;

uint64_t function_order_random(uint64_t *state) {
        uint64_t drawn = *state += 0x9e3779b97f4a7c15u;

        drawn = (drawn ^ drawn >> 30) * 0xbf58476d1ce4e5b9u;
        drawn = (drawn ^ drawn >> 27) * 0x94d049bb133111ebu;
        return drawn ^ drawn >> 31;
}

/* ---- the file */

static bool is_within(const Object *object, uint64_t offset, uint64_t n_bytes) {
        return offset % 4 == 0 && offset <= object->n && n_bytes <= object->n - offset;
}

/* The number of an object's sections is in its first header where it does not fit the file's. */
static bool object_read(char *bytes, size_t n, Object *ret_object) {
        Object object = { .bytes = bytes, .n = n };
        const Elf64_Ehdr *head = (const Elf64_Ehdr *)bytes;

        if (n < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
                        head->e_type != ET_REL || head->e_shentsize != sizeof *object.sections || head->e_shoff % 8 ||
                        !is_within(&object, head->e_shoff, sizeof *object.sections))
                return false;
        object.sections = (Elf64_Shdr *)(bytes + head->e_shoff);
        object.n_sections = head->e_shnum ? head->e_shnum : object.sections[0].sh_size;
        if (object.n_sections < 1 || object.n_sections > n / sizeof *object.sections ||
                        !is_within(&object, head->e_shoff, object.n_sections * sizeof *object.sections))
                return false;
        *ret_object = object;
        return true;
}

static bool has_functions(const Elf64_Shdr *section) {
        return section->sh_type == SHT_PROGBITS && (section->sh_flags & SHF_ALLOC) &&
               (section->sh_flags & SHF_EXECINSTR) && section->sh_size > 0;
}

/* The words of @section, of @size bytes each; none if the file does not have them. */
static void *section_words(const Object *object, const Elf64_Shdr *section, size_t size, size_t *ret_n) {
        const bool has = section->sh_type != SHT_NOBITS && is_within(object, section->sh_offset, section->sh_size) &&
                         (size < 8 || section->sh_offset % 8 == 0);

        *ret_n = has ? section->sh_size / size : 0;
        return object->bytes + (has ? section->sh_offset : 0);
}

/* ---- numbers of sections, wherever the object has one */

/* The new number of each section. */
typedef struct Numbers {
        uint32_t *new;
        size_t n;
} Numbers;

static uint32_t number_of(const Numbers *numbers, uint32_t old) {
        return old < numbers->n ? numbers->new[old] : old;
}

static void renumber_symbols(const Object *object, const Elf64_Shdr *section, const Numbers *numbers) {
        size_t n;
        Elf64_Sym *symbols = section_words(object, section, sizeof *symbols, &n);

        for (size_t i = 0; i < n; i++)
                if (symbols[i].st_shndx < SHN_LORESERVE)
                        symbols[i].st_shndx = number_of(numbers, symbols[i].st_shndx);
}

/* The words of a group from its second, and the numbers of symbols that do not fit the symbol. */
static void renumber_words(const Object *object, const Elf64_Shdr *section, size_t first, const Numbers *numbers) {
        size_t n;
        uint32_t *words = section_words(object, section, sizeof *words, &n);

        for (size_t i = first; i < n; i++)
                words[i] = number_of(numbers, words[i]);
}

static void renumber(const Object *object, Elf64_Shdr *section, const Numbers *numbers) {
        section->sh_link = number_of(numbers, section->sh_link);
        if (section->sh_type == SHT_REL || section->sh_type == SHT_RELA || (section->sh_flags & SHF_INFO_LINK))
                section->sh_info = number_of(numbers, section->sh_info);
        else if (section->sh_type == SHT_SYMTAB)
                renumber_symbols(object, section, numbers);
        else if (section->sh_type == SHT_GROUP)
                renumber_words(object, section, 1, numbers);
        else if (section->sh_type == SHT_SYMTAB_SHNDX)
                renumber_words(object, section, 0, numbers);
}

/* ---- the order */

/* The places of sections with code: their numbers, in order. Returns how many. */
static size_t find_places(const Object *object, uint32_t *places) {
        size_t n = 0;

        for (size_t i = 1; i < object->n_sections; i++)
                if (has_functions(&object->sections[i]))
                        places[n++] = i;
        return n;
}

static void shuffle(uint32_t *numbers, size_t n, uint64_t seed) {
        for (size_t i = n; i > 1; i--) {
                const size_t k = function_order_random(&seed) % i;
                const uint32_t moved = numbers[i - 1];

                numbers[i - 1] = numbers[k];
                numbers[k] = moved;
        }
}

/* Linkers drop an excluded section, and the relocations for it. */
static void exclude_debug_information(Object *object) {
        for (size_t i = 1; i < object->n_sections; i++) {
                Elf64_Shdr *section = &object->sections[i];
                const bool is_data = section->sh_type == SHT_PROGBITS && !(section->sh_flags & SHF_ALLOC);

                if (is_data && section->sh_size > 0)
                        section->sh_flags |= SHF_EXCLUDE;
        }
}

static bool reorder(Object *object, uint64_t seed, size_t *ret_n) {
        const size_t n = object->n_sections;
        _cleanup_(freep) Elf64_Shdr *old = malloc(n * sizeof *old);
        _cleanup_(freep) uint32_t *places = malloc(n * sizeof *places);
        _cleanup_(freep) uint32_t *taken = malloc(n * sizeof *taken);
        _cleanup_(freep) uint32_t *new = malloc(n * sizeof *new);

        if (!old || !places || !taken || !new)
                return false;
        memcpy(old, object->sections, n * sizeof *old);
        *ret_n = find_places(object, places);
        memcpy(taken, places, *ret_n * sizeof *taken);
        shuffle(taken, *ret_n, seed);
        for (size_t i = 0; i < n; i++)
                new[i] = i;
        for (size_t i = 0; i < *ret_n; i++) {
                object->sections[places[i]] = old[taken[i]];
                new[taken[i]] = places[i];
        }
        for (size_t i = 1; i < n; i++)
                renumber(object, &object->sections[i], &(Numbers){ new, n });
        exclude_debug_information(object);
        return true;
}

size_t function_order_count(const void *bytes, size_t n) {
        Object object;
        size_t count = 0;

        if (!object_read((char *)bytes, n, &object)) /* it is only read */
                return 0;
        for (size_t i = 1; i < object.n_sections; i++)
                count += has_functions(&object.sections[i]);
        return count;
}

size_t function_order_draw(void *bytes, size_t n, uint64_t seed) {
        Object object;
        size_t count;

        if (!object_read(bytes, n, &object) || !reorder(&object, seed, &count))
                return 0;
        return count;
}
