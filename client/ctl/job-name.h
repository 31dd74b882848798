/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * JOB as it is typed: the id that the daemon gave, or a beginning of it, with a leading @ or without.
 */

#define JOB_NAME_MIN   4u
#define JOB_NAME_MAX   32u
#define JOB_NAME_BYTES (JOB_NAME_MAX + 1u)

enum {
        _JOB_NAME_E_SUCCESS,

        JOB_NAME_E_MALFORMED, /* it cannot be a job's id */
};

/* Reads @word into the form that the daemon takes. Returns 0 or E_MALFORMED. */
int job_name_parse(const char *word, char ret_name[static JOB_NAME_BYTES]);
