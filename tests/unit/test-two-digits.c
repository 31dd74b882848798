/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "front/samples/two-digits.h"

static void a_sentence_reads_two_digits_and_no_exponent(void **state) {
        static const struct {
                double value;
                const char *text;
        } rows[] = { { 815.3, "820" }, { 99.7, "100" }, { 23.4, "23" }, { 1, "1" }, { 0.5, "0.5" }, { 0.0123, "0.012" },
                { 0, "0" }, { -12345, "-12000" }, { NAN, "nan" }, { 123456789, "120000000" } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                char text[32];

                snprintf(text, sizeof text, "%.10g", two_digits(rows[i].value));
                assert_string_equal(text, rows[i].text);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_sentence_reads_two_digits_and_no_exponent),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
