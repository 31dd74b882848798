/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The standing of a job in the daemon's queue in words: "about 12 s, after 2 others' turns"; or of one that is in no queue, since its next part
 * is not due: "3 min until its next part".
 */

#include <stdbool.h>

typedef struct json_t json_t;

#define STANDING_TEXT_MAX 160u

typedef struct Standing {
        bool known; /* the waiting time is known */
        double wait_ns;
        unsigned turns_before;
        unsigned own_before; /* earlier jobs of the same user */
        bool over_budget;
        bool rests; /* it is in no queue: rest_ns is left */
        double rest_ns;
} Standing;

/* Reads the object @standing of a reply; false if it is missing. */
bool standing_read(const json_t *standing, Standing *ret_standing);

/* Writes the words into @text and returns it. */
const char *standing_words(const Standing *standing, char text[static STANDING_TEXT_MAX]);
