/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Results of private daemons, which end with benchctl: one JSON file per result, named after its job, in the user's state directory
 * ($XDG_STATE_HOME/benchd/results, or below ~/.local/state). Only the user can read the directory. A complete file is renamed into place,
 * so that concurrent commands need no lock; the oldest files are removed to make room.
 */

typedef struct json_t json_t;

#define PRIVATE_RESULTS_MAX       200u
#define PRIVATE_RESULTS_BYTES_MAX (64u << 20)

enum {
        _PRIVATE_RESULTS_E_SUCCESS,

        PRIVATE_RESULTS_E_NONE,      /* no stored result has that id */
        PRIVATE_RESULTS_E_AMBIGUOUS, /* several ids begin with it */
};

/* Stores @result. On failure its run_id becomes null, since it would not lead to a result. */
void private_results_keep(json_t *result);

/* Reads the result whose id begins with @job, in lower case; "": the latest. Returns 0, E_NONE or E_AMBIGUOUS. */
int private_results_find(const char *job, json_t **ret_result);

/* Reads all results into an array, the latest first. Returns 0 or a negative errno. */
int private_results_read(json_t **ret_results);
