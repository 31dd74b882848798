/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Which job a request means, of those under way and those in the history: by its id, or by a beginning of it that no other
 * job has among those that the user may see. A user sees the own jobs, root all; the configuration may let all see all.
 */

#include <stdbool.h>

#include "front/base/reply-error.h"
#include "front/base/run-id.h"
#include "front/history/history.h"

typedef struct Session Session;

enum {
        _MATCH_E_SUCCESS,

        MATCH_E_NONE, /* no job, several, or none that this user may see: ret_why says which */
};

/* What the user of @session may see, or with @changes change. */
Viewer match_viewer(const Session *session, bool changes);

/* Finds the job that @text (NULL: absent) of a request names. Returns 0 or E_NONE. */
int match_job(const Session *session, const char *text, bool changes, char ret_run_id[static RUN_ID_BYTES],
                ReplyError *ret_why);
