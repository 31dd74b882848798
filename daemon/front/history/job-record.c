/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/job-record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "front/base/log.h"
#include "front/history/history.h"
#include "front/history/sealed-module.h"
#include "util/cleanup.h"
#include "util/error.h"

#define JOB_RECORD_BENCHMARKS_MIN 16u /* room at first */
#define JOB_RECORD_BATCH          64u /* results of a transaction: the end of a large job must not write thousands at once */
#define JOB_RECORD_BATCH_BYTES    (256u << 10) /* ... or as many as have these: their samples may be long */

DEFINE_CLEANUP(JobRecord *, job_record_free)

static int job_record_draw_id(JobRecord *record) {
        uint8_t bytes[(RUN_ID_BYTES - 1) / 2];

        if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
                return error_origin(-errno);
        for (size_t i = 0; i < sizeof bytes; i++)
                snprintf(record->run_id + 2 * i, 3, "%02x", bytes[i]);
        return 0;
}

static int record_pack_commit(JobRecord *record, const Benchd__Commit *commit) {
        record->commit.n = benchd__commit__get_packed_size(commit);
        record->commit.data = malloc(record->commit.n + 1);
        if (!record->commit.data)
                return error_origin(-ENOMEM);
        benchd__commit__pack(commit, record->commit.data);
        return 0;
}

int job_record_new(History *history, Shares *shares, uid_t uid, const char *module_name, const Benchd__Commit *commit,
                uint64_t now_unix_ns, JobRecord **ret_record) {
        _cleanup_(job_record_freep) JobRecord *record = NULL;
        int r;

        record = calloc(1, sizeof *record);
        if (!record)
                return error_origin(-ENOMEM);
        record->history = history;
        record->uid = uid;
        record->submitted_at_unix_ns = now_unix_ns;
        record->module_name = strdup(module_name);
        if (!record->module_name)
                return error_origin(-ENOMEM);
        r = commit ? record_pack_commit(record, commit) : 0;
        if (r)
                return error_trace(r);
        r = share_take(shares, uid, SHARE_RESULT_BYTES, 0, &record->bytes);
        if (r)
                return error_fold(r);
        r = job_record_draw_id(record);
        if (r)
                return error_trace(r);
        *ret_record = take_pointer(record);
        return 0;
}

static void record_drop(JobRecord *record) {
        while (record->n_benchmarks > 0)
                free(record->benchmarks[--record->n_benchmarks].data);
        record->n_counted = 0;
}

JobRecord *job_record_free(JobRecord *record) {
        if (!record)
                return NULL;
        record_drop(record);
        share_release(&record->bytes);
        free(record->benchmarks);
        free(record->module_name);
        free(record->commit.data);
        free(record);
        return NULL;
}

static void record_note_stored(JobRecord *record, bool written) {
        record->in_history = written;
        record->losses = history_losses(record->history);
        record->stored = written && history_is_kept(record->history);
        if (!written)
                log_say(LOG_HISTORY_UNWRITTEN, &(LogSubject){ .job = record->run_id, .uid = record->uid }, "%s",
                                history_words(record->history));
}

void job_record_accept(JobRecord *record, const SealedModule *module) {
        record->module = module;
        record->accepted = true;
        record_note_stored(record, history_add(record->history, record) == 0);
}

bool job_record_is_stored(const JobRecord *record) {
        return record->stored && record->losses == history_losses(record->history);
}

void job_record_note_running(JobRecord *record) {
        (void)history_note_running(record->history, record->run_id);
}

void job_record_warn(JobRecord *record, const char *words) {
        snprintf(record->trouble, sizeof record->trouble, "%s", words);
}

/* Makes room for one more benchmark, by doubling. */
static int record_make_room(JobRecord *record) {
        size_t n = record->n_benchmarks;
        JobPacked *grown;

        if (n > 0 && (n < JOB_RECORD_BENCHMARKS_MIN || (n & (n - 1))))
                return 0;
        grown = realloc(record->benchmarks,
                        (n < JOB_RECORD_BENCHMARKS_MIN ? JOB_RECORD_BENCHMARKS_MIN : 2 * n) * sizeof *grown);
        if (!grown)
                return error_origin(-ENOMEM);
        record->benchmarks = grown;
        return 0;
}

/* After a loss nothing of the job may be there; whatever is there is written again. */
static void record_note_losses(JobRecord *record) {
        const uint64_t losses = history_losses(record->history);

        if (record->losses == losses)
                return;
        record->losses = losses;
        record->n_written = 0;
        record->stored = false;
}

/* The old side of a pair is counted with the new one; the empty loop that a method subtracts has no area. */
static bool result_is_counted(const Benchd__BenchmarkResult *benchmark) {
        return !(benchmark->side && strcmp(benchmark->side, "old") == 0) && benchmark->area && *benchmark->area;
}

int job_record_add(JobRecord *record, const Benchd__BenchmarkResult *benchmark) {
        JobPacked packed = { .n = benchd__benchmark_result__get_packed_size(benchmark) };
        int r;

        if (record->dropped)
                return 0;
        r = share_change(&record->bytes, record->bytes.amount + packed.n);
        if (r) {
                record->dropped = true;
                record_drop(record);
                (void)share_change(&record->bytes, 0);
                job_record_warn(record,
                                r == SHARE_E_USER_FULL
                                                ? "the benchmarks: this user's results take more than results_per_user= (benchd.conf) allows"
                                                : "the benchmarks: all users' results take more than results= (benchd.conf) allows");
                return 0;
        }
        r = record_make_room(record);
        if (r)
                return error_trace(r);
        packed.data = malloc(packed.n ? packed.n : 1);
        if (!packed.data)
                return error_origin(-ENOMEM);
        benchd__benchmark_result__pack(benchmark, packed.data);
        record->benchmarks[record->n_benchmarks++] = packed;
        record->n_counted += result_is_counted(benchmark);
        record->n_unwritten_bytes += packed.n;
        if (!record->in_history || (record->n_benchmarks - record->n_written < JOB_RECORD_BATCH &&
                                                   record->n_unwritten_bytes < JOB_RECORD_BATCH_BYTES))
                return 0;
        record_note_losses(record);
        (void)history_write_benchmarks(record->history, record);
        record->n_unwritten_bytes = 0;
        return 0;
}

static void result_warn(Benchd__RunResult *result, Arena *arena, const char *what) {
        ArenaList warnings = { .texts = result->warnings, .n = result->n_warnings };

        arena_list_add(&warnings, arena, "not stored: %s", what);
        result->warnings = warnings.texts;
        result->n_warnings = warnings.n;
}

static int record_write_result(JobRecord *record, Benchd__RunResult *result, bool cancelled, uint64_t now_unix_ns) {
        const HistoryEnd end = {
                .state = cancelled ? BENCHD__JOB_STATE__JOB_CANCELLED : BENCHD__JOB_STATE__JOB_DONE,
                .ended_at_unix_ns = now_unix_ns,
                .result = result,
        };

        return history_end(record->history, record, &end);
}

int job_record_end_result(JobRecord *record, Arena *arena, Benchd__RunResult *result, bool cancelled,
                uint64_t now_unix_ns) {
        int r;

        if (record->trouble[0])
                result_warn(result, arena, record->trouble);
        if (!history_is_kept(record->history))
                result_warn(result, arena, history_unkept_words(record->history));
        record_note_losses(record);
        r = record_write_result(record, result, cancelled, now_unix_ns);
        if (r < 0)
                return error_trace(r);
        record_note_stored(record, r == 0);
        if (r)
                result_warn(result, arena, history_words(record->history));
        return error_trace(arena_check(arena));
}

int job_record_end_error(JobRecord *record, const Benchd__Error *error, uint64_t now_unix_ns) {
        const bool cancelled = error->code == BENCHD__ERROR__CODE__CANCELLED;
        const HistoryEnd end = {
                .state = cancelled ? BENCHD__JOB_STATE__JOB_CANCELLED : BENCHD__JOB_STATE__JOB_FAILED,
                .ended_at_unix_ns = now_unix_ns,
                .error = error,
        };
        int r;

        if (!record->accepted)
                return 0;
        r = history_end(record->history, record, &end);
        return r < 0 ? error_trace(r) : 0;
}
