/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lists of jobs out of a large history: in short slices, and at once for a user who has none. */

#include "front/history/job-list.h"

#include <sqlite3.h>

#include "front/history/database.h"
#include "front/history/history.h"
#include "test.h"

#define JOBS 100000
#define UID  1000u

static History *history;

static const HistoryViewer owner = { .uid = UID }, other = { .uid = UID + 1 }, root = { .uid = 0, .all = true };

/* Job i was submitted at i, in the state 1 + i % 6, with the module dir/i.so. */
static int set_up(void **state) {
        sqlite3_stmt *any;

        if (history_new(NULL, 1, &history))
                return -1;
        any = database_statement(history_database(history), DATABASE_FIND_JOB);
        return sqlite3_exec(sqlite3_db_handle(any),
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
                        " INSERT INTO job (run_id, uid, state, submitted, module_name)"
                        " SELECT printf('%032x', i), 1000, 1 + i % 6, i, 'dir/' || i || '.so' FROM n",
                        NULL, NULL, NULL);
}

static int tear_down(void **state) {
        history = history_free(history);
        return 0;
}

TEST_EACH(set_up, tear_down)

/* Makes the list in @ret_n_slices slices, none of which looked at more than it may. */
static JobList *make(const Benchd__HistoryRequest *request, const HistoryViewer *viewer, size_t *ret_n_slices) {
        JobList *list;
        size_t n;
        int r;

        *ret_n_slices = 0;
        assert_int_equal(job_list_new(history, request, viewer, &list), 0);
        do {
                r = job_list_step(list, &n);
                assert_in_range(n, 0, JOB_LIST_SLICE_ROWS + JOB_LIST_ENTRY_ROWS);
                ++*ret_n_slices;
        } while (r == JOB_LIST_E_MORE);
        assert_int_equal(r, 0);
        return list;
}

TEST(a_glob_that_no_job_has_is_looked_for_in_slices) {
        Benchd__HistoryRequest request = BENCHD__HISTORY_REQUEST__INIT;
        const HistoryViewer *viewers[] = { &owner, &root };

        request.module_glob = (char *)"*[[:alnum:]]*[[:alnum:]]*[[:alnum:]]z";
        for (size_t i = 0; i < N_ELEMENTS(viewers); i++) {
                _cleanup_(job_list_freep) JobList *list = NULL;
                size_t n_slices;

                list = make(&request, viewers[i], &n_slices);
                assert_int_equal(job_list_entries(list)->n_entries, 0);
                assert_in_range(n_slices, JOBS / JOB_LIST_SLICE_ROWS, JOBS / JOB_LIST_SLICE_ROWS + 1);
        }
}

TEST(the_jobs_of_others_cost_a_user_nothing) {
        Benchd__HistoryRequest request = BENCHD__HISTORY_REQUEST__INIT;
        _cleanup_(job_list_freep) JobList *list = NULL;
        sqlite3_stmt *walk;
        size_t n_slices;

        list = make(&request, &other, &n_slices);
        assert_int_equal(n_slices, 1);
        assert_int_equal(job_list_entries(list)->n_entries, 0);
        walk = database_statement(history_database(history), DATABASE_WALK_OWN);
        assert_in_range(sqlite3_stmt_status(walk, SQLITE_STMTSTATUS_VM_STEP, 0), 1, 100);
}

TEST(slices_leave_nothing_out_and_tell_nothing_twice) {
        Benchd__HistoryRequest request = BENCHD__HISTORY_REQUEST__INIT;
        _cleanup_(job_list_freep) JobList *list = NULL;
        const Benchd__History *found;
        size_t n_slices;

        request.module_glob = (char *)"9999?.so"; /* of the name of a file */
        request.has_limit = true;
        request.limit = HISTORY_ENTRIES_MAX;
        list = make(&request, &owner, &n_slices);
        assert_int_equal(job_list_entries(list)->n_entries, 10);
        list = job_list_free(list);

        request.module_glob = NULL;
        request.has_state = true;
        request.state = BENCHD__JOB_STATE__JOB_DONE; /* one in six */
        list = make(&request, &root, &n_slices);
        found = job_list_entries(list);
        assert_int_equal(found->n_entries, HISTORY_ENTRIES_MAX);
        assert_in_range(n_slices, 2 * HISTORY_ENTRIES_MAX * JOB_LIST_ENTRY_ROWS / JOB_LIST_SLICE_ROWS / 2, 1000);
        for (size_t i = 0; i < found->n_entries; i++) {
                assert_int_equal(found->entries[i]->state, request.state);
                assert_int_equal(found->entries[i]->submitted_at_unix_ns,
                                found->entries[0]->submitted_at_unix_ns - 6 * i);
        }
}

TEST(jobs_of_one_moment_are_all_told) {
        Benchd__HistoryRequest request = BENCHD__HISTORY_REQUEST__INIT;
        _cleanup_(job_list_freep) JobList *list = NULL;
        sqlite3_stmt *any = database_statement(history_database(history), DATABASE_FIND_JOB);
        const Benchd__History *found;
        size_t n_slices;

        assert_int_equal(sqlite3_exec(sqlite3_db_handle(any), "UPDATE job SET submitted = 7 WHERE id > 99000", NULL,
                                         NULL, NULL),
                        SQLITE_OK);
        request.has_limit = true;
        request.limit = HISTORY_ENTRIES_MAX;
        request.has_state = true;
        request.state = 3;
        request.module_glob = (char *)"dir/99[0-9][0-9][0-9].so";
        list = make(&request, &owner, &n_slices);
        found = job_list_entries(list);
        assert_in_range(found->n_entries, 166, 167);
        for (size_t i = 1; i < found->n_entries; i++)
                assert_true(strcmp(found->entries[i - 1]->run_id, found->entries[i]->run_id) > 0);
}
