/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Verbs of the command line, one row each.
 */

#include <stddef.h>

#include "ctl/model/verb.h"

/* Returns NULL past the last. */
const Verb *verb_at(size_t index);

/* Returns NULL if no verb has that name. */
const Verb *verb_find(const char *name);

/* Finds the verb that @word names, or that alone begins with it. Returns NULL if there is none or several begin so. */
const Verb *verb_find_typed(const char *word);

/* True if @verb takes an option for verbs with one of @traits; NULL: if every verb that answers does. */
bool verb_takes(const Verb *verb, unsigned traits);
