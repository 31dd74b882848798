/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A job from its request to its last reply: on a terminal its plan and expected end, then a live line while it is under
 * way; last its result and the exit code. Used for a run of one's own, for a job that is waited for, and for a job that
 * has ended.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct FailOn FailOn;
typedef struct Output Output;
typedef struct Connection Connection;
typedef struct Settings Settings;
typedef struct benchd_module benchd_module;
typedef struct json_t json_t;

typedef struct Follow {
        Connection *connection;
        Output *output;
        uint64_t id;           /* the request's */
        const char *name;      /* the module's or the job's, for the live line */
        const char *goes_on;   /* the job that goes on after Ctrl-C, which then says so; NULL: none */
        bool interrupt_leaves; /* Ctrl-C only stops following; else it cancels the job, whose partial result is awaited */
        const Settings *settings; /* of the command that runs the module @name, for the hint after a crash; NULL: none */
        const benchd_module *
                        old_explained; /* both sides of a comparison, whose machine code is added to the result; NULL: it is not */
        const benchd_module *new_explained;
        const FailOn *fail_on; /* conditions of --fail-on */
        bool quiet;
} Follow;

/* The exit code of @result, of a run or a comparison that came to its end, with the conditions @fail_on. */
int follow_judge(const json_t *result, const FailOn *fail_on);

/* The same of a document of several machines: EXIT_DAEMON where one was lost or refused the run, and no benchmark failed. */
int follow_judge_fleet(const json_t *document, const FailOn *fail_on);

/* Prints the result. Returns an exit code. */
int follow_job(const Follow *follow);
