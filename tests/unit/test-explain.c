/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The explanation of a pair: equal code is the same wherever it was linked, and what differs is told, in the loop and in what it calls.
 */

#include "ctl/ask/explain.h"

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "test.h"

/* A module linked at @base, whose loop adds @step, and calls a function that returns @value. */
static json_t *module_at(int base, int step, int value) {
        char text[1024];
        json_t *json;

        snprintf(text, sizeof text,
                        "{\"benchmarks\": [{\"loop\": {\"function\": \"body\", \"start\": %d, \"end\": %d, \"line_offset\": %d}}],"
                        "\"functions\": [{\"name\": \"body\", \"address\": %d, \"instructions\": ["
                        "{\"address\": %d, \"text\": \"push rbx\", \"in_loop\": false},"
                        "{\"address\": %d, \"text\": \"add rax, %d\", \"in_loop\": true},"
                        "{\"address\": %d, \"text\": \"call %d\", \"in_loop\": true, \"target\": \"helper\"},"
                        "{\"address\": %d, \"text\": \"jne %d\", \"in_loop\": true, \"target_address\": %d}]},"
                        "{\"name\": \"body.cold\", \"address\": %d, \"instructions\": []},"
                        "{\"name\": \"helper\", \"address\": %d, \"instructions\": ["
                        "{\"address\": %d, \"text\": \"mov eax, %d\"},"
                        "{\"address\": %d, \"text\": \"je %d\", \"target_address\": %d}]}]}",
                        base + 4, base + 16, (base + 4) % 64, base, base, base + 4, step, base + 8, base + 32,
                        base + 12, base + 4, base + 4, base + 64, base + 32, base + 32, value, base + 36, base + 32,
                        base + 32);
        json = json_loads(text, 0, NULL);
        assert_non_null(json);
        return json;
}

static json_t *pair_of(int old_step, int new_step, int old_value, int new_value) {
        _cleanup_(json_decrefp) json_t *old = module_at(0x1000, old_step, old_value);
        _cleanup_(json_decrefp) json_t *new = module_at(0x2030, new_step, new_value);
        json_t *pair = explain_pair(old, new);

        assert_non_null(pair);
        return pair;
}

static const json_t *row_at(const json_t *pair, size_t i) {
        return json_array_get(json_at(pair, "rows"), i);
}

TEST(the_same_code_elsewhere_is_the_same) {
        _cleanup_(json_decrefp) json_t *pair = pair_of(1, 1, 7, 7);
        double offset;

        assert_true(json_flag_at(pair, "same"));
        assert_int_equal(json_array_size(json_at(pair, "rows")), 3);
        assert_true(json_number_at(pair, "old.line_offset", &offset) && offset == 4);
        assert_true(json_number_at(pair, "new.line_offset", &offset) && offset == 52);
}

TEST(an_instruction_that_differs_is_marked) {
        _cleanup_(json_decrefp) json_t *pair = pair_of(1, 2, 7, 7);

        assert_false(json_flag_at(pair, "same"));
        assert_string_equal(json_text_at(row_at(pair, 0), "mark"), "changed");
        assert_string_equal(json_text_at(row_at(pair, 1), "mark"), "same");
        assert_string_equal(json_text_at(row_at(pair, 2), "mark"), "same");
}

/* Its parts elsewhere are no called functions. */
TEST(a_called_function_that_differs_is_named) {
        for (int value = 7; value <= 8; value++) {
                _cleanup_(json_decrefp) json_t *pair = pair_of(1, 1, 7, value);
                const json_t *called = json_at(pair, "called");

                assert_true(json_flag_at(pair, "same"));
                assert_int_equal(json_array_size(called), 1);
                assert_string_equal(json_text_at(json_array_get(called, 0), "name"), "helper");
                assert_int_equal(json_flag_at(json_array_get(called, 0), "same"), value == 7);
        }
}

TEST(without_a_loop_nothing_is_claimed) {
        _cleanup_(json_decrefp) json_t *none =
                        json_loads("{\"benchmarks\": [{\"loop\": null}], \"functions\": []}", 0, NULL);
        _cleanup_(json_decrefp) json_t *old = module_at(0x1000, 1, 7), *pair = explain_pair(old, none);

        assert_non_null(pair);
        assert_null(json_at(pair, "same"));
        assert_int_equal(json_array_size(json_at(pair, "rows")), 0);
        assert_int_equal(json_array_size(json_at(pair, "old.instructions")), 3);
}
