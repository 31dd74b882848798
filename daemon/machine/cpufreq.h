/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The policies of cpufreq: which CPUs change their frequency together, and where their files are.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct RootDir RootDir;

#define CPUFREQ_POLICIES_MAX 1024u
#define CPUFREQ_PATH_MAX     128u
#define CPUFREQ_TEXT_MAX     256u /* bytes of a list of governors or preferences */

/*
 * Finds the policies of @cpus: their numbers into @numbers of CPUFREQ_POLICIES_MAX, rising. None without cpufreq, as in
 * most virtual machines. Returns 0 or a negative errno.
 */
int cpufreq_policies(RootDir *root, const cpu_set_t *cpus, unsigned *numbers, size_t *ret_n);

/* Writes the path of the file @name of policy @number into @path of CPUFREQ_PATH_MAX bytes. Returns it. */
const char *cpufreq_path(unsigned number, const char *name, char *path);

/* Reads that file into @text of CPUFREQ_TEXT_MAX bytes; empty if there is none. Returns 0 or a negative errno. */
int cpufreq_read(RootDir *root, unsigned number, const char *name, char *text);

/* True if @word is one of @words, which blanks separate. */
bool cpufreq_list_has(const char *words, const char *word);
