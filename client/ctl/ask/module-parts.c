/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/module-parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ask/compile.h"
#include "util/cleanup.h"
#include "util/error.h"

#define NAME_BYTES_MAX 255u /* that a module's name may have in a request */

static int parts_append(ModuleParts *parts, const char *path, size_t n) {
        char **paths = reallocarray(parts->paths, parts->n + 1, sizeof *paths);

        if (!paths)
                return error_origin(-ENOMEM);
        parts->paths = paths;
        paths[parts->n] = strndup(path, n);
        return paths[parts->n++] ? 0 : error_origin(-ENOMEM);
}

/* Splits @word at its commas. */
static int parts_split(ModuleParts *parts, const char *word) {
        int r = 0;

        for (size_t n = 0; r == 0; word += n + 1) {
                n = strcspn(word, ",");
                r = parts_append(parts, word, n);
                if (word[n] == '\0')
                        break;
        }
        return error_trace(r);
}

static bool parts_are_built(const ModuleParts *parts) {
        for (size_t i = 0; i < parts->n; i++)
                if (!compile_takes(parts->paths[i]))
                        return false;
        return true;
}

bool module_parts_are_built(const char *word) {
        _cleanup_(module_parts_clear) ModuleParts parts = {};

        if (access(word, F_OK) == 0 || !strchr(word, ','))
                return compile_takes(word);
        return parts_split(&parts, word) == 0 && parts_are_built(&parts);
}

int module_parts_add(ModuleParts *parts, const char *word) {
        if (access(word, F_OK) == 0 || !module_parts_are_built(word))
                return error_trace(parts_append(parts, word, strlen(word)));
        return error_trace(parts_split(parts, word));
}

void module_parts_clear(ModuleParts *parts) {
        for (size_t i = 0; i < parts->n; i++)
                free(parts->paths[i]);
        free(parts->paths);
        *parts = (ModuleParts){};
}

char *module_parts_name(const ModuleParts *parts) {
        static const char rest[] = ",...";
        char *name = strdup(parts->paths[0]);

        for (size_t i = 1; name && i < parts->n; i++) {
                _cleanup_(freep) char *before = name;
                const bool fits = strlen(name) + 1 + strlen(parts->paths[i]) + strlen(rest) <= NAME_BYTES_MAX;

                if (asprintf(&name, "%s%s%s", before, fits ? "," : rest, fits ? parts->paths[i] : "") < 0)
                        name = NULL;
                if (!fits)
                        break;
        }
        return name;
}
