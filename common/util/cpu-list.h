/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Sets of CPUs, and two forms that the kernel has for them: lists and masks.
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* The lowest CPU of @set; -1: it is empty. */
int cpu_set_first(const cpu_set_t *set);

/* Takes the CPUs of @other out of @set. */
void cpu_set_subtract(cpu_set_t *set, const cpu_set_t *other);

/* True if @a and @b have a CPU in common. */
bool cpu_sets_meet(const cpu_set_t *a, const cpu_set_t *b);

/* True if all CPUs of @part are in @whole. */
bool cpu_set_within(const cpu_set_t *part, const cpu_set_t *whole);

enum {
        _CPU_LIST_E_SUCCESS,

        CPU_LIST_E_MALFORMED, /* not a list of numbers and ranges in rising order */
        CPU_LIST_E_RANGE,     /* a CPU of CPU_SETSIZE or more */
};

/* Parses @text, a list as "0-3,7", which may end in a newline; empty text is the empty set. Returns 0, E_MALFORMED, or E_RANGE. */
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
