/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Record of one job under way, for the history: its user, its module, and each result as it is sent, packed. The
 * record is written when the job is accepted and once more when it ends; a job that ends before it was accepted
 * leaves nothing.
 *
 * Writing may fail: the job goes on, and its result has a warning.
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
        const SealedModule *module; /* the job's; hashed when the record is accepted */
        JobPacked *benchmarks;
        size_t n_benchmarks;
        size_t n_written;         /* of them, to the history */
        uint64_t losses;          /* history_losses() when it was last written, from its acceptance on */
        size_t n_unwritten_bytes; /* of the others, or since writing them was tried */
        ShareHold bytes;          /* of its user's results of jobs under way */
        bool dropped;             /* more than may be held: none is stored */
        bool accepted;
        bool in_history;                  /* the job can be asked for */
        bool stored;                      /* ... by a later daemon, too */
        char trouble[DATABASE_WORDS_MAX]; /* with storing it; empty: none */
} JobRecord;

/*
 * Makes the record of a job of @uid with @module_name, submitted @now_unix_ns, and draws its id. Its results are held of the
 * user's share. Returns 0 or a negative errno.
 */
int job_record_new(History *history, Shares *shares, uid_t uid, const char *module_name, uint64_t now_unix_ns,
                JobRecord **ret_record);
JobRecord *job_record_free(JobRecord *record);

/* Writes the job's row. */
void job_record_accept(JobRecord *record, const SealedModule *module);

/* True if a later daemon knows the job too, as far as is known now. */
bool job_record_is_stored(const JobRecord *record);

/* Notes that the job is measured from now on. */
void job_record_note_running(JobRecord *record);

/* Notes a trouble that is only a warning of the result. */
void job_record_warn(JobRecord *record, const char *words);

/*
 * Adds a copy of a result. Beyond the user's share the record drops all of them, with a warning, and takes no more. Returns 0 or a
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
