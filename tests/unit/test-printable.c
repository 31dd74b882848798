/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What others say is printed without control characters, and otherwise as it is. */

#include "ctl/base/printable.h"

#include <jansson.h>

#include "test.h"

TEST(control_characters_are_taken_out) {
        static const char *const cases[][2] = {
                { "plain µs ± “x” 漢字", "plain µs ± “x” 漢字" },
                { "a\nb\tc\r", "a b c " },
                { "\033[2J\033]0;title\007", "?[2J?]0;title?" },
                { "\177\001", "??" },
                { "\xc2\x9b"
                  "31m",
                                "??31m" },
                { "", "" },
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                _cleanup_(freep) char *text = strdup(cases[i][0]);

                printable_text(text);
                assert_string_equal(text, cases[i][1]);
        }
}

TEST(every_string_of_an_object_is_reached_and_nothing_else_changes) {
        /* in one called output, line ends stay; in one called source, tabs too */
        static const char given[] =
                        "{\"a\\u001b\": [\"\\u0007\", 1, null, {\"b\": \"\\n\", \"output\": \"1\\n\\n\\u001b\\n\"}], \"source\": \"\\t1\\n\\u001b\", \"n\": -0.5, \"t\": true}";
        static const char wanted[] =
                        "{\"a?\": [\"?\", 1, null, {\"b\": \" \", \"output\": \"1\\n\\n?\\n\"}], \"source\": \"\\t1\\n?\", \"n\": -0.5, \"t\": true}";
        _cleanup_(json_decrefp) json_t *json = json_loads(given, 0, NULL), *expected = json_loads(wanted, 0, NULL);
        _cleanup_(json_decrefp) json_t *copy = NULL;

        assert_int_equal(printable_json(json, &copy), 0);
        assert_true(json_equal(copy, expected));
}

TEST(what_is_printable_is_shared) {
        _cleanup_(json_decrefp) json_t *json =
                        json_loads("{\"a\": {\"b\": [1, \"x\"]}, \"c\": [\"\\u0007\"]}", 0, NULL);
        _cleanup_(json_decrefp) json_t *cleaned = NULL, *again = NULL;

        assert_int_equal(printable_json(json, &cleaned), 0);
        assert_ptr_equal(json_object_get(cleaned, "a"), json_object_get(json, "a"));
        assert_string_equal(json_string_value(json_array_get(json_object_get(cleaned, "c"), 0)), "?");
        assert_string_equal(json_string_value(json_array_get(json_object_get(json, "c"), 0)), "\007");
        assert_int_equal(printable_json(cleaned, &again), 0);
        assert_ptr_equal(again, cleaned);
}
