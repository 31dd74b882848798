/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Record of a running job for the history: its user, its module, and each result as sent, packed. The record is written
 * when the job is accepted and again when it ends; a job that ends before it is accepted leaves no row.
 *
 * If writing fails, the job goes on and its result carries a warning.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "front/base/arena.h"
#include "front/base/run-id.h"
#include "front/base/share.h"
#include "front/history/database.h"
#include "proto/benchd.pb-c.h"

typedef struct History History;
typedef struct SealedModule SealedModule;

/* A message in protobuf's binary form. */
typedef struct JobPacked {
        uint8_t *data;
        size_t n;
} JobPacked;

typedef struct JobRecord {
        History *history;
        char run_id[RUN_ID_BYTES];
        uid_t uid;
        uint64_t submitted_at_unix_ns;
        char *module_name;
        JobPacked commit;           /* of the module; empty: none was told */
        const SealedModule *module; /* the job's; hashed when the record is accepted */
        JobPacked *benchmarks;
        size_t n_benchmarks;
        size_t n_counted;         /* benchmarks as people count them: pairs once, and no empty loop */
        size_t n_written;         /* results written to the history */
        uint64_t losses;          /* history_losses() at the last write since the job was accepted */
        size_t n_unwritten_bytes; /* of results not written, or added since the last attempt */
        ShareHold bytes;          /* of its user's results of jobs under way */
        bool dropped;             /* over the limit: no result is stored */
        bool accepted;
        bool in_history;                  /* clients can ask for the job */
        bool stored;                      /* a later daemon knows the job, too */
        char trouble[DATABASE_WORDS_MAX]; /* the reason for a failure to store; empty: none */
} JobRecord;

/*
 * Makes the record of a job of @uid with @module_name and its @commit (NULL: none is told), submitted at @now_unix_ns, and draws its id. Its results count against the user's
 * share. Returns 0 or a negative errno.
 */
int job_record_new(History *history, Shares *shares, uid_t uid, const char *module_name, const Benchd__Commit *commit,
                uint64_t now_unix_ns, JobRecord **ret_record);
JobRecord *job_record_free(JobRecord *record);

/* Writes the job's row. */
void job_record_accept(JobRecord *record, const SealedModule *module);

/* True if, by all that is known now, a later daemon will know the job too. */
bool job_record_is_stored(const JobRecord *record);

/* Notes that measuring has begun. */
void job_record_note_running(JobRecord *record);

/* Notes a problem to report as a warning in the result. */
void job_record_warn(JobRecord *record, const char *words);

/*
 * Adds a copy of a result. Beyond the user's share the record drops all results, with a warning, and accepts no more. Returns 0 or a
 * negative errno.
 */
int job_record_add(JobRecord *record, const Benchd__BenchmarkResult *benchmark);

/*
 * Write the end of the job. @result gets a warning in @arena for each thing that could not be stored. Return 0 or a
 * negative errno.
 */
int job_record_end_result(JobRecord *record, Arena *arena, Benchd__RunResult *result, bool cancelled,
                uint64_t now_unix_ns);
int job_record_end_error(JobRecord *record, const Benchd__Error *error, uint64_t now_unix_ns);
