/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Sets of CPUs in the kernel's list form, "0-3,7": read and written.
 */

#include <sched.h>
#include <stddef.h>

enum {
        _CPU_LIST_E_SUCCESS,

        CPU_LIST_E_MALFORMED, /* not a list of numbers and ranges in rising order */
        CPU_LIST_E_RANGE,     /* a CPU of CPU_SETSIZE or more */
};

/* Parses @text, which may end in a newline; empty text is the empty set. Returns 0, E_MALFORMED, or E_RANGE. */
int cpu_list_parse(const char *text, cpu_set_t *ret_set);

/* Writes @set into @buffer as a list, cut at @n_buffer bytes with its end. Returns the length of the whole. */
size_t cpu_list_format(const cpu_set_t *set, char *buffer, size_t n_buffer);
