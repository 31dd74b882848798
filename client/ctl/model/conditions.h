/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The conditions in which two results differ, in words. Those that count stand in words/condition.h, and each control counts too. Pure.
 */

typedef struct json_t json_t;

/* The two results: an earlier one and this one, or two that stand side by side. */
typedef enum ConditionsPair {
        CONDITIONS_THEN_AND_NOW,
        CONDITIONS_A_AND_B,
        _CONDITIONS_PAIR_N,
} ConditionsPair;

/*
 * Makes an array of clauses, one for each condition that differs: "the kernel was A and is B", or "the kernel is A in A and B in B". Returns 0
 * or a negative errno.
 */
int conditions_compare(const json_t *first, const json_t *second, ConditionsPair pair, json_t **ret_clauses);

/*
 * The remedy against that one difference, where one of the two was measured while another daemon held the machine's settings, and the other was not: a sentence. NULL:
 * waiting does not help.
 */
const char *conditions_remedy(const json_t *first, const json_t *second, ConditionsPair pair);

/*
 * All that the functions above read of @result, for when the rest of it is not kept. Returns NULL if memory ran out.
 */
json_t *conditions_of(const json_t *result);
