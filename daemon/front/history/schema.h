/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The tables of the history, and every statement that is ever run on them, by name: what a stranger sends is only ever
 * bound to a statement, never part of its text.
 *
 *      job        one row each, from its acceptance on; error and result in protobuf's binary form
 *      benchmark  what a job gave, in the order in which it was sent
 *      part       the modules of a job: its own at place 0, then its libraries
 *      module     files that are kept, and when each was used last
 */

#include "front/history/database.h"

typedef enum SchemaStatement {
        SCHEMA_ADD_JOB,        /* run_id, uid, state, submitted, module_name */
        SCHEMA_ADD_PART,       /* job, place, sha256 */
        SCHEMA_ADD_BENCHMARK,  /* job, place, result */
        SCHEMA_FIND_JOB,       /* run_id -> id, state, benchmarks, uid */
        SCHEMA_NOTE_RUNNING,   /* state, run_id */
        SCHEMA_END_JOB,        /* id, state, ended, verdict, benchmarks, error, result */
        SCHEMA_LOSE_JOBS,      /* state lost, ended, states without an end */
        SCHEMA_FIND_PREFIX,    /* prefix, its end, all, uid -> run_id */
        SCHEMA_READ_BENCHMARK, /* job, place -> result */
        SCHEMA_READ_RESULT,    /* id -> result */
        SCHEMA_READ_ERROR,     /* id -> error */
        SCHEMA_LIST_JOBS,      /* all, uid, module_glob, since, state, limit -> see past.c */
        SCHEMA_PIN_JOB,        /* run_id, pinned */
        SCHEMA_HAS_MODULE,     /* run_id -> one row if it is kept */
        SCHEMA_ADD_MODULE,     /* sha256, bytes, used */
        SCHEMA_USE_MODULE,     /* sha256, used */
        SCHEMA_REMOVE_MODULE,  /* sha256 */
        SCHEMA_SUM_MODULES,    /* -> bytes */
        SCHEMA_OLDEST_MODULE,  /* -> sha256, bytes */
        SCHEMA_NEXT_MODULE,    /* after -> sha256, bytes */
        SCHEMA_FIND_MODULE,    /* sha256 -> sha256, bytes */
        _SCHEMA_STATEMENTS_N,
} SchemaStatement;

extern const DatabaseSchema schema;
