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

/*
 * Sets of CPUs in the kernel's mask form, "f" or "00000001,ffffffff": hexadecimal groups of 32 CPUs, the highest first.
 */

/* Room for the mask of CPU_SETSIZE CPUs and its end. */
#define CPU_MASK_TEXT_MAX (CPU_SETSIZE / 32 * 9 + 1)

enum {
        _CPU_MASK_E_SUCCESS,

        CPU_MASK_E_MALFORMED, /* not a mask, or an empty text */
        CPU_MASK_E_RANGE,     /* a CPU of CPU_SETSIZE or more */
};

/* Parses @text, which may end in a newline. Returns 0, E_MALFORMED, or E_RANGE. */
int cpu_mask_parse(const char *text, cpu_set_t *ret_set);

/* Writes @set into @buffer of CPU_MASK_TEXT_MAX bytes, without leading groups of zeros. */
void cpu_mask_format(const cpu_set_t *set, char *buffer);
