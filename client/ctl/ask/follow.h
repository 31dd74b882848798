/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Follows a job from its request to its last reply: on a terminal prints its plan and expected end, then a live line of
 * its progress; at the end its result. Used for a new run, for a job to wait for, and for an ended job.
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
        const char *name;      /* the module's or the job's name, for the live line */
        const char *unit;      /* one of those that it measures, in that line: "command"; NULL: "benchmark" */
        double process_ns;     /* that a process takes, in that line before one has ended; 0: as the daemon expects */
        const char *goes_on;   /* the job that continues after Ctrl-C, as a message then says; NULL: none */
        bool interrupt_leaves; /* Ctrl-C only stops following; else it cancels the job and waits for the partial result */
        const Settings *settings; /* of the command that runs @name, for the hint after a crash; NULL: no hint */
        const benchd_module *
                        old_explained; /* both sides of a comparison, whose machine code is added to the result; NULL: it is not */
        const benchd_module *new_explained;
        const Settings *shown; /* whose filters choose the rows of an earlier result; NULL: all */
        const FailOn *fail_on; /* conditions of --fail-on */
        bool quiet;

        /* Called once with the id of the job, when the daemon has accepted it; NULL: not called. */
        void (*accepted)(void *userdata, const char *run_id);
        void *accepted_userdata;

        json_t **ret_result; /* takes the result, which is then not printed; NULL: it is */
} Follow;

/* The exit code of @result, of a completed run or comparison, with the conditions @fail_on. */
int follow_judge(const json_t *result, const FailOn *fail_on);

/* The same for a document of several machines: EXIT_DAEMON if a machine was lost or refused the run, and no benchmark failed. */
int follow_judge_fleet(const json_t *document, const FailOn *fail_on);

/* Follows the job and prints its result. Returns an exit code. */
int follow_job(const Follow *follow);
