/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/history/schema.h"

#define SCHEMA_APPLICATION 0x62636864 /* "bchd" */
#define SCHEMA_VERSION     1

/* States are numbers of the protocol's JobState: 1 and 2 are those without an end. */
static const char tables[] =
                "CREATE TABLE job (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, uid INTEGER NOT NULL,"
                " state INTEGER NOT NULL, submitted INTEGER NOT NULL, ended INTEGER,"
                " module_name TEXT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, verdict INTEGER,"
                " benchmarks INTEGER NOT NULL DEFAULT 0, error BLOB, result BLOB);"
                "CREATE INDEX job_of_user ON job (uid, submitted);"
                "CREATE INDEX job_by_time ON job (submitted);"
                "CREATE INDEX job_without_end ON job (state) WHERE state IN (1, 2);"
                "CREATE TABLE benchmark (job INTEGER NOT NULL, place INTEGER NOT NULL,"
                " result BLOB NOT NULL, PRIMARY KEY (job, place));"
                "CREATE TABLE part (job INTEGER NOT NULL, place INTEGER NOT NULL, sha256 TEXT NOT NULL,"
                " PRIMARY KEY (job, place)) WITHOUT ROWID;"
                "CREATE INDEX part_of_module ON part (sha256);"
                "CREATE TABLE module (sha256 TEXT PRIMARY KEY, bytes INTEGER NOT NULL,"
                " used INTEGER NOT NULL) WITHOUT ROWID;"
                "CREATE INDEX module_by_use ON module (used);";

static const char *const statements[] = {
        [SCHEMA_ADD_JOB] = "INSERT INTO job (run_id, uid, state, submitted, module_name) VALUES (?, ?, ?, ?, ?)",
        [SCHEMA_ADD_PART] = "INSERT INTO part (job, place, sha256) VALUES (?, ?, ?)",
        [SCHEMA_ADD_BENCHMARK] = "INSERT INTO benchmark (job, place, result) VALUES (?, ?, ?)",
        [SCHEMA_FIND_JOB] = "SELECT id, state, benchmarks, uid FROM job WHERE run_id = ?",
        [SCHEMA_NOTE_RUNNING] = "UPDATE job SET state = ? WHERE run_id = ?",
        [SCHEMA_END_JOB] = "UPDATE job SET state = ?2, ended = ?3, verdict = ?4, benchmarks = ?5, error = ?6,"
                           " result = ?7 WHERE id = ?1",
        [SCHEMA_LOSE_JOBS] = "UPDATE job SET state = ?, ended = ? WHERE state IN (1, 2)",
        [SCHEMA_FIND_PREFIX] = "SELECT run_id FROM job WHERE run_id >= ?1 AND run_id < ?2 AND (?3 OR uid = ?4) LIMIT 2",
        [SCHEMA_READ_BENCHMARK] = "SELECT result FROM benchmark WHERE job = ? AND place = ?",
        [SCHEMA_READ_RESULT] = "SELECT result FROM job WHERE id = ?",
        [SCHEMA_READ_ERROR] = "SELECT error FROM job WHERE id = ?",
        [SCHEMA_LIST_JOBS] = "SELECT run_id, state, submitted, ended, uid, module_name, part.sha256, module.sha256,"
                             " pinned, verdict, benchmarks, error FROM job"
                             " LEFT JOIN part ON part.job = job.id AND part.place = 0"
                             " LEFT JOIN module ON module.sha256 = part.sha256"
                             " WHERE (?1 OR uid = ?2) AND (?3 IS NULL OR module_name GLOB ?3)"
                             " AND submitted >= ?4 AND (?5 IS NULL OR state = ?5)"
                             " ORDER BY submitted DESC, job.id DESC LIMIT ?6",
        [SCHEMA_PIN_JOB] = "UPDATE job SET pinned = ?2 WHERE run_id = ?1",
        [SCHEMA_HAS_MODULE] = "SELECT 1 FROM job JOIN part ON part.job = job.id AND part.place = 0"
                              " JOIN module ON module.sha256 = part.sha256 WHERE run_id = ?",
        [SCHEMA_ADD_MODULE] = "INSERT OR REPLACE INTO module (sha256, bytes, used) VALUES (?, ?, ?)",
        [SCHEMA_USE_MODULE] = "UPDATE module SET used = ?2 WHERE sha256 = ?1",
        [SCHEMA_REMOVE_MODULE] = "DELETE FROM module WHERE sha256 = ?",
        [SCHEMA_SUM_MODULES] = "SELECT total(bytes) FROM module",
        [SCHEMA_OLDEST_MODULE] = "SELECT sha256, bytes FROM module WHERE NOT EXISTS (SELECT 1 FROM part JOIN job"
                                 " ON job.id = part.job WHERE part.sha256 = module.sha256"
                                 " AND (job.pinned OR job.state IN (1, 2))) ORDER BY used LIMIT 1",
        [SCHEMA_NEXT_MODULE] = "SELECT sha256, bytes FROM module WHERE sha256 > ? ORDER BY sha256 LIMIT 1",
        [SCHEMA_FIND_MODULE] = "SELECT sha256, bytes FROM module WHERE sha256 = ?",
};

const DatabaseSchema schema = {
        .application = SCHEMA_APPLICATION,
        .version = SCHEMA_VERSION,
        .tables = tables,
        .statements = statements,
        .n_statements = _SCHEMA_STATEMENTS_N,
};
