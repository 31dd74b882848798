/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show.h"

#include <string.h>

#include "util/cleanup.h"

static const ShowFormat formats[] = {
        { "table", show_table },
        { "json", show_json },
        { "csv", NULL },
        { "html", NULL },
        { "gnuplot", NULL },
        { "mark", show_mark },
        { "markdown", NULL },
        { "gbench", NULL },
        { "go", NULL },
        { "bmf", NULL },
};

const ShowFormat *show_find(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(formats); i++)
                if (strcmp(formats[i].name, name) == 0)
                        return &formats[i];
        return NULL;
}
