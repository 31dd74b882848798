/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/standing.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"

bool standing_read(const json_t *standing, Standing *ret_standing) {
        double turns = 0, own = 0, rest_ns;

        if (json_number_at(standing, "rest_ns", &rest_ns)) {
                *ret_standing = (Standing){ .rests = true, .rest_ns = rest_ns };
                return true;
        }
        if (!json_number_at(standing, "turns_before", &turns))
                return false;
        *ret_standing = (Standing){ .turns_before = turns, .over_budget = json_flag_at(standing, "over_budget") };
        ret_standing->known = json_number_at(standing, "wait_ns", &ret_standing->wait_ns);
        if (json_number_at(standing, "own_before", &own))
                ret_standing->own_before = own;
        return true;
}

/* Writes what it waits for; nothing if it comes next. */
static void print_before(const Standing *standing, char text[static STANDING_TEXT_MAX]) {
        char count[UNIT_TEXT_MAX];

        if (standing->own_before > 0)
                snprintf(text, STANDING_TEXT_MAX, ", after %s of this user's jobs",
                                unit_count(standing->own_before, count));
        else if (standing->turns_before == 1)
                snprintf(text, STANDING_TEXT_MAX, ", after 1 other's turn");
        else if (standing->turns_before > 0)
                snprintf(text, STANDING_TEXT_MAX, ", after %s others' turns",
                                unit_count(standing->turns_before, count));
}

const char *standing_words(const Standing *standing, char text[static STANDING_TEXT_MAX]) {
        char wait[UNIT_TEXT_MAX], before[STANDING_TEXT_MAX] = "";

        if (standing->rests) {
                snprintf(text, STANDING_TEXT_MAX, "%s until its next part", unit_wait(standing->rest_ns, wait));
                return text;
        }
        if (standing->own_before + standing->turns_before == 0)
                return strcpy(text, "next");
        print_before(standing, before);
        snprintf(text, STANDING_TEXT_MAX, "%s%s%.80s%s", standing->known ? "about " : "time unknown",
                        standing->known ? unit_wait(standing->wait_ns, wait) : "", before,
                        standing->over_budget ? " (core time used up)" : "");
        return text;
}
