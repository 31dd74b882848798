/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Refusals in words for the user: the launcher's, and those of planning.
 */

#include "front/complaint.h"
#include "front/request.h"
#include "ops/ops.h"

/* Why the launcher did not do what was asked. */
void refusal_complain(const OpsRefused *refused, Complaint *ret_complaint);

/* Why run_plan_new() made no plan for what @wants asks: its positive @outcome. */
void refusal_complain_plan(int outcome, const ModuleRequest *wants, Complaint *ret_complaint);
