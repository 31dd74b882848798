/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The history as a damaged disk, or an older daemon, left it. A daemon starts with whatever file there is, and reads of it what
 * can be read: a message is whole, or told to be unreadable.
 *
 * An odd first byte: the rest are changes of a good file, each an offset of 3 bytes, a length of one, and so many bytes. An even
 * one: the rest is a message in a row.
 */

#include "front/history/history.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "front/history/database.h"
#include "front/history/job-list.h"
#include "fuzz.h"
#include "util/remove-tree.h"

#define NOW_UNIX_NS    1000000000000000000u
#define RUN_ID         "0123456789abcdef0123456789abcdef"
#define TEMPLATE_MAX   (1u << 20)
#define CHANGE_HEADER  4u
#define BENCHMARKS_MAX 100u /* read of one job */

static const HistoryViewer root_viewer = { .all = true };
static RootDir *root;
static char directory[512];
static uint8_t good_file[TEMPLATE_MAX];
static size_t n_good_file;

static void run(Database *database, sqlite3_stmt *statement) {
        HOLD(database_run(database, statement) == 0);
}

/* A job that is over, with @blob for all its messages. */
static void add_job(History *history, const void *blob, size_t n_blob) {
        Database *database = history_database(history);
        sqlite3_stmt *statement = database_statement(database, DATABASE_ADD_JOB);
        int64_t id;

        sqlite3_bind_text(statement, 1, RUN_ID, -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 2, 1000);
        sqlite3_bind_int(statement, 3, BENCHD__JOB_STATE__JOB_RUNNING);
        sqlite3_bind_int64(statement, 4, NOW_UNIX_NS);
        sqlite3_bind_text(statement, 5, "module.so", -1, SQLITE_STATIC);
        run(database, statement);
        id = database_last_id(database);

        statement = database_statement(database, DATABASE_ADD_BENCHMARK);
        sqlite3_bind_int64(statement, 1, id);
        sqlite3_bind_int64(statement, 2, 0);
        sqlite3_bind_blob(statement, 3, blob, (int)n_blob, SQLITE_STATIC);
        run(database, statement);

        statement = database_statement(database, DATABASE_END_JOB);
        sqlite3_bind_int64(statement, 1, id);
        sqlite3_bind_int(statement, 2, BENCHD__JOB_STATE__JOB_DONE);
        sqlite3_bind_int64(statement, 3, NOW_UNIX_NS);
        sqlite3_bind_int(statement, 4, BENCHD__RUN_RESULT__VERDICT__FIT);
        sqlite3_bind_int64(statement, 5, 1);
        sqlite3_bind_blob(statement, 6, blob, (int)n_blob, SQLITE_STATIC);
        sqlite3_bind_blob(statement, 7, blob, (int)n_blob, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 8, (int64_t)n_blob * 3);
        run(database, statement);
}

static void read_messages(History *history, const HistoryJob *job) {
        Benchd__BenchmarkResult *benchmark;
        Benchd__RunResult *result;
        Benchd__Error *error;

        for (size_t i = 0; i < job->n_benchmarks && i < BENCHMARKS_MAX; i++)
                if (history_read_benchmark(history, job, i, &benchmark) == 0)
                        benchd__benchmark_result__free_unpacked(benchmark, NULL);
        if (history_read_result(history, job, &result) == 0)
                benchd__run_result__free_unpacked(result, NULL);
        if (history_read_error(history, job, &error) == 0)
                benchd__error__free_unpacked(error, NULL);
}

static void read_all(History *history) {
        _cleanup_(job_list_freep) JobList *list = NULL;
        Benchd__HistoryRequest request = BENCHD__HISTORY_REQUEST__INIT;
        HistoryJob job;
        char run_id[RUN_ID_BYTES];
        int r;

        HOLD(job_list_new(history, &request, &root_viewer, &list) == 0);
        do {
                r = job_list_step(list, NULL);
        } while (r == JOB_LIST_E_MORE);
        HOLD(r == JOB_LIST_E_FAILED || (r == 0 && protobuf_c_message_check(&job_list_entries(list)->base)));
        if (history_find(history, "0123", root_viewer, run_id) == 0 && history_read(history, run_id, &job) == 0)
                read_messages(history, &job);
}

static void read_row(const uint8_t *data, size_t n_data) {
        _cleanup_(history_freep) History *history = NULL;

        HOLD(history_new(NULL, NOW_UNIX_NS, &history) == 0);
        add_job(history, data, n_data);
        read_all(history);
}

static size_t change(uint8_t *file, const uint8_t *data, size_t n_data) {
        size_t offset = (data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % n_good_file;
        size_t n = data[3];

        n = n < n_data - CHANGE_HEADER ? n : n_data - CHANGE_HEADER;
        n = n < n_good_file - offset ? n : n_good_file - offset;
        memcpy(file + offset, data + CHANGE_HEADER, n);
        return CHANGE_HEADER + n;
}

/* A file that cannot be opened for now, as without memory, is left alone. */
static bool file_is_as_it_was(const uint8_t *file) {
        static uint8_t now[TEMPLATE_MAX];
        char path[600];
        FILE *stream;
        size_t n;

        snprintf(path, sizeof path, "%s/history.db", directory);
        stream = fopen(path, "re");
        HOLD(stream);
        n = fread(now, 1, sizeof now, stream);
        fclose(stream);
        return n == n_good_file && memcmp(now, file, n) == 0;
}

static void read_file(const uint8_t *data, size_t n_data) {
        _cleanup_(history_freep) History *history = NULL;
        static uint8_t file[TEMPLATE_MAX];

        memcpy(file, good_file, n_good_file);
        for (size_t i = 0; i + CHANGE_HEADER < n_data;)
                i += change(file, data + i, n_data - i);
        fuzz_put(root, "state/history.db", file, n_good_file);
        HOLD(history_new(directory, NOW_UNIX_NS + 1, &history) == 0);
        HOLD(history_is_kept(history) || file_is_as_it_was(file));
        read_all(history);
}

static void make_good_file(void) {
        static const uint8_t message[] = { 0x0a, 0x01, 'x' };
        History *history;
        char path[600];
        FILE *file;

        HOLD(history_new(directory, NOW_UNIX_NS, &history) == 0);
        add_job(history, message, sizeof message);
        history_free(history);
        snprintf(path, sizeof path, "%s/history.db", directory);
        file = fopen(path, "re");
        HOLD(file);
        n_good_file = fread(good_file, 1, sizeof good_file, file);
        HOLD(n_good_file > 0 && fclose(file) == 0);
}

/* An empty state directory. */
static void renew_directory(void) {
        HOLD(remove_tree(root_dir_fd(root), "state") == 0);
        HOLD(mkdirat(root_dir_fd(root), "state", 0700) == 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
        char link[64];
        ssize_t n;

        root = fuzz_root();
        snprintf(link, sizeof link, "/proc/self/fd/%d", root_dir_fd(root));
        n = readlink(link, directory, sizeof directory - sizeof "/state");
        HOLD(n > 0);
        strcpy(directory + n, "/state");
        renew_directory();
        make_good_file();
        return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        if (n_data == 0)
                return 0;
        if (data[0] & 1) {
                renew_directory();
                read_file(data + 1, n_data - 1);
        } else {
                read_row(data + 1, n_data - 1);
        }
        return 0;
}
