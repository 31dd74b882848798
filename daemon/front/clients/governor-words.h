/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * `set-governor` in messages: a request as the launcher takes it, and what it answers as replies and complaints. Pure.
 */

#include "front/base/arena.h"
#include "front/base/reply-error.h"
#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

enum {
        _GOVERNOR_WORDS_E_SUCCESS,

        GOVERNOR_WORDS_E_BAD, /* ret_why says what is wrong */
};

/* @request as the launcher takes it. Returns 0 or E_BAD. */
int governor_words_check(const Benchd__SetGovernorRequest *request, OpsGovernor *ret_wanted, ReplyError *ret_why);

/* Why @done says that nothing was done of what @wanted says. */
void governor_words_complain(const OpsGovernorDone *done, const OpsGovernor *wanted, ReplyError *ret_why);

/* What was done, in @arena. Returns 0 or a negative errno. */
int governor_words_reply(Arena *arena, const OpsGovernorDone *done, Benchd__SetGovernorReply **ret_reply);

/* Adds to @status what is set until it is restored. Returns 0 or a negative errno. */
int governor_words_status(Arena *arena, const OpsMachine *machine, Benchd__Status *status);
