/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/reference.h"

#include <stdio.h>
#include <string.h>

#include "ops/filter.h"

/* The sets of arguments of one benchmark that a name may mean: so many, one after the other. */
typedef struct Meant {
        Arguments first;
        size_t n;
} Meant;

/* The rest of @text after @part, if @part is all of it or a slash follows; else NULL. */
static const char *skip_part(const char *text, const char *part) {
        const size_t n = strlen(part);

        return strncmp(text, part, n) == 0 && (text[n] == '\0' || text[n] == '/') ? text + n : NULL;
}

/* The rest of @text after "/arg=value" of @axis, with the index of the value; NULL if it does not begin with that. */
static const char *skip_argument(const char *text, const ListingAxis *axis, size_t n_values, size_t *ret_index) {
        for (size_t i = 0; *text == '/' && i < n_values; i++) {
                const ArgumentValue value = arguments_axis_value(axis, i);
                char part[RUNNER_NAME_MAX + 1 + ARGUMENT_TEXT_MAX], words[ARGUMENT_TEXT_MAX];
                const char *rest;

                snprintf(part, sizeof part, "%s=%s", axis->name, argument_print(&value, words));
                rest = skip_part(text + 1, part);
                if (!rest)
                        continue;
                *ret_index = i;
                return rest;
        }
        return NULL;
}

/* The rest of @given after the name of @entry, with or without its area; NULL if it names another. */
static const char *skip_name(const char *given, const ListingEntry *entry) {
        const char *rest = skip_part(given, entry->area);

        rest = rest && *rest == '/' ? skip_part(rest + 1, entry->name) : NULL;
        return rest ? rest : skip_part(given, entry->name);
}

/* Finds the sets of @entry that @given means. An area alone names no benchmark. Returns how many. */
static size_t meant_find(const char *given, const ListingEntry *entry, Meant *ret_meant) {
        const char *rest = *given ? skip_name(given, entry) : "";

        Arguments first;
        size_t n;

        *ret_meant = (Meant){};
        if (!rest || (!*given && !entry->reference))
                return 0;
        arguments_init(&first, entry);
        n = arguments_count(&first);
        for (uint32_t i = 0; *rest && i < entry->n_axes; i++) {
                rest = skip_argument(rest, &entry->axes[i], first.n_values[i], &first.at[i]);
                if (!rest)
                        return 0;
                n /= first.n_values[i];
        }
        if (*rest)
                return 0;
        *ret_meant = (Meant){ first, n };
        return n;
}

size_t reference_find(const ListingBlock *listing, const char *given, Reference *ret_reference) {
        Reference first = {};
        size_t n = 0;

        for (uint32_t i = 0; i < listing->n_entries; i++) {
                Meant meant;

                n += meant_find(given, &listing->entries[i], &meant);
                if (meant.n > 0 && !first.entry)
                        first = (Reference){ &listing->entries[i], arguments_index(&meant.first) };
        }
        *ret_reference = first;
        return n;
}

bool reference_is(const Reference *reference, const Arguments *at) {
        return reference->entry == at->entry && reference->set == arguments_index(at);
}

/* Appends the name of @at to the @n bytes of @text. Returns its new length; 0 if the name does not fit whole and was left out. */
static size_t append_name(const Arguments *at, char text[static REFERENCE_NAMES_MAX], size_t n) {
        ArgumentValue args[RUNNER_ARGS_MAX];
        char path[FILTER_PATH_MAX];
        int length;

        arguments_get(at, args);
        filter_path(at->entry, args, path);
        length = snprintf(text + n, REFERENCE_NAMES_MAX - n, "%s%s", n > 0 ? ", " : "", path);
        if ((size_t)length < REFERENCE_NAMES_MAX - n)
                return n + (size_t)length;
        text[n] = '\0';
        return 0;
}

const char *reference_write_names(const ListingBlock *listing, const char *given,
                char ret_text[static REFERENCE_NAMES_MAX]) {
        size_t n = 0;

        ret_text[0] = '\0';
        for (uint32_t i = 0; i < listing->n_entries; i++) {
                Meant meant;

                (void)meant_find(given, &listing->entries[i], &meant);
                for (; meant.n > 0; meant.n--) {
                        n = append_name(&meant.first, ret_text, n);
                        if (n == 0)
                                return ret_text;
                        (void)arguments_step(&meant.first);
                }
        }
        return ret_text;
}
