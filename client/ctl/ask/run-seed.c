/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/run-seed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/random.h>

#include "ctl/model/settings.h"
#include "util/error.h"

int run_seed(const Settings *settings, uint64_t *ret_seed) {
        static uint64_t drawn;
        static bool is_drawn;
        const char *typed = settings_given(settings, "seed");

        if (!typed && !is_drawn && getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
                return error_origin(-errno);
        is_drawn |= !typed;
        *ret_seed = typed ? strtoull(typed, NULL, 10) & INT64_MAX : drawn >> 11;
        return 0;
}
