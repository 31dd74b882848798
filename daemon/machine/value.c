/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/value.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "util/cpu-list.h"
#include "util/cpu-mask.h"

static bool numbers_equal(const char *a, const char *b) {
        char *end_a, *end_b;
        long long x = strtoll(a, &end_a, 0), y = strtoll(b, &end_b, 0);

        return end_a > a && end_b > b && !*end_a && !*end_b && x == y;
}

static bool lists_equal(const char *a, const char *b) {
        cpu_set_t x, y;

        return cpu_list_parse(a, &x) == 0 && cpu_list_parse(b, &y) == 0 && CPU_EQUAL(&x, &y);
}

static bool masks_equal(const char *a, const char *b) {
        cpu_set_t x, y;

        return cpu_mask_parse(a, &x) == 0 && cpu_mask_parse(b, &y) == 0 && CPU_EQUAL(&x, &y);
}

bool value_equal(ValueKind kind, const char *a, const char *b) {
        static bool (*const equal[])(const char *a, const char *b) = {
                [VALUE_NUMBER] = numbers_equal,
                [VALUE_LIST] = lists_equal,
                [VALUE_MASK] = masks_equal,
        };

        return strcmp(a, b) == 0 || (kind != VALUE_WORD && equal[kind](a, b));
}
