/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The history, written and read: what was told is there when it is opened again, nobody sees what is another's, and what
 * cannot be read is set aside whole.
 */

#include "front/history/history.h"

#include <sqlite3.h>

#include "front/history/database.h"
#include "front/history/job-list.h"
#include "kept-history.h"

#define NOW 1000000000000000000u
#define UID 1000u

static SealedModule *module;
static JobList *job_list;

static const HistoryViewer owner = { .uid = UID }, other = { .uid = UID + 1 }, root = { .uid = 0, .all = true };

static void reopen(void) {
        kept_history_make(directory, NOW + 1);
}

static int set_up(void **state) {
        directory_make(directory);
        shares_make();
        module = module_of("text", 4);
        kept_history_make(directory, NOW);
        return 0;
}

static int tear_down(void **state) {
        job_list = job_list_free(job_list);
        module = sealed_module_free(module);
        return kept_history_remove();
}

TEST_EACH(set_up, tear_down)

static JobRecord *accept_as(const char *run_id, const char *name, uint64_t submitted) {
        JobRecord *record;

        assert_int_equal(job_record_new(history, shares, UID, name, NULL, submitted, &record), 0);
        if (run_id)
                strcpy(record->run_id, run_id);
        job_record_accept(record, module);
        return record;
}

static void add_benchmark(JobRecord *record, const char *name) {
        Benchd__BenchmarkResult benchmark = BENCHD__BENCHMARK_RESULT__INIT;

        benchmark.name = (char *)name;
        assert_int_equal(job_record_add(record, &benchmark), 0);
}

static void add_row(JobRecord *record, const char *area, const char *side) {
        Benchd__BenchmarkResult benchmark = BENCHD__BENCHMARK_RESULT__INIT;

        benchmark.name = (char *)(*area ? "x" : "NOTHING");
        benchmark.area = (char *)area;
        benchmark.side = (char *)side;
        assert_int_equal(job_record_add(record, &benchmark), 0);
}

static void end_with_result(JobRecord *record) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        _cleanup_(arena_freep) Arena *arena = NULL;

        assert_int_equal(arena_new(&arena), 0);
        result.run_id = record->run_id;
        result.verdict = BENCHD__RUN_RESULT__VERDICT__UNFIT;
        result.has_verdict = 1;
        assert_int_equal(job_record_end_result(record, arena, &result, false, NOW + 7), 0);
        assert_int_equal(result.n_warnings, 0);
}

static void end_with_error(JobRecord *record, Benchd__Error__Code code, const char *message) {
        Benchd__Error error = BENCHD__ERROR__INIT;

        error.code = code;
        error.has_code = 1;
        error.message = (char *)message;
        assert_int_equal(job_record_end_error(record, &error, NOW + 7), 0);
}

/* It lives until the next one is asked for. */
static Benchd__History *list(const Benchd__HistoryRequest *request, HistoryViewer viewer) {
        int r;

        job_list_free(job_list);
        assert_int_equal(job_list_new(history, request, &viewer, &job_list), 0);
        do {
                r = job_list_step(job_list, NULL);
        } while (r == JOB_LIST_E_MORE);
        assert_int_equal(r, 0);
        return job_list_entries(job_list);
}

static size_t count(const Benchd__HistoryRequest *request, HistoryViewer viewer) {
        return list(request, viewer)->n_entries;
}

TEST(a_job_that_ended_is_whole_when_the_history_is_opened_again) {
        _cleanup_(job_record_freep) JobRecord *record = accept_as(NULL, "m.so", NOW);
        Benchd__BenchmarkResult *benchmark;
        Benchd__RunResult *result;
        Benchd__Error *error;
        HistoryJob job;

        assert_true(record->stored);
        add_benchmark(record, "first");
        add_benchmark(record, "second");
        end_with_result(record);
        reopen();
        assert_int_equal(history_read(history, record->run_id, &job), 0);
        assert_int_equal(job.state, BENCHD__JOB_STATE__JOB_DONE);
        assert_int_equal(job.n_benchmarks, 2);
        for (size_t i = 0; i < 2; i++) {
                assert_int_equal(history_read_benchmark(history, &job, i, &benchmark), 0);
                assert_string_equal(benchmark->name, i == 0 ? "first" : "second");
                benchd__benchmark_result__free_unpacked(benchmark, NULL);
        }
        assert_int_equal(history_read_benchmark(history, &job, 2, &benchmark), HISTORY_E_NOT_FOUND);
        assert_int_equal(history_read_result(history, &job, &result), 0);
        assert_string_equal(result->run_id, record->run_id);
        benchd__run_result__free_unpacked(result, NULL);
        assert_int_equal(history_read_error(history, &job, &error), HISTORY_E_NOT_FOUND);
}

TEST(a_commit_is_kept_as_it_was_told_but_for_what_a_terminal_would_obey) {
        Benchd__Commit commit = { PROTOBUF_C_MESSAGE_INIT(&benchd__commit__descriptor), .id = (char *)"4b825dc6",
                .has_dirty = true, .dirty = true, .subject = (char *)"a\x1b[31mb", .has_committed_at_unix_ns = true,
                .committed_at_unix_ns = NOW };
        _cleanup_(job_record_freep) JobRecord *without = accept_as(NULL, "m.so", NOW - 1), *with = NULL;
        Benchd__HistoryEntry **entries;

        assert_int_equal(job_record_new(history, shares, UID, "m.so", &commit, NOW, &with), 0);
        job_record_accept(with, module);
        entries = list(&(Benchd__HistoryRequest)BENCHD__HISTORY_REQUEST__INIT, (HistoryViewer){ .all = true })->entries;
        assert_string_equal(entries[0]->commit->id, "4b825dc6");
        assert_string_equal(entries[0]->commit->subject, "a\xef\xbf\xbd[31mb");
        assert_true(entries[0]->commit->dirty);
        assert_int_equal(entries[0]->commit->committed_at_unix_ns, NOW);
        assert_string_equal(entries[1]->run_id, without->run_id);
        assert_null(entries[1]->commit);
}

/* Each is kept and sent again; people count pairs, and no empty loop. */
TEST(a_list_counts_benchmarks_and_not_results) {
        _cleanup_(job_record_freep) JobRecord *record = accept_as(NULL, "m.so", NOW);
        HistoryJob job;

        add_row(record, "", NULL);
        add_row(record, "a", "old");
        add_row(record, "a", "new");
        add_row(record, "a", NULL);
        end_with_result(record);
        assert_int_equal(history_read(history, record->run_id, &job), 0);
        assert_int_equal(job.n_benchmarks, 4);
        assert_int_equal(list(&(Benchd__HistoryRequest)BENCHD__HISTORY_REQUEST__INIT, (HistoryViewer){ .all = true })
                                         ->entries[0]
                                         ->benchmarks,
                        2);
}

TEST(what_is_written_goes_to_a_log_beside_the_file) {
        char path[64];

        job_record_free(accept_as(NULL, "m.so", NOW));
        snprintf(path, sizeof path, "%s/history.db-wal", directory);
        assert_int_equal(access(path, F_OK), 0);
}

TEST(a_job_without_an_end_is_lost_when_the_history_is_opened_again) {
        _cleanup_(job_record_freep) JobRecord *queued = accept_as(NULL, "m.so", NOW),
                                              *running = accept_as(NULL, "m.so", NOW);
        HistoryJob job;

        job_record_note_running(running);
        assert_int_equal(history_read(history, queued->run_id, &job), 0);
        assert_int_equal(job.state, BENCHD__JOB_STATE__JOB_QUEUED);
        assert_int_equal(history_read(history, running->run_id, &job), 0);
        assert_int_equal(job.state, BENCHD__JOB_STATE__JOB_RUNNING);
        reopen();
        assert_int_equal(history_read(history, queued->run_id, &job), 0);
        assert_int_equal(job.state, BENCHD__JOB_STATE__JOB_LOST);
        assert_int_equal(history_read(history, running->run_id, &job), 0);
        assert_int_equal(job.state, BENCHD__JOB_STATE__JOB_LOST);
}

TEST(what_was_never_accepted_leaves_nothing) {
        const Benchd__HistoryRequest all = BENCHD__HISTORY_REQUEST__INIT;
        _cleanup_(job_record_freep) JobRecord *record = NULL;

        assert_int_equal(job_record_new(history, shares, UID, "m.so", NULL, NOW, &record), 0);
        end_with_error(record, BENCHD__ERROR__CODE__DENIED, "no");
        assert_int_equal(count(&all, root), 0);
}

TEST(a_beginning_means_a_job_if_only_one_has_it) {
        _cleanup_(job_record_freep) JobRecord *a = accept_as("0000aaaa000000000000000000000000", "m.so", NOW);
        _cleanup_(job_record_freep) JobRecord *b = accept_as("0000ffff000000000000000000000000", "m.so", NOW);
        char run_id[RUN_ID_BYTES];

        assert_int_equal(history_find(history, "0000a", owner, run_id), 0);
        assert_string_equal(run_id, a->run_id);
        assert_int_equal(history_find(history, "0000f", owner, run_id), 0);
        assert_string_equal(run_id, b->run_id);
        assert_int_equal(history_find(history, b->run_id, owner, run_id), 0);
        assert_int_equal(history_find(history, "0000", owner, run_id), HISTORY_E_AMBIGUOUS);
        assert_int_equal(history_find(history, "0001", owner, run_id), HISTORY_E_NOT_FOUND);
        assert_int_equal(history_find(history, "0000a", other, run_id), HISTORY_E_NOT_FOUND);
        assert_int_equal(history_find(history, "0000a", root, run_id), 0);
}

TEST(a_list_is_narrowed_by_each_thing_that_is_asked) {
        _cleanup_(job_record_freep) JobRecord *a = accept_as(NULL, "alpha.so", NOW),
                                              *b = accept_as(NULL, "beta.so", NOW + 5);
        Benchd__HistoryRequest request = BENCHD__HISTORY_REQUEST__INIT;
        _cleanup_(arena_freep) Arena *arena = NULL;
        Benchd__History *all;

        end_with_result(a);
        end_with_error(b, BENCHD__ERROR__CODE__BAD_MODULE, "It is none.");
        assert_int_equal(arena_new(&arena), 0);
        all = list(&request, owner);
        assert_int_equal(all->n_entries, 2);
        assert_string_equal(all->entries[0]->run_id, b->run_id);
        assert_string_equal(all->entries[0]->error->message, "It is none.");
        assert_false(all->entries[0]->has_verdict);
        assert_int_equal(all->entries[1]->verdict, BENCHD__RUN_RESULT__VERDICT__UNFIT);
        assert_string_equal(all->entries[1]->module_sha256, sealed_module_sha256(module, 0));
        assert_int_equal(count(&request, other), 0);
        assert_int_equal(count(&request, root), 2);
        request.module_glob = (char *)"a*";
        assert_int_equal(count(&request, owner), 1);
        request.since_unix_ns = NOW + 1, request.has_since_unix_ns = 1;
        assert_int_equal(count(&request, owner), 0);
        request.module_glob = NULL;
        assert_int_equal(count(&request, owner), 1);
        request.state = BENCHD__JOB_STATE__JOB_DONE, request.has_state = 1;
        assert_int_equal(count(&request, owner), 0);
        request.has_since_unix_ns = request.has_state = 0;
        request.since_unix_ns = 0;
        request.limit = 1, request.has_limit = 1;
        assert_int_equal(count(&request, owner), 1);
}

TEST(a_glob_is_of_the_path_or_of_the_name_of_its_file) {
        _cleanup_(job_record_freep) JobRecord *a = accept_as(NULL, "/build/a/a/a.so", NOW),
                                              *b = accept_as(NULL, "a.so", NOW + 1),
                                              *c = accept_as(NULL, "b/b.so", NOW + 2);
        Benchd__HistoryRequest request = BENCHD__HISTORY_REQUEST__INIT;

        request.module_glob = (char *)"a*";
        assert_int_equal(count(&request, owner), 2);
        request.module_glob = (char *)"a.so";
        assert_int_equal(count(&request, owner), 2);
        request.module_glob = (char *)"?/b.so";
        assert_int_equal(count(&request, owner), 1);
        request.module_glob = (char *)"/build/*";
        assert_int_equal(count(&request, owner), 1);
        request.module_glob = (char *)"a/*";
        assert_int_equal(count(&request, owner), 0);
        assert_true(a && b && c);
}

TEST(a_list_fits_a_reply_whatever_is_in_it) {
        Benchd__HistoryRequest request = BENCHD__HISTORY_REQUEST__INIT;
        _cleanup_(arena_freep) Arena *arena = NULL;
        char message[1024], name[256];
        Benchd__History *found;

        memset(message, 'm', sizeof message);
        message[sizeof message - 1] = 0;
        memset(name, 'n', sizeof name);
        name[sizeof name - 1] = 0;
        kept_history_make(NULL, NOW);
        for (size_t i = 0; i < 1000; i++) {
                _cleanup_(job_record_freep) JobRecord *record = accept_as(NULL, name, NOW + i);

                end_with_error(record, BENCHD__ERROR__CODE__BAD_MODULE, message);
        }
        request.limit = 1000, request.has_limit = 1;
        assert_int_equal(arena_new(&arena), 0);
        found = list(&request, owner);
        assert_in_range(found->n_entries, 100, 999);
        assert_in_range(benchd__history__get_packed_size(found), 1, (1u << 20) - 100);
        assert_int_equal(found->entries[0]->submitted_at_unix_ns, NOW + 999);
}

static void add_benchmarks(JobRecord *record, int n) {
        for (int i = 0; i < n; i++) {
                char name[16];

                snprintf(name, sizeof name, "b%d", i);
                add_benchmark(record, name);
        }
}

static int count_benchmarks(void) {
        sqlite3_stmt *any = database_statement(history_database(history), DATABASE_FIND_JOB), *count;
        int n;

        assert_int_equal(sqlite3_prepare_v2(sqlite3_db_handle(any), "SELECT count(*) FROM benchmark", -1, &count, NULL),
                        SQLITE_OK);
        assert_int_equal(sqlite3_step(count), SQLITE_ROW);
        n = sqlite3_column_int(count, 0);
        sqlite3_finalize(count);
        return n;
}

TEST(results_are_written_in_batches_and_only_a_job_with_a_result_has_them) {
        _cleanup_(job_record_freep) JobRecord *whole = accept_as(NULL, "m.so", NOW);
        _cleanup_(job_record_freep) JobRecord *failed = accept_as(NULL, "m.so", NOW + 1);
        _cleanup_(job_record_freep) JobRecord *lost = accept_as(NULL, "m.so", NOW + 2);
        Benchd__BenchmarkResult *benchmark;
        HistoryJob job;

        add_benchmarks(whole, 130);
        assert_int_equal(whole->n_written, 128);
        assert_int_equal(count_benchmarks(), 128);
        end_with_result(whole);
        assert_int_equal(history_read(history, whole->run_id, &job), 0);
        for (size_t i = 0; i < 130; i++) {
                char name[16];

                snprintf(name, sizeof name, "b%zu", i);
                assert_int_equal(history_read_benchmark(history, &job, i, &benchmark), 0);
                assert_string_equal(benchmark->name, name);
                benchd__benchmark_result__free_unpacked(benchmark, NULL);
        }
        add_benchmarks(failed, 70);
        assert_int_equal(count_benchmarks(), 130 + 64);
        end_with_error(failed, BENCHD__ERROR__CODE__INTERNAL, "no");
        assert_int_equal(count_benchmarks(), 130);
        add_benchmarks(lost, 70);
        assert_int_equal(count_benchmarks(), 130 + 64);
        reopen();
        assert_int_equal(count_benchmarks(), 130);
}

TEST(what_strangers_write_is_never_part_of_a_statement) {
        static const char name[] = "x'; DROP TABLE job; --";
        Benchd__HistoryRequest request = BENCHD__HISTORY_REQUEST__INIT;
        _cleanup_(arena_freep) Arena *arena = NULL;

        job_record_free(accept_as(NULL, name, NOW));
        assert_int_equal(arena_new(&arena), 0);
        request.module_glob = (char *)"x'; DROP*";
        assert_string_equal(list(&request, owner)->entries[0]->module_name, name);
        request.module_glob = (char *)"' OR 1 --";
        assert_int_equal(count(&request, owner), 0);
}

TEST(a_foreign_file_is_set_aside_whole) {
        static const char text[] = "This is no database, and somebody may want it.";
        char from[64], to[128], content[sizeof text];
        int fd;

        history = history_free(history);
        snprintf(from, sizeof from, "%s/history.db", directory);
        fd = open(from, O_WRONLY | O_TRUNC);
        assert_int_equal(write(fd, text, sizeof text), sizeof text);
        fd_close(fd);
        kept_history_make(directory, NOW);
        assert_true(history_is_kept(history));
        snprintf(to, sizeof to, "%s.unreadable-20010909T014640Z", from); /* NOW */
        assert_non_null(strstr(history_trouble(history), to));
        fd = open(to, O_RDONLY);
        assert_int_equal(read(fd, content, sizeof content), sizeof text);
        fd_close(fd);
        assert_memory_equal(content, text, sizeof text);
}

static size_t count_warnings(const char *some_words) {
        _cleanup_(arena_freep) Arena *arena = NULL;
        ArenaList warnings = {};
        size_t n = 0;

        assert_int_equal(arena_new(&arena), 0);
        history_warn(history, arena, &warnings);
        for (size_t i = 0; i < warnings.n; i++)
                n += strstr(warnings.texts[i], some_words) != NULL;
        return n;
}

TEST(what_is_set_aside_is_told_until_it_is_moved) {
        char from[64], to[128];
        FILE *file;

        assert_int_equal(count_warnings(""), 0);
        history = history_free(history);
        snprintf(from, sizeof from, "%s/history.db", directory);
        file = fopen(from, "we");
        fputs("no database", file);
        fclose(file);
        for (int i = 0; i < 3; i++) {
                kept_history_make(directory, NOW + i);
                assert_int_equal(count_warnings("1 file of earlier jobs could not be read and was set aside"), 1);
                assert_non_null(strstr(history_trouble(history), ".unreadable-20010909T014640Z"));
                history = history_free(history);
        }
        kept_history_make(directory, NOW);
        snprintf(to, sizeof to, "%s.unreadable-20010909T014640Z", from);
        assert_int_equal(unlink(to), 0);
        assert_int_equal(count_warnings(""), 0); /* by the same daemon */
}

/* A directory is in the way of the log, as a disk without inodes would be. */
TEST(a_sound_history_without_room_for_its_log_stays_where_it_is) {
        char run_id[RUN_ID_BYTES], log[64];
        JobRecord *record = accept_as(NULL, "m.so", NOW);
        HistoryJob job;

        strcpy(run_id, record->run_id);
        end_with_error(record, BENCHD__ERROR__CODE__INTERNAL, "no");
        job_record_free(record);
        history = history_free(history);
        snprintf(log, sizeof log, "%s/history.db-wal", directory);
        assert_int_equal(mkdir(log, 0700), 0);
        kept_history_make(directory, NOW);
        assert_false(history_is_kept(history));
        assert_int_equal(count_warnings("results are kept in memory only"), 1);
        history = history_free(history);
        assert_int_equal(rmdir(log), 0);
        kept_history_make(directory, NOW);
        assert_int_equal(count_warnings(""), 0);
        assert_int_equal(history_read(history, run_id, &job), 0);
}

TEST(a_history_without_a_place_is_kept_in_memory_and_says_so) {
        _cleanup_(history_freep) History *nowhere = NULL;

        assert_int_equal(history_new("/dev/null", NOW, &nowhere), 0);
        assert_false(history_is_kept(nowhere));
        assert_non_null(strstr(history_trouble(nowhere), "/dev/null"));
}
