/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parts of a module: which words are several, and the name of all. */

#include "ctl/ask/module-parts.h"

#include "test.h"

TEST(only_sources_objects_and_archives_are_parts) {
        static const struct {
                const char *word;
                bool built;
                size_t n;
        } rows[] = {
                { "/nosuch/a.c", true, 1 },
                { "/nosuch/a.o", true, 1 },
                { "/nosuch/a.c,b.cc", true, 2 },
                { "/nosuch/a.c,b.cpp,c.S,d.s,e.o,f.a", true, 6 },
                { "/nosuch/a.so", false, 1 },
                { "/nosuch/a.c,b.so", false, 1 },
                { "/nosuch/a.c,", false, 1 },
                { ",/nosuch/a.c", false, 1 },
                { ",", false, 1 },
                { "", false, 1 },
                { "area,other", false, 1 },
                { "-", false, 1 },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(module_parts_clear) ModuleParts parts = {};

                assert_int_equal(module_parts_are_built(rows[i].word), rows[i].built);
                assert_int_equal(module_parts_add(&parts, rows[i].word), 0);
                assert_int_equal(parts.n, rows[i].n);
                if (parts.n == 1)
                        assert_string_equal(parts.paths[0], rows[i].word);
        }
}

TEST(a_name_has_all_parts_or_says_that_there_are_more) {
        _cleanup_(module_parts_clear) ModuleParts parts = {};
        _cleanup_(freep) char *name = NULL;

        assert_int_equal(module_parts_add(&parts, "a.c,b.c"), 0);
        assert_int_equal(module_parts_add(&parts, "c.o"), 0);
        name = module_parts_name(&parts);
        assert_string_equal(name, "a.c,b.c,c.o");
        for (size_t i = 0; i < 300; i++) {
                free(name);
                assert_int_equal(module_parts_add(&parts, i % 7 ? "d.c" : "longer.c"), 0);
                name = module_parts_name(&parts);
                assert_in_range(strlen(name), 1, 255);
        }
        assert_string_equal(name + strlen(name) - 4, ",...");
        assert_string_not_equal(name + strlen(name) - 8, ",...,...");
}
