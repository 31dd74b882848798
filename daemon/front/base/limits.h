/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The places for jobs and connections, by the configuration: how many there are for a user, and the refusal of one more in
 * words. The last ones are root's, who can always look what is wrong with a machine that others keep busy, and end it. Pure.
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
