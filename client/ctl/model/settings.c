/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/settings.h"

#include <string.h>

const char *settings_given(const Settings *settings, const char *name) {
        const char *value = NULL;

        for (size_t i = 0; i < settings->n_given; i++)
                if (strcmp(settings->given[i].name, name) == 0)
                        value = settings->given[i].value ? settings->given[i].value : "";
        return value;
}
