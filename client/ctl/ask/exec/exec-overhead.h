/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The time that starting takes, measured as a run of a command is, in the process that runs it: the shell with an empty script, which is
 * taken off each run of a script, and an empty program, which is told only.
 */

#include <stdint.h>

#include "exec/exec-wire.h"

typedef struct ExecCommand ExecCommand;
typedef struct ExecFiles ExecFiles;

/* A mean over all processes that measured it; {} is empty. Shared by them. */
typedef struct ExecMean {
        uint64_t sum_ns;
        uint64_t n;
} ExecMean;

/* Measures the empty script @shell (NULL: none) into @shell_mean, and an empty program into @start_mean. */
void exec_overhead_measure(const ExecCommand *shell, const ExecFiles *files, char *const *environment,
                ExecMean *shell_mean, ExecMean *start_mean);

/* 0 if nothing was measured. */
double exec_mean_ns(const ExecMean *mean);
