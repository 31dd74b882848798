/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of jobs: as many digits and columns as it takes to tell them apart, and no more. */

#include <jansson.h>

#include "ctl/show/report.h"
#include "test.h"

/* @text is JSON with ' for ". */
static char *table_as(const char *text, bool details) {
        _cleanup_(json_decrefp) json_t *json = NULL;
        _cleanup_(freep) char *quoted = strdup(text);
        char *printed;
        size_t n;
        FILE *out;

        for (char *c = quoted; *c; c++)
                *c = *c == '\'' ? '"' : *c;
        json = json_loads(quoted, 0, NULL);
        assert_non_null(json);
        out = open_memstream(&printed, &n);
        assert_non_null(out);
        assert_int_equal(report_history(json, &(View){ .details = details }, out), 0);
        fclose(out);
        return printed;
}

static char *table(const char *text) {
        return table_as(text, false);
}

TEST(jobs_that_were_removed_are_told_of_in_the_details_alone) {
        static const char history[] =
                        "{'entries': [], 'removed_jobs': 1200, 'removed_until': '2026-01-30T10:00:07.123Z'}";
        _cleanup_(freep) char *plain = table(history), *details = table_as(history, true);
        _cleanup_(freep) char *none = table_as("{'entries': [], 'removed_jobs': 0, 'removed_until': null}", true);

        assert_string_equal(plain, "No jobs.\n");
        assert_string_equal(none, "No jobs.\n");
        assert_string_equal(details,
                        "No jobs.\n\n1,200 earlier jobs were removed (keep= and keep_per_user= of benchd.conf),"
                        " the latest of 2026-01-30 11:00:07.\n");
}

TEST(a_job_is_a_line_with_its_state_and_verdict) {
        static const char history[] =
                        "{'entries': [{'run_id': '89abcdef012345678901234567890123', 'uid': 1000, 'module_name': 'sort.so',"
                        " 'submitted_at': '2026-01-30T10:00:07.123Z', 'state': 'done', 'verdict': 'partial',"
                        " 'benchmarks': 1200, 'pinned': true},"
                        "{'run_id': '0123456789012345678901234567890a', 'uid': 1000, 'module_name': 'a.so',"
                        " 'submitted_at': '2026-01-30T09:00:00.000Z', 'state': 'failed',"
                        " 'error': {'code': 'no-match', 'message': 'No benchmark matches.'}},"
                        "{'run_id': '11111111111111111111111111111111', 'uid': 1000, 'state': 'queued'}]}";
        static const char expected[] =
                        "job        submitted             module    state           benchmarks   note\n"
                        "89abcdef   2026-01-30 11:00:07   sort.so   done, partial        1,200   pinned\n"
                        "01234567   2026-01-30 10:00:00   a.so      failed                       No benchmark matches.\n"
                        "11111111                                   queued\n";
        _cleanup_(freep) char *printed = table(history);

        assert_string_equal(printed, expected);
}

TEST(ids_are_as_long_as_it_takes_to_tell_them_apart) {
        _cleanup_(freep) char *printed = table("{'entries': [{'run_id': '0123456789012345678901234567890a'},"
                                               "{'run_id': '01234567890f00000000000000000000'},"
                                               "{'run_id': 'ffffffffffffffffffffffffffffffff'}]}");

        assert_non_null(strstr(printed, "\n012345678901 "));
        assert_non_null(strstr(printed, "\n01234567890f "));
        assert_non_null(strstr(printed, "\nffffffffffff "));
}

TEST(users_are_named_only_where_there_are_several) {
        _cleanup_(freep) char *printed = table("{'entries': [{'run_id': 'a0000000', 'uid': 1000, 'state': 'queued'},"
                                               "{'run_id': 'b0000000', 'uid': 1001, 'state': 'queued'}]}");

        assert_non_null(strstr(printed, " uid "));
        assert_non_null(strstr(printed, " 1000 "));
        assert_non_null(strstr(printed, " 1001 "));
}

TEST(where_there_is_no_job_that_is_said) {
        _cleanup_(freep) char *empty = table("{'entries': []}"), *nothing = table("{}");

        assert_string_equal(empty, "No jobs.\n");
        assert_string_equal(nothing, "No jobs.\n");
}

static int choose_zone(void **state) {
        return setenv("TZ", "CET-1", 1);
}

TEST_FILE(choose_zone, NULL)
