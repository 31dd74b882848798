/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/measurand.h"

#include <stddef.h>
#include <string.h>

#include "ctl/findings.h"
#include "ctl/json-path.h"

static const struct {
        const char *name;
        const char *words;
} measurands[_MEASURAND_N] = {
        [MEASURAND_UNTOLD] = { NULL, "of a result that does not tell" },
        [MEASURAND_UNKNOWN] = { "unknown", "alone or beside a neighbour" },
        [MEASURAND_ALONE] = { "alone", "alone" },
        [MEASURAND_SHARED] = { "shared", "beside a neighbour" },
        [MEASURAND_ALL] = { "all", "over all samples" },
};

Measurand measurand_of(const json_t *row) {
        const char *name = json_text_at(row, "measurand");

        for (Measurand i = 0; name && i < _MEASURAND_N; i++)
                if (measurands[i].name && strcmp(measurands[i].name, name) == 0)
                        return i;
        if (name)
                return MEASURAND_UNKNOWN;
        /* an older daemon has one finding for few samples alone and for none */
        return findings_has(row, "unfit-shared-core") ? MEASURAND_UNKNOWN : MEASURAND_UNTOLD;
}

bool measurands_are_alike(Measurand a, Measurand b) {
        if (a == MEASURAND_UNKNOWN || b == MEASURAND_UNKNOWN)
                return false;
        if (a == MEASURAND_UNTOLD)
                return b != MEASURAND_SHARED;
        return a == b || (b == MEASURAND_UNTOLD && a != MEASURAND_SHARED);
}

const char *measurand_name(Measurand measurand) {
        return measurands[measurand].name;
}

const char *measurand_words(Measurand measurand) {
        return measurands[measurand].words;
}
