/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Aging: which jobs are too old, and how many of them may go. A clock may be wrong, so none is believed alone:
 *
 * - The age of a job is the time from it to the newest one, not to now; one of the future is not the newest. A job that was added after a
 *   young one is young itself, whatever the clock said when it was submitted.
 * - A tenth of the jobs may go in a day. The rest of it is remembered in the database, so a daemon that starts anew has no more. From fewer
 *   than ten jobs one goes, and the next one so many days later that it is no more than a tenth.
 *
 * Nothing goes by its age while the clock is not synchronised: that is its caller's affair. Pure.
 */

#include <stdbool.h>
#include <stdint.h>

typedef enum AgingJob {
        AGING_YOUNG,  /* and so are all that were added later */
        AGING_OLD,    /* may go */
        AGING_FUTURE, /* its clock was wrong: nothing is known of it */
} AgingJob;

/* The jobs that may still go by their age. */
typedef struct Aging {
        uint64_t jobs_left;    /* of the present tenth */
        uint64_t next_unix_ns; /* there is another tenth from then on; 0: at once */
} Aging;

/*
 * Judges a job that was submitted at @submitted_unix_ns. @newest_unix_ns: when the newest was submitted, of those that were not later than
 * @now_unix_ns. @keep_ns: the age at which a job may go.
 */
AgingJob aging_judge(uint64_t submitted_unix_ns, uint64_t newest_unix_ns, uint64_t keep_ns, uint64_t now_unix_ns);

/* True if one of @n_jobs may go at @now_unix_ns. Brings @aging up to date. */
bool aging_allows(Aging *aging, uint64_t n_jobs, uint64_t now_unix_ns);

/* Notes that one of @n_jobs goes at @now_unix_ns, as aging_allows() has allowed. */
void aging_note(Aging *aging, uint64_t n_jobs, uint64_t now_unix_ns);
