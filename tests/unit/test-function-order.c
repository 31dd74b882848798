/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of an object in another order: each reference to a section follows it. */

#include "ctl/ask/function-order.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "random.h"
#include "test.h"
#include "util/cleanup.h"

#define FUNCTIONS 5u

enum {
        SECTION_NONE,
        SECTION_CODE,
        SECTION_DATA = SECTION_CODE + FUNCTIONS,
        SECTION_EMPTY, /* code of no bytes: assemblers make one */
        SECTION_RELOCATIONS,
        SECTION_GROUP = SECTION_RELOCATIONS + FUNCTIONS,
        SECTION_SYMBOLS,
        SECTION_NUMBERS,
        SECTION_DEBUG,
        SECTIONS,
};

/* An object of FUNCTIONS functions, each with relocations and a symbol, of which the last is in a group and has a number of its own. */
typedef struct Object {
        Elf64_Ehdr head;
        Elf64_Shdr sections[SECTIONS];
        Elf64_Sym symbols[FUNCTIONS + 2];
        Elf64_Rela relocations[FUNCTIONS];
        uint32_t group[2];
        uint32_t numbers[FUNCTIONS + 2];
        uint8_t code[FUNCTIONS][16];
        uint8_t debug[8];
} Object;

static void fill(Object *object) {
        Elf64_Shdr *sections = object->sections;

        *object = (Object){
                .head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
                                .e_type = ET_REL,
                                .e_shoff = offsetof(Object, sections),
                                .e_shentsize = sizeof *sections,
                                .e_shnum = SECTIONS },
                .group = { GRP_COMDAT, SECTION_CODE + FUNCTIONS - 1 },
        };
        for (uint32_t i = 0; i < FUNCTIONS; i++) {
                sections[SECTION_CODE + i] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
                        .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                        .sh_offset = offsetof(Object, code[i]),
                        .sh_size = sizeof object->code[i] };
                sections[SECTION_RELOCATIONS + i] = (Elf64_Shdr){ .sh_type = SHT_RELA,
                        .sh_flags = SHF_INFO_LINK,
                        .sh_offset = offsetof(Object, relocations[i]),
                        .sh_size = sizeof object->relocations[i],
                        .sh_link = SECTION_SYMBOLS,
                        .sh_info = SECTION_CODE + i };
                object->symbols[1 + i].st_shndx = SECTION_CODE + i;
        }
        object->symbols[FUNCTIONS].st_shndx = SHN_XINDEX;
        object->numbers[FUNCTIONS] = SECTION_CODE + FUNCTIONS - 1;
        object->symbols[FUNCTIONS + 1].st_shndx = SHN_ABS;
        sections[SECTION_DATA] =
                        (Elf64_Shdr){ .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_WRITE, .sh_size = 1u << 30 };
        sections[SECTION_EMPTY] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR };
        sections[SECTION_GROUP] = (Elf64_Shdr){ .sh_type = SHT_GROUP,
                .sh_offset = offsetof(Object, group),
                .sh_size = sizeof object->group,
                .sh_link = SECTION_SYMBOLS };
        sections[SECTION_SYMBOLS] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
                .sh_offset = offsetof(Object, symbols),
                .sh_size = sizeof object->symbols };
        sections[SECTION_NUMBERS] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB_SHNDX,
                .sh_offset = offsetof(Object, numbers),
                .sh_size = sizeof object->numbers,
                .sh_link = SECTION_SYMBOLS };
        sections[SECTION_DEBUG] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
                .sh_offset = offsetof(Object, debug),
                .sh_size = sizeof object->debug };
}

/* The function whose code section @number has. */
static uint32_t function_at(const Object *object, uint32_t number) {
        assert_in_range(number, SECTION_CODE, SECTION_CODE + FUNCTIONS - 1);
        return (object->sections[number].sh_offset - offsetof(Object, code)) / sizeof object->code[0];
}

TEST(each_reference_to_a_function_follows_it) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int i = 0; i < 200; i++) {
                Object object;

                fill(&object);
                assert_int_equal(function_order_count(&object, sizeof object), FUNCTIONS);
                assert_int_equal(function_order_draw(&object, sizeof object, gsl_rng_get(random)), FUNCTIONS);
                for (uint32_t k = 0; k < FUNCTIONS; k++) {
                        const uint32_t number =
                                        k + 1 < FUNCTIONS ? object.symbols[1 + k].st_shndx : object.numbers[1 + k];

                        assert_int_equal(function_at(&object, number), k);
                        assert_int_equal(function_at(&object, object.sections[SECTION_RELOCATIONS + k].sh_info), k);
                        assert_int_equal(object.sections[SECTION_RELOCATIONS + k].sh_link, SECTION_SYMBOLS);
                }
                assert_int_equal(function_at(&object, object.group[1]), FUNCTIONS - 1);
                assert_int_equal(object.group[0], GRP_COMDAT);
                assert_int_equal(object.symbols[FUNCTIONS + 1].st_shndx, SHN_ABS);
                assert_int_equal(object.sections[SECTION_DATA].sh_type, SHT_NOBITS);
                assert_true(object.sections[SECTION_DEBUG].sh_flags & SHF_EXCLUDE);
        }
}

TEST(each_function_comes_to_each_place_as_often) {
        size_t n[FUNCTIONS][FUNCTIONS] = {};
        const int n_trials = 20000;
        uint64_t seed = draw_seed();

        for (int i = 0; i < n_trials; i++) {
                Object object;

                fill(&object);
                (void)function_order_draw(&object, sizeof object, function_order_random(&seed));
                for (uint32_t k = 0; k < FUNCTIONS; k++)
                        n[function_at(&object, SECTION_CODE + k)][k]++;
        }
        for (uint32_t i = 0; i < FUNCTIONS; i++)
                for (uint32_t k = 0; k < FUNCTIONS; k++)
                        assert_true(fabs(n[i][k] / (double)n_trials - 1. / FUNCTIONS) <
                                        share_tolerance(1. / FUNCTIONS, n_trials));
}

TEST(one_seed_is_one_order) {
        Object one, other;

        fill(&one);
        fill(&other);
        (void)function_order_draw(&one, sizeof one, 42);
        (void)function_order_draw(&other, sizeof other, 42);
        assert_memory_equal(&one, &other, sizeof one);
}

TEST(what_is_no_object_stays_as_it_is) {
        static const char bitcode[sizeof(Object)] = "BC\xc0\xde";
        Object object;
        char other[sizeof bitcode] __attribute__((aligned(8)));

        memcpy(other, bitcode, sizeof other);
        assert_int_equal(function_order_draw(other, sizeof other, 1), 0);
        assert_memory_equal(other, bitcode, sizeof other);
        fill(&object);
        object.head.e_type = ET_DYN;
        assert_int_equal(function_order_count(&object, sizeof object), 0);
        assert_int_equal(function_order_count(&object, 0), 0);
}

TEST(a_broken_object_is_not_left) {
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (int i = 0; i < 20000; i++) {
                Object object;

                fill(&object);
                for (int k = 0; k < 4; k++)
                        ((uint8_t *)&object)[gsl_rng_uniform_int(random, sizeof object)] =
                                        gsl_rng_uniform_int(random, 256);
                (void)function_order_draw(&object, sizeof object - gsl_rng_uniform_int(random, 64), i);
        }
}
