/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Refusals in words for the user: the launcher's, and those of planning.
 */

#include "front/base/reply-error.h"
#include "front/plan/module-request.h"
#include "ops/ops.h"

/* Explains why the launcher did not do as it was asked. */
void launch_refusal_explain(const OpsRefused *refused, ReplyError *ret_why);

/* Explains why plan_new() made no plan for what @wants asks, by its positive @outcome. */
void launch_refusal_explain_plan(int outcome, const ModuleRequest *wants, ReplyError *ret_why);
