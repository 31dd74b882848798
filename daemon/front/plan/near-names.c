/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/near-names.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/nearest.h"

#define GLOB_CHARACTERS "*?[]!\\"

typedef struct NearName {
        const ListingEntry *entry;
        size_t distance;
} NearName;

/* The nearest so far, in order. */
typedef struct NearNames {
        NearName names[NEAR_NAMES_MAX];
        size_t n;
        size_t n_compared; /* pairs of characters */
} NearNames;

static void near_names_add(NearNames *near, const ListingEntry *entry, size_t distance) {
        size_t at = near->n;

        for (size_t i = 0; i < near->n; i++)
                if (near->names[i].entry == entry)
                        return;
        while (at > 0 && near->names[at - 1].distance > distance)
                at--;
        if (at == NEAR_NAMES_MAX)
                return;
        near->n += near->n < NEAR_NAMES_MAX;
        memmove(near->names + at + 1, near->names + at, (near->n - 1 - at) * sizeof *near->names);
        near->names[at] = (NearName){ entry, distance };
}

/* The letters of @filter without its glob characters and its arguments, as area/benchmark or one of them. */
static void word_of_filter(const char *filter, char word[static FILTER_BYTES_MAX]) {
        size_t n = 0;

        for (; *filter && n < FILTER_BYTES_MAX - 1; filter++)
                if (!strchr(GLOB_CHARACTERS, *filter))
                        word[n++] = *filter;
        word[n] = '\0';
        while (strchr(word, '=')) {
                char *slash = strrchr(word, '/');

                *(slash ? slash : word) = '\0';
        }
        for (n = strlen(word); n > 0 && word[n - 1] == '/'; n--)
                word[n - 1] = '\0';
}

/* The slips from @entry to @word, which names an area, a benchmark, a beginning or any part of one. */
static size_t entry_distance(const ListingEntry *entry, const char *word) {
        char path[2 * RUNNER_NAME_MAX];
        size_t distance, of_name;

        snprintf(path, sizeof path, "%s/%s", entry->area, entry->name);
        if (strcasestr(path, word))
                return 0;
        distance = nearest_distance_to_start(word, path);
        of_name = nearest_distance_to_start(word, entry->name);
        return of_name < distance ? of_name : distance;
}

static void near_names_find(NearNames *near, const ListingBlock *listing, const char *filter) {
        char word[FILTER_BYTES_MAX];

        if (*filter == '!')
                return;
        word_of_filter(filter, word);
        for (uint32_t i = 0; *word && i < listing->n_entries; i++) {
                size_t distance;

                near->n_compared += strlen(word) * 2 * RUNNER_NAME_MAX;
                if (near->n_compared > NEAR_NAMES_COMPARED_MAX)
                        return;
                distance = entry_distance(&listing->entries[i], word);
                if (nearest_is_likely(word, distance))
                        near_names_add(near, &listing->entries[i], distance);
        }
}

size_t near_names_write(const ListingBlock *listing, const FilterList *words, const char *prefix,
                char ret_text[static NEAR_NAMES_TEXT_MAX]) {
        NearNames near = {};
        size_t n = 0;

        for (size_t i = 0; i < words->n_filters; i++)
                near_names_find(&near, listing, words->filters[i]);
        ret_text[0] = '\0';
        for (size_t i = 0; i < near.n; i++) {
                const ListingEntry *entry = near.names[i].entry;
                int length = snprintf(ret_text + n, NEAR_NAMES_TEXT_MAX - n, "%s%s%s/%s", i > 0 ? ", " : "", prefix,
                                entry->area, entry->name);

                if ((size_t)length >= NEAR_NAMES_TEXT_MAX - n) {
                        ret_text[n] = '\0'; /* names that do not fit whole are left out */
                        return i;
                }
                n += (size_t)length;
        }
        return near.n;
}
