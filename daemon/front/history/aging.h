/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Aging: which jobs are too old, and how many of them may be removed. A clock may be wrong, so no single clock reading is trusted:
 *
 * - The age of a job is the time from it to the newest job, not to now; a job dated in the future is not the newest. A job added after a
 *   young job is young itself, whatever the clock said when it was submitted.
 * - At most a tenth of the jobs may be removed in a day. The remaining allowance is kept in the database, so a restarted daemon has no
 *   more. With fewer than ten jobs one is removed, and the next one only after enough days to keep that rate.
 *
 * The caller must not remove jobs by age while the clock is not synchronised. Pure.
 */

#include <stdbool.h>
#include <stdint.h>

typedef enum AgingJob {
        AGING_YOUNG,  /* and so are all jobs added later */
        AGING_OLD,    /* may be removed */
        AGING_FUTURE, /* the clock was wrong then: the age is unknown */
} AgingJob;

/* The remaining allowance of jobs to remove by age. */
typedef struct Aging {
        uint64_t jobs_left;    /* of the present tenth */
        uint64_t next_unix_ns; /* when the next tenth is allowed; 0: at once */
} Aging;

/*
 * Judges a job that was submitted at @submitted_unix_ns. @newest_unix_ns: when the newest job not later than @now_unix_ns was submitted.
 * @keep_ns: the age from which a job may be removed.
 */
AgingJob aging_judge(uint64_t submitted_unix_ns, uint64_t newest_unix_ns, uint64_t keep_ns, uint64_t now_unix_ns);

/* True if one of @n_jobs may be removed at @now_unix_ns. Updates @aging. */
bool aging_allows(Aging *aging, uint64_t n_jobs, uint64_t now_unix_ns);

/* Notes that one of @n_jobs is removed at @now_unix_ns, after aging_allows(). */
void aging_note(Aging *aging, uint64_t n_jobs, uint64_t now_unix_ns);
