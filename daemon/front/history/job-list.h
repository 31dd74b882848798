/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Lists of jobs, the latest first. A history may have a hundred thousand of them, and a glob or a state that next to none has, so
 * the rows are looked at a slice at a time, and the loop serves others between the slices. The jobs of one user and those of all are
 * two statements, each with an index of its own: the jobs of others cost a user nothing.
 */

#include <stddef.h>
#include <sys/types.h>

#include "proto/benchd.pb-c.h"
#include "util/cleanup.h"

typedef struct Arena Arena;
typedef struct History History;
typedef struct JobList JobList;
typedef struct HistoryViewer HistoryViewer;

#define JOB_LIST_SLICE_ROWS 512u /* looked at in one slice: about half a millisecond */
#define JOB_LIST_ENTRY_ROWS 16u  /* as which an entry that is made counts */

enum {
        _JOB_LIST_E_SUCCESS,

        JOB_LIST_E_MORE,   /* not all rows were looked at yet */
        JOB_LIST_E_FAILED, /* history_words() says why */
};

/* Begins a list of the jobs that @request (checked) asks for and @viewer sees. Returns 0 or a negative errno. */
int job_list_new(History *history, const Benchd__HistoryRequest *request, const HistoryViewer *viewer,
                JobList **ret_list);
JobList *job_list_free(JobList *list);

DEFINE_CLEANUP(JobList *, job_list_free)

/*
 * Looks at the rows of one slice; @ret_n (or NULL): how many, entries counted as JOB_LIST_ENTRY_ROWS. Returns 0 when the list is complete:
 * no more than fit a reply; E_MORE, E_FAILED, or a negative errno.
 */
int job_list_step(JobList *list, size_t *ret_n);

/* The list so far, and its memory; they live as long as it. */
Benchd__History *job_list_entries(const JobList *list);
Arena *job_list_arena(const JobList *list);
