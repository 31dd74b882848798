/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Modules that are kept: whole or not at all, within the quota, the least recently used first to go, and never one that
 * is pinned or in use.
 */

#include "front/keeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "front/history.h"
#include "front/record.h"
#include "front/store.h"
#include "util/fd.h"

DEFINE_CLEANUP(Keeping *, keeping_free)
DEFINE_CLEANUP(Record *, record_free)
DEFINE_CLEANUP(StoredModule *, stored_module_free)

#define PART  1000u
#define QUOTA (3 * PART)
#define LONG  (3u << 20) /* three slices */

static char directory[] = "benchd-test-XXXXXX";
static History *history;
static Keeper *keeper;
static uint64_t now_ns = 1;

static int set_up(void **state) {
        strcpy(directory + strlen(directory) - 6, "XXXXXX");
        assert_non_null(mkdtemp(directory));
        assert_int_equal(history_new(NULL, 0, &history), 0);
        assert_int_equal(keeper_new(directory, QUOTA, history, &keeper), 0);
        return 0;
}

static int tear_down(void **state) {
        struct dirent *entry;
        DIR *opened;

        keeper = keeper_free(keeper);
        history = history_free(history);
        opened = opendir(directory);
        while ((entry = readdir(opened)))
                (void)unlinkat(dirfd(opened), entry->d_name, 0);
        closedir(opened);
        return rmdir(directory);
}

static void take_quota(uint64_t bytes) {
        keeper = keeper_free(keeper);
        assert_int_equal(keeper_new(directory, bytes, history, &keeper), 0);
}

/* A module of @n bytes that begins with @name. */
static StoredModule *make(const char *name, size_t n) {
        StoredModule *module;
        Complaint complaint;
        char *data = calloc(1, n);
        int fd;

        strcpy(data, name);
        assert_int_equal(fd_memfd_sealed("module", data, n, &fd), 0);
        free(data);
        assert_int_equal(stored_module_new(&fd, 1, &module, &complaint), 0);
        while (stored_module_hash(module) == STORE_E_MORE) {
        }
        return module;
}

static int keep(const StoredModule *module) {
        _cleanup_(keeping_freep) Keeping *keeping = NULL;
        int r;

        assert_int_equal(keeping_new(keeper, module, &keeping), 0);
        do {
                r = keeping_step(keeping, now_ns++);
        } while (r == KEEPER_E_MORE);
        return r;
}

/* Keeps a module of @n bytes, for a job of which nothing is left if it @ended. Returns its run_id. */
static const char *keep_for_job(const char *name, size_t n, bool ended) {
        static char run_id[RUN_ID_BYTES];
        _cleanup_(stored_module_freep) StoredModule *module = make(name, n);
        _cleanup_(record_freep) Record *record = NULL;
        Benchd__Error error = BENCHD__ERROR__INIT;

        assert_int_equal(keep(module), 0);
        assert_int_equal(record_new(history, 1000, name, now_ns, &record), 0);
        record_accept(record, module);
        if (ended)
                assert_int_equal(record_end_error(record, &error, now_ns), 0);
        strcpy(run_id, record->run_id);
        return run_id;
}

static bool is_kept(const char *name, size_t n) {
        _cleanup_(stored_module_freep) StoredModule *module = make(name, n);
        char path[128];

        snprintf(path, sizeof path, "%s/%s", directory, stored_module_sha256(module, 0));
        return access(path, F_OK) == 0;
}

static size_t count_files(void) {
        struct dirent *entry;
        DIR *opened = opendir(directory);
        size_t n = 0;

        while ((entry = readdir(opened)))
                n += entry->d_type == DT_REG;
        closedir(opened);
        return n;
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
        _cleanup_(stored_module_freep) StoredModule *late = make("late", PART);
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

static void what_has_no_room_is_not_kept_and_says_so(void **state) {
        _cleanup_(stored_module_freep) StoredModule *large = make("large", QUOTA + 1);
        _cleanup_(keeping_freep) Keeping *keeping = NULL;

        keep_for_job("a", PART, true);
        assert_int_equal(keeping_new(keeper, large, &keeping), 0);
        assert_int_equal(keeping_step(keeping, now_ns), KEEPER_E_FAILED);
        assert_string_equal(keeping_words(keeping), "the module: there is no room for it within the quota");
        assert_true(is_kept("a", PART)); /* nothing went for it */
}

static void several_at_once_do_not_take_the_same_room(void **state) {
        _cleanup_(stored_module_freep) StoredModule *first = make("first", LONG), *second = make("second", LONG);
        _cleanup_(keeping_freep) Keeping *one = NULL, *two = NULL;

        take_quota(LONG + PART);
        assert_int_equal(keeping_new(keeper, first, &one), 0);
        assert_int_equal(keeping_new(keeper, second, &two), 0);
        assert_int_equal(keeping_step(one, now_ns), KEEPER_E_MORE);
        assert_int_equal(keeping_step(two, now_ns), KEEPER_E_FAILED);
        assert_int_equal(keeping_step(one, now_ns), KEEPER_E_MORE);
        assert_int_equal(keeping_step(one, now_ns), 0);
}

static void what_is_half_done_leaves_nothing(void **state) {
        _cleanup_(stored_module_freep) StoredModule *module = make("long", LONG);
        Keeping *keeping;

        take_quota(LONG);
        assert_int_equal(keeping_new(keeper, module, &keeping), 0);
        assert_int_equal(keeping_step(keeping, now_ns), KEEPER_E_MORE);
        assert_int_equal(count_files(), 1);
        assert_false(is_kept("long", LONG));
        keeping_free(keeping);
        assert_int_equal(count_files(), 0);
}

static void touch(const char *name) {
        char path[128];

        snprintf(path, sizeof path, "%s/%s", directory, name);
        assert_int_equal(fd_close(open(path, O_WRONLY | O_CREAT, 0600)), -1);
}

static void a_later_keeper_finds_what_is_there(void **state) {
        _cleanup_(stored_module_freep) StoredModule *gone = make("gone", PART), *unknown = make("unknown", PART);
        char path[128];

        keep_for_job("gone", PART, true);
        snprintf(path, sizeof path, "%s/%s", directory, stored_module_sha256(gone, 0));
        assert_int_equal(unlink(path), 0);
        touch(".part-17");
        touch("README");
        touch(stored_module_sha256(unknown, 0));
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
                cmocka_unit_test_setup_teardown(what_has_no_room_is_not_kept_and_says_so, set_up, tear_down),
                cmocka_unit_test_setup_teardown(several_at_once_do_not_take_the_same_room, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_is_half_done_leaves_nothing, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_later_keeper_finds_what_is_there, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
