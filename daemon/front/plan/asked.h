/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The part of a runner's plan that comes from the request: the options marked as the runner's in their table. Pure.
 */

#include "ops/asked.h"
#include "proto/run-request.h"

/* The RUNNER_OPTION_* bits that @request asks for. */
uint32_t asked_flags(const Benchd__RunRequest *request);

RunnerAsked asked_numbers(const Benchd__RunRequest *request);
