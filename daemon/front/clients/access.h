/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Access: who may do what. Each verb has an option in section [access] of the configuration, a list of users and groups, and a polkit
 * action for everyone else. Root may do everything. All users may see, cancel and pin their own jobs.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "front/base/allow-list.h"
#include "front/base/reply-error.h"

typedef struct Config Config;
typedef struct OpsMachine OpsMachine;

typedef enum AccessVerb {
        ACCESS_ALWAYS, /* allowed to every connected client */
        ACCESS_RUN,
        ACCESS_LIST,
        ACCESS_STATUS,
        ACCESS_HISTORY, /* of other users */
        ACCESS_CANCEL,  /* other users' jobs */
        ACCESS_SET_GOVERNOR,
        ACCESS_DROP_CACHES,
        _ACCESS_VERB_N,
} AccessVerb;

typedef struct Access {
        AllowList allowed[_ACCESS_VERB_N];
} Access;

/* Looks up the names in the configuration; logs an unknown one. */
void access_init(Access *access, const Config *config);

/*
 * True if the configuration allows @verb to the client of @uid at the other end of @fd. If the daemon is not root on @machine (NULL: not
 * known yet), the kernel decides what its own user may do.
 */
bool access_allows(const Access *access, AccessVerb verb, uid_t uid, int fd, const OpsMachine *machine);

/* The polkit action of @verb. */
const char *access_action(AccessVerb verb);

/* Explains that @verb is not allowed, and who may do it. */
void access_explain(AccessVerb verb, ReplyError *ret_why);

/*
 * Adds a hint to the error of a job that was not found: it may belong to another user; and who may see other users'
 * jobs.
 */
void access_hint_others(AccessVerb verb, ReplyError *why);
