/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What the history gets of one job under way: who and what it is, and each result as it is sent, packed. It is written
 * when the job is accepted and once more when it ends; a job that ends before it was accepted leaves nothing.
 *
 * Writing may fail: the job goes on, and its result says so under its warnings.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "front/base/arena.h"
#include "front/base/run-id.h"
#include "front/history/database.h"
#include "proto/benchd.pb-c.h"

typedef struct History History;
typedef struct SealedModule SealedModule;

#define RECORD_BYTES_MAX ((size_t)64 << 20) /* of the results of one job */

/* A message in protobuf's binary form. */
typedef struct Packed {
        uint8_t *data;
        size_t n;
} Packed;

typedef struct JobRecord {
        History *history;
        char run_id[RUN_ID_BYTES];
        uid_t uid;
        uint64_t submitted_at_unix_ns;
        char *module_name;
        const SealedModule *module; /* the job's; hashed when the record is accepted */
        Packed *benchmarks;
        size_t n_benchmarks;
        size_t n_bytes;
        bool accepted;
        bool in_history;                  /* it can be asked for */
        bool stored;                      /* ... after the daemon ended, too */
        char trouble[DATABASE_WORDS_MAX]; /* with the module; empty: none */
} JobRecord;

/* A record of a job of @uid with @module_name, submitted @now_unix_ns. Draws its id. Returns 0 or a negative errno. */
int job_record_new(History *history, uid_t uid, const char *module_name, uint64_t now_unix_ns, JobRecord **ret_record);
JobRecord *job_record_free(JobRecord *record);

/* Writes the job's row. */
void job_record_accept(JobRecord *record, const SealedModule *module);

/* The job is measured from now on. */
void job_record_note_running(JobRecord *record);

/* Notes a trouble that is no more than a warning of the result. */
void job_record_warn(JobRecord *record, const char *words);

/* Takes a result, a copy. Returns 0 or a negative errno. */
int job_record_add(JobRecord *record, const Benchd__BenchmarkResult *benchmark);

/* Writes the end of the job. @result gets a warning, made in @arena, of what could not be kept. Return 0 or a negative errno. */
int job_record_end_result(JobRecord *record, Arena *arena, Benchd__RunResult *result, bool cancelled,
                uint64_t now_unix_ns);
int job_record_end_error(JobRecord *record, const Benchd__Error *error, uint64_t now_unix_ns);
