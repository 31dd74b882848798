/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Lists of jobs, latest first. A history may hold a hundred thousand jobs of which a glob or a state matches almost none, so the rows are
 * examined in slices, between which the loop serves others. One user's jobs and all users' jobs are two statements, each with its own
 * index, so that the jobs of other users cost nothing.
 */

#include <stddef.h>
#include <sys/types.h>

#include "proto/benchd.pb-c.h"
#include "util/cleanup.h"

typedef struct Arena Arena;
typedef struct History History;
typedef struct JobList JobList;
typedef struct HistoryViewer HistoryViewer;

#define JOB_LIST_SLICE_ROWS 512u /* examined in one slice: about half a millisecond */
#define JOB_LIST_ENTRY_ROWS 16u  /* the cost of an entry that is built, in rows */

enum {
        _JOB_LIST_E_SUCCESS,

        JOB_LIST_E_MORE,   /* rows are left to examine */
        JOB_LIST_E_FAILED, /* history_words() says why */
};

/* Begins a list of the jobs that @request (checked) asks for and @viewer may see. Returns 0 or a negative errno. */
int job_list_new(History *history, const Benchd__HistoryRequest *request, const HistoryViewer *viewer,
                JobList **ret_list);
JobList *job_list_free(JobList *list);

DEFINE_CLEANUP(JobList *, job_list_free)

/*
 * Examines the rows of one slice; @ret_n (or NULL): their number, each built entry counted as JOB_LIST_ENTRY_ROWS. Returns 0 when the list
 * is complete or fills a reply; else E_MORE, E_FAILED, or a negative errno.
 */
int job_list_step(JobList *list, size_t *ret_n);

/* The entries so far, and their memory; valid until @list is freed. */
Benchd__History *job_list_entries(const JobList *list);
Arena *job_list_arena(const JobList *list);
