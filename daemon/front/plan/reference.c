/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/reference.h"

#include <stdio.h>
#include <string.h>

#include "ops/arguments.h"

/* True if @path is @given, or goes on after it with arguments. */
static bool path_begins_with(const char *path, const char *given) {
        const size_t n = strlen(given);

        return strncmp(path, given, n) == 0 && (path[n] == '\0' || (path[n] == '/' && strchr(path + n, '=')));
}

/* An area alone names no benchmark, even one without arguments. */
static bool is_meant(const char *given, const ListingEntry *entry, const ArgumentValue *args) {
        char path[FILTER_PATH_MAX];

        if (!*given)
                return entry->reference != 0;
        filter_path(entry, args, path);
        return path_begins_with(path + strlen(entry->area) + 1, given) ||
               (strlen(given) > strlen(entry->area) && path_begins_with(path, given));
}

/* A walk over all sets of arguments of all benchmarks that a name may mean. */
typedef struct Meant {
        const ListingBlock *listing;
        const char *given;
        uint32_t next; /* entry */
        bool inside;   /* the entry before it has more sets */
        Arguments arguments;
} Meant;

static bool meant_next(Meant *meant, Reference *ret_reference) {
        for (;;) {
                Reference found;

                if (!meant->inside && meant->next == meant->listing->n_entries)
                        return false;
                if (!meant->inside)
                        arguments_init(&meant->arguments, &meant->listing->entries[meant->next++]);
                found.entry = meant->arguments.entry;
                arguments_get(&meant->arguments, found.args);
                meant->inside = arguments_step(&meant->arguments);
                if (!is_meant(meant->given, found.entry, found.args))
                        continue;
                *ret_reference = found;
                return true;
        }
}

size_t reference_find(const ListingBlock *listing, const char *given, Reference *ret_reference) {
        Meant meant = { .listing = listing, .given = given };
        Reference first = {}, found;
        size_t n = 0;

        while (meant_next(&meant, &found))
                if (n++ == 0)
                        first = found;
        *ret_reference = first;
        return n;
}

bool reference_is(const Reference *reference, const ListingEntry *entry, const ArgumentValue *args) {
        return reference->entry == entry && memcmp(reference->args, args, entry->n_axes * sizeof *args) == 0;
}

const char *reference_write_names(const ListingBlock *listing, const char *given,
                char ret_text[static REFERENCE_NAMES_MAX]) {
        Meant meant = { .listing = listing, .given = given };
        Reference found;
        size_t n = 0;

        ret_text[0] = '\0';
        while (meant_next(&meant, &found)) {
                char path[FILTER_PATH_MAX];
                int length;

                filter_path(found.entry, found.args, path);
                length = snprintf(ret_text + n, REFERENCE_NAMES_MAX - n, "%s%s", n > 0 ? ", " : "", path);
                if ((size_t)length >= REFERENCE_NAMES_MAX - n) {
                        ret_text[n] = '\0'; /* a name that does not fit whole is left out */
                        break;
                }
                n += (size_t)length;
        }
        return ret_text;
}
