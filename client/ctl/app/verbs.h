/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Verbs of the command line, one row each.
 */

#include <stddef.h>

#include "ctl/model/verb.h"

/* The verbs in the table's order; NULL past the last. */
const Verb *verb_at(size_t index);

/* Finds a verb by name; NULL if there is none. */
const Verb *verb_find(const char *name);

/*
 * Finds the verb named @word, or the only one that begins with @word; NULL if there is none, or several begin with it.
 */
const Verb *verb_find_typed(const char *word);

/*
 * True if @verb takes an option for verbs with one of @traits. With @verb NULL: true if every verb that prints an
 * answer does.
 */
bool verb_takes(const Verb *verb, unsigned traits);
