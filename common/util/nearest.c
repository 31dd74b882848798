/* SPDX-License-Identifier: MIT */
#include "util/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define ROW_MAX (NEAREST_WORD_MAX + 1u)

static size_t least(size_t a, size_t b) {
        return a < b ? a : b;
}

static bool are_alike(char a, char b) {
        return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Fills @now with the edits from each beginning of @name to the first @i characters of @word, from the two rows before. */
static void distance_row(const char *word, size_t i, const char *name, size_t n_name, const size_t *earlier,
                const size_t *before, size_t *now) {
        now[0] = i;
        for (size_t j = 1; j <= n_name; j++) {
                size_t replaced = before[j - 1] + !are_alike(word[i - 1], name[j - 1]);

                now[j] = least(replaced, least(before[j], now[j - 1]) + 1);
                if (i > 1 && j > 1 && are_alike(word[i - 1], name[j - 2]) && are_alike(word[i - 2], name[j - 1]))
                        now[j] = least(now[j], earlier[j - 2] + 1);
        }
}

/* Fills @last with the edits from each beginning of @name to @word. Returns the length of @name, SIZE_MAX if too long. */
static size_t distance_last_row(const char *word, const char *name, size_t last[static ROW_MAX]) {
        const size_t n_word = strlen(word), n_name = strlen(name);
        size_t earlier[ROW_MAX] = {}, before[ROW_MAX] = {};

        if (n_word > NEAREST_WORD_MAX || n_name > NEAREST_WORD_MAX)
                return SIZE_MAX;
        for (size_t j = 0; j <= n_name; j++)
                last[j] = j;
        for (size_t i = 1; i <= n_word; i++) {
                memcpy(earlier, before, (n_name + 1) * sizeof *earlier);
                memcpy(before, last, (n_name + 1) * sizeof *before);
                distance_row(word, i, name, n_name, earlier, before, last);
        }
        return n_name;
}

size_t nearest_distance(const char *word, const char *name) {
        size_t last[ROW_MAX] = {}, n = distance_last_row(word, name, last);

        return n == SIZE_MAX ? SIZE_MAX : last[n];
}

size_t nearest_distance_to_start(const char *word, const char *name) {
        size_t last[ROW_MAX] = {}, n = distance_last_row(word, name, last), distance = SIZE_MAX;

        for (size_t j = 0; n != SIZE_MAX && j <= n; j++)
                distance = least(distance, last[j]);
        return distance;
}

bool nearest_is_likely(const char *word, size_t distance) {
        size_t n = strlen(word);

        return distance <= (n < 5 ? 1 : (n + 1) / 3) && distance < n;
}

void nearest_offer(Nearest *nearest, const char *name) {
        size_t distance = nearest_distance(nearest->word, name);

        if (!nearest_is_likely(nearest->word, distance) || (nearest->name && distance >= nearest->distance))
                return;
        nearest->name = name;
        nearest->distance = distance;
}
