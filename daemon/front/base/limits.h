/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Limits of jobs and connections, from the configuration: the number for a user, and the words that refuse one more. The last places are
 * reserved for root, so that root can always inspect and stop what keeps a machine busy. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "front/base/reply-error.h"

typedef struct Config Config;

typedef enum LimitKind {
        LIMIT_CONNECTION,
        LIMIT_JOB,
        _LIMIT_KINDS_N,
} LimitKind;

/* The number of places, over all users, that may be taken before @uid gets no more. */
size_t limits_for(const Config *config, LimitKind kind, uid_t uid);

/* Explains why @uid gets no place: it is at its own limit (@user_full), or all are taken. */
void limits_refuse(const Config *config, LimitKind kind, uid_t uid, bool user_full, ReplyError *ret_why);
