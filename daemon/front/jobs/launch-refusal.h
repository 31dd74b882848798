/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Refusals of the launcher in words for the user.
 */

#include "front/base/reply-error.h"
#include "ops/ops.h"

/* Explains why the launcher refused to do @what ("start a runner"). */
void launch_refusal_explain(const OpsRefused *refused, const char *what, ReplyError *ret_why);
