/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A job from its request to its last reply: the live line while it is under way, then its result, and what benchctl exits
 * with. The same for a run of one's own, for one that is waited for, and for one that is over.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct Output Output;
typedef struct Connection Connection;

typedef struct Follow {
        Connection *connection;
        Output *output;
        uint64_t id;           /* of the request */
        const char *name;      /* of the module or the job, for the live line */
        const char *goes_on;   /* the job that Ctrl-C leaves alone, to say so; NULL where it has no such thing to say */
        bool interrupt_leaves; /* Ctrl-C ends the following; otherwise it cancels, and what is complete is awaited */
        bool fail_on_slower;   /* the exit code tells of a comparison that found something slower */
        bool quiet;
} Follow;

/* Returns an exit code, having printed what came. */
int follow_job(const Follow *follow);
