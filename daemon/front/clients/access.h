/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Access: who may do what. Each verb has an option of the section [access] of the configuration, which lists users and groups, and an
 * action of polkit, which is asked about everyone else. Root may do everything. Everyone sees, cancels and pins their own jobs.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "front/base/allow-list.h"
#include "front/base/reply-error.h"

typedef struct Config Config;
typedef struct OpsMachine OpsMachine;

typedef enum AccessVerb {
        ACCESS_ALWAYS, /* what everyone who is connected may do */
        ACCESS_RUN,
        ACCESS_LIST,
        ACCESS_STATUS,
        ACCESS_HISTORY, /* of other users */
        ACCESS_CANCEL,  /* other users' jobs */
        ACCESS_SET_GOVERNOR,
        _ACCESS_VERB_N,
} AccessVerb;

typedef struct Access {
        AllowList allowed[_ACCESS_VERB_N];
} Access;

/* Looks up the names of the configuration; one that nobody has is logged. */
void access_init(Access *access, const Config *config);

/*
 * True where the configuration lets the client of @uid at the other end of @fd do @verb. A daemon that is not @machine's root (NULL: not
 * known yet) may do what its own user may: there the kernel decides.
 */
bool access_allows(const Access *access, AccessVerb verb, uid_t uid, int fd, const OpsMachine *machine);

/* The action of polkit that stands for @verb. */
const char *access_action(AccessVerb verb);

/* Says that @verb is not allowed, and whom it is allowed. */
void access_explain(AccessVerb verb, ReplyError *ret_why);

/* Adds to a complaint about a job that was not found the rule by which it may be another user's. */
void access_hint_others(AccessVerb verb, ReplyError *why);
