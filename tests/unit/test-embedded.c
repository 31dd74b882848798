/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Sources that a module carries: with their names, without them as earlier modules have them, and in files that are not what
 * they say.
 */

#include "ctl/ask/embedded.h"

#include <elf.h>

#include "test.h"

#define NAMES "\0benchd_source"

/* A file whose sections are the names and one of @contents. */
typedef struct MadeFile {
        Elf64_Ehdr header;
        Elf64_Shdr sections[2];
        char names[sizeof NAMES];
        char contents[128];
} MadeFile;

static MadeFile make_file(const char *contents, size_t n) {
        MadeFile file = {
                .header = {
                        .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
                        .e_shoff = offsetof(MadeFile, sections),
                        .e_shnum = 2,
                        .e_shentsize = sizeof(Elf64_Shdr),
                },
                .sections = {
                        { .sh_offset = offsetof(MadeFile, names), .sh_size = sizeof NAMES, .sh_type = SHT_STRTAB },
                        { .sh_name = 1, .sh_offset = offsetof(MadeFile, contents), .sh_size = n, .sh_type = SHT_PROGBITS },
                },
                .names = NAMES,
        };

        memcpy(file.contents, contents, n);
        return file;
}

TEST(names_and_texts_are_found) {
        static const char contents[] = "\1../suites/a.c\0int a;\n\0\0\0\1b.h\0int b;\n\0" /* padding between */
                                       "int earlier;\n\0\1../suites/b.h\0int b;\n";
        const MadeFile file = make_file(contents, sizeof contents);
        _cleanup_(embedded_sources_freep) EmbeddedSources *sources = NULL;

        assert_int_equal(embedded_sources_parse((const uint8_t *)&file, sizeof file, &sources), 0);
        assert_string_equal(embedded_source_at(sources, 0)->name, "a.c");
        assert_string_equal(embedded_source_at(sources, 0)->text, "int a;\n");
        assert_string_equal(embedded_source_at(sources, 1)->name, "b.h");
        assert_string_equal(embedded_source_at(sources, 2)->name, "");
        assert_string_equal(embedded_source_at(sources, 2)->text, "int earlier;\n");
        assert_null(embedded_source_at(sources, 3)); /* b.h is kept once */
}

TEST(a_section_that_ends_too_early_is_followed_no_further) {
        static const char contents[] = { '\1', 'a', '.', 'c' };
        const MadeFile file = make_file(contents, sizeof contents);
        _cleanup_(embedded_sources_freep) EmbeddedSources *sources = NULL;

        assert_int_equal(embedded_sources_parse((const uint8_t *)&file, sizeof file, &sources), 0);
        assert_null(embedded_source_at(sources, 0));
}

TEST(offsets_beyond_the_end_are_refused) {
        MadeFile file = make_file("x", 2);
        EmbeddedSources *sources;

        for (size_t n = 0; n < offsetof(MadeFile, names); n += 7)
                assert_int_equal(embedded_sources_parse((const uint8_t *)&file, n, &sources), EMBEDDED_E_FOREIGN);
        file.sections[1].sh_size = SIZE_MAX;
        assert_int_equal(embedded_sources_parse((const uint8_t *)&file, sizeof file, &sources), EMBEDDED_E_FOREIGN);
        file.sections[0].sh_offset = SIZE_MAX;
        assert_int_equal(embedded_sources_parse((const uint8_t *)&file, sizeof file, &sources), EMBEDDED_E_FOREIGN);
        file.header.e_shoff = SIZE_MAX - 8;
        assert_int_equal(embedded_sources_parse((const uint8_t *)&file, sizeof file, &sources), EMBEDDED_E_FOREIGN);
}

TEST(a_source_says_what_it_measures) {
        static const struct {
                EmbeddedSource source;
                const char *about; /* NULL: nothing */
        } cases[] = {
                { { "a.c", "/* Licence */\n\nBENCH_AREA(a,\n        .about = \"the a, by length\");\nBENCH(x, .about = \"y\") {}\n" },
                                "the a, by length" },
                { { "b.cc", "/* Licence */\n\n/*\n * b, the part in\n * C++: one thing. And more.\n */\nBENCH(v, .about = \"v\") {}\n" },
                                "b, the part in C++: one thing" },
                { { "c.c", "\nBENCH_AREA(c);\nBENCH(x, .about = \"not the area's\") {}\n" }, NULL },
                { { "d.h", "int fill(void);\n" }, NULL },
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                char about[EMBEDDED_ABOUT_MAX];

                assert_int_equal(embedded_source_about(&cases[i].source, about), cases[i].about != NULL);
                if (cases[i].about)
                        assert_string_equal(about, cases[i].about);
        }
}

TEST(an_area_is_the_one_that_the_source_names) {
        static const struct {
                EmbeddedSource source;
                const char *area; /* NULL: none */
        } cases[] = {
                { { "calls.c", "\nBENCH_AREA(calls, .about = \"x\");\nBENCH(a) {}\n" }, "calls" },
                { { "virtual.cc", "\nBENCH(v, .area = \"calls\") {}\n" }, "calls" },
                { { "time-functions.c", "\nBENCH(v) {}\n" }, "time-functions" },
                { { "shared.h", "int fill(void);\n" }, NULL },
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                char area[EMBEDDED_AREA_MAX];

                assert_int_equal(embedded_source_area(&cases[i].source, area), cases[i].area != NULL);
                if (cases[i].area)
                        assert_string_equal(area, cases[i].area);
        }
}
