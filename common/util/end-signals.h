/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Signals that ask a process, or every process of a job at once, to end: SIGTERM, SIGINT and SIGHUP.
 */

#include <signal.h>
#include <stdbool.h>

#define END_SIGNALS_N 3

extern const int end_signals[END_SIGNALS_N];

bool end_signals_have(int number);
void end_signals_fill(sigset_t *ret_set);

/* SIGHUP where it was ignored when the program started, as under nohup(1): it stays so. */
bool end_signals_ignore(int number);
