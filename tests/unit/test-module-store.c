/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Modules that are kept: whole or not at all, within the quota, the least recently used first to go, and never one that
 * is pinned or in use.
 */

#include "front/history/module-store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "front/history/job-record.h"
#include "kept.h"

DEFINE_CLEANUP(JobRecord *, job_record_free)

/* Keeps a module of @n bytes, for a job of which nothing is left if it @ended. Returns its run_id. */
static const char *keep_for_job(const char *name, size_t n, bool ended) {
        static char run_id[RUN_ID_BYTES];
        _cleanup_(sealed_module_freep) SealedModule *module = make(name, n);
        _cleanup_(job_record_freep) JobRecord *record = NULL;
        Benchd__Error error = BENCHD__ERROR__INIT;

        assert_int_equal(keep(module), 0);
        assert_int_equal(job_record_new(history, 1000, name, now_ns, &record), 0);
        job_record_accept(record, module);
        if (ended)
                assert_int_equal(job_record_end_error(record, &error, now_ns), 0);
        strcpy(run_id, record->run_id);
        return run_id;
}

static void the_least_recently_used_goes_first(void **state) {
        keep_for_job("a", PART, true);
        keep_for_job("b", PART, true);
        keep_for_job("c", PART, true);
        keep_for_job("a", PART, true); /* used again */
        keep_for_job("d", PART, true);
        assert_true(is_kept("a", PART));
        assert_false(is_kept("b", PART));
        assert_true(is_kept("c", PART));
        assert_true(is_kept("d", PART));
}

static void what_is_pinned_or_in_use_stays(void **state) {
        _cleanup_(sealed_module_freep) SealedModule *late = make("late", PART);
        bool stored;

        assert_int_equal(history_pin(history, keep_for_job("pinned", PART, true), true, &stored), 0);
        assert_true(stored);
        keep_for_job("in use", PART, false);
        keep_for_job("over", PART, true);
        assert_int_equal(keep(late), 0);
        assert_false(is_kept("over", PART));
        assert_true(is_kept("pinned", PART));
        assert_true(is_kept("in use", PART));
}

static void touch(const char *name) {
        char path[128];

        snprintf(path, sizeof path, "%s/%s", directory, name);
        assert_int_equal(fd_close(open(path, O_WRONLY | O_CREAT, 0600)), -1);
}

static void a_later_keeper_finds_what_is_there(void **state) {
        _cleanup_(sealed_module_freep) SealedModule *gone = make("gone", PART), *unknown = make("unknown", PART);
        char path[128];

        keep_for_job("gone", PART, true);
        snprintf(path, sizeof path, "%s/%s", directory, sealed_module_sha256(gone, 0));
        assert_int_equal(unlink(path), 0);
        touch(".part-17");
        touch("README");
        touch(sealed_module_sha256(unknown, 0));
        take_quota(QUOTA);
        assert_int_equal(count_files(), 2); /* README, unknown */
        assert_int_equal(keep(unknown), 0);
        assert_int_equal(keep(gone), 0);
        assert_true(is_kept("gone", PART));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(the_least_recently_used_goes_first, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_is_pinned_or_in_use_stays, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_later_keeper_finds_what_is_there, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
