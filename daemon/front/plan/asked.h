/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The part of a runner's plan that a request fills in: the options whose rows say that they are the runner's. Pure.
 */

#include "ops/asked.h"
#include "proto/run-request.h"

/* RUNNER_OPTION_*, those that @request asks for. */
uint32_t asked_flags(const Benchd__RunRequest *request);

RunnerAsked asked_numbers(const Benchd__RunRequest *request);
