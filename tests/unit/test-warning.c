/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The findings of a row: texts and kinds side by side, and those of code apart. */

#include "front/base/warning.h"

#include "test.h"

TEST(what_is_said_of_code_is_dropped_and_the_rest_stays_in_its_order) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        WarningList list = {};

        assert_int_equal(arena_new(&arena), 0);
        warning_add(&list, arena, WARNING_WAITS, "it waits");
        warning_add(&list, arena, WARNING_WIDE_INTERVAL, "wide");
        warning_add(&list, arena, WARNING_CODE_PLACEMENT, "its place");
        warning_add(&list, arena, WARNING_UNFIT_SHARED_CORE, "shared");
        warning_drop_of_code(list.texts.texts, list.findings, &list.n_findings);
        assert_int_equal(list.n_findings, 2);
        assert_string_equal(list.texts.texts[0], "wide");
        assert_string_equal(list.findings[0]->kind, "wide-interval");
        assert_string_equal(list.texts.texts[1], "shared");
        assert_string_equal(list.findings[1]->kind, "unfit-shared-core");
}

TEST(a_row_without_findings_stays_so) {
        size_t n = 0;

        warning_drop_of_code(NULL, NULL, &n);
        assert_int_equal(n, 0);
}
