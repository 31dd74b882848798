/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/preloaded.h"

#include <stdbool.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "util/cleanup.h"

/* The name of the library at @index of @module if it was preloaded, else NULL; preloaded libraries come first. */
static const char *preloaded_at(const json_t *module, size_t index) {
        const json_t *library = json_array_get(json_at(module, "libraries"), index);
        const char *name = json_text_at(library, "name");

        return json_is_true(json_at(library, "preloaded")) && name ? name : NULL;
}

static bool are_same(const json_t *a, const json_t *b) {
        size_t i = 0;

        while (preloaded_at(a, i) && preloaded_at(b, i) && strcmp(preloaded_at(a, i), preloaded_at(b, i)) == 0)
                i++;
        return !preloaded_at(a, i) && !preloaded_at(b, i);
}

static void print_module(const json_t *module, FILE *out) {
        for (size_t i = 0; preloaded_at(module, i); i++)
                fprintf(out, "%s%s", i == 0 ? "" : ", ", preloaded_at(module, i));
        fputs(preloaded_at(module, 0) ? "" : "none", out);
}

void preloaded_print_always(const json_t *result, const char *path, FILE *out) {
        const json_t *new = json_at(result, "module"), *old = json_at(result, "old_module");

        if (json_text_at(old, "name") && !are_same(old, new)) {
                print_module(old, out);
                fputs(" against ", out);
        }
        print_module(new, out);
}

void preloaded_print(const json_t *result, const char *path, FILE *out) {
        if (preloaded_at(json_at(result, "module"), 0) || preloaded_at(json_at(result, "old_module"), 0))
                preloaded_print_always(result, path, out);
}
