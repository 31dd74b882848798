/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Fields of a RunRequest by the rows of its options, whatever their types: the one place that knows where a row's field is.
 */

#include "proto/benchd.pb-c.h"
#include "proto/run-options.h"

/* True if @request has a value for @option. */
bool run_request_has(const Benchd__RunRequest *request, const RunOption *option);

/* ... and the value is not that which holds without it: a flag that is false asks for nothing. */
bool run_request_asks(const Benchd__RunRequest *request, const RunOption *option);

/* The value of an option that is a number or a flag, a percentage apart; 0 where @request has none. */
uint64_t run_request_number(const Benchd__RunRequest *request, const RunOption *option);
double run_request_fraction(const Benchd__RunRequest *request, const RunOption *option);

void run_request_set_number(Benchd__RunRequest *request, const RunOption *option, uint64_t number);
void run_request_set_fraction(Benchd__RunRequest *request, const RunOption *option, double fraction);

/* The place of a text, which is the caller's. */
char **run_request_text(Benchd__RunRequest *request, const RunOption *option);

/* True if the number of @option is within its bounds. */
bool run_request_is_in_range(const Benchd__RunRequest *request, const RunOption *option);
