/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/footnotes.h"

#include <string.h>

size_t footnotes_add(Footnotes *footnotes, const char *text) {
        for (size_t i = 0; i < footnotes->n; i++)
                if (strcmp(footnotes->texts[i], text) == 0)
                        return i + 1;
        if (footnotes->n == FOOTNOTES_MAX)
                return 0;
        footnotes->texts[footnotes->n++] = text;
        return footnotes->n;
}

void footnotes_print(const Footnotes *footnotes, FILE *out) {
        for (size_t i = 0; i < footnotes->n; i++)
                fprintf(out, "(%zu) %s\n", i + 1, footnotes->texts[i]);
}
