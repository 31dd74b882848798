/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Arguments or values of one option, in the order in which they were typed; they stay argv's.
 */

#include <stddef.h>

typedef struct SettingsWords {
        const char **words;
        size_t n;
} SettingsWords;
