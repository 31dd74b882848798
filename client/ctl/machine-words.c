/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/machine-words.h"

#include <jansson.h>
#include <string.h>

#include "ctl/json-path.h"
#include "util/amount.h"

void machine_words_model(const json_t *json, const char *path, FILE *out) {
        const json_t *cpu = json_at(json, path);
        double family, model, stepping;

        if (json_number_at(cpu, "family", &family) && json_number_at(cpu, "model", &model) &&
                        json_number_at(cpu, "stepping", &stepping))
                fprintf(out, "family %.0f, model %.0f, stepping %.0f", family, model, stepping);
}

static void print_bytes(double bytes, FILE *out) {
        char text[AMOUNT_TEXT_MAX];

        fputs(amount_bytes(bytes, 3, text), out);
}

void machine_words_caches(const json_t *json, const char *path, FILE *out) {
        const json_t *cache;

        json_each(i, cache, json_at(json, path)) {
                const char *kind = json_text_at(cache, "kind");
                double level, bytes;

                if (!json_number_at(cache, "level", &level) || !json_number_at(cache, "size_bytes", &bytes))
                        continue;
                fprintf(out, "%sL%.0f%s%s ", i ? ", " : "", level, kind && strcmp(kind, "unified") != 0 ? " " : "",
                                kind && strcmp(kind, "unified") != 0 ? kind : "");
                print_bytes(bytes, out);
        }
}

void machine_words_count(const json_t *json, const char *path, FILE *out) {
        double count;

        if (json_number_at(json, path, &count))
                fprintf(out, "%.0f", count);
}

void machine_words_memory(const json_t *json, const char *path, FILE *out) {
        double bytes;

        if (json_number_at(json, path, &bytes))
                print_bytes(bytes, out);
}
