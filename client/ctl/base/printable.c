/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/printable.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"

/* The second byte of U+0080 to U+009F, which are control characters too. */
static bool is_c1(const unsigned char *text) {
        return text[0] == 0xc2 && text[1] >= 0x80 && text[1] <= 0x9f;
}

void printable_text(char *text) {
        for (unsigned char *c = (unsigned char *)text; *c; c++) {
                if (strchr("\t\n\v\f\r", *c))
                        *c = ' ';
                else if (*c < 0x20 || *c == 0x7f)
                        *c = '?';
                else if (is_c1(c))
                        c[0] = c[1] = '?';
        }
}

/* Makes what lies between the characters @kept printable. */
static void clean_between(char *text, const char *kept) {
        for (char *next = text; next; text = next) {
                char separator;

                next = strpbrk(text, kept);
                separator = next ? *next : '\0';
                if (next)
                        *next = '\0';
                printable_text(text);
                if (next)
                        *next++ = separator;
        }
}

void printable_lines(char *text) {
        clean_between(text, "\n");
}

void printable_code(char *text) {
        clean_between(text, "\n\t");
}

/* Each of these returns a new reference to @json itself where nothing of it changes; NULL if memory ran out. */

static json_t *clean_string(json_t *json, void (*clean)(char *text)) {
        _cleanup_(freep) char *text = strdup(json_string_value(json));

        if (!text)
                return NULL;
        clean(text);
        return strcmp(text, json_string_value(json)) == 0 ? json_incref(json) : json_string(text);
}

static json_t *clean_value(json_t *json);

static json_t *clean_array(json_t *json) {
        _cleanup_(json_decrefp) json_t *array = json_array();
        bool changed = false;

        for (size_t i = 0; i < json_array_size(json); i++) {
                json_t *value = clean_value(json_array_get(json, i));

                changed |= value != json_array_get(json, i);
                if (json_array_append_new(array, value) < 0)
                        return NULL;
        }
        return changed ? take_pointer(array) : json_incref(json);
}

/* Members of several lines. */
static const struct {
        const char *key;
        void (*clean)(char *text);
} members[] = {
        { "output", printable_lines },
        { "source", printable_code },
};

/* A member of an object, called @key. */
static json_t *clean_member(const char *key, json_t *json) {
        for (size_t i = 0; i < N_ELEMENTS(members); i++)
                if (json_is_string(json) && strcmp(key, members[i].key) == 0)
                        return clean_string(json, members[i].clean);
        return clean_value(json);
}

static json_t *clean_object(json_t *json) {
        _cleanup_(json_decrefp) json_t *object = json_object();
        bool changed = false;
        const char *key;
        json_t *value;

        json_object_foreach(json, key, value) {
                _cleanup_(freep) char *name = strdup(key);
                json_t *cleaned = name ? clean_member(key, value) : NULL;

                if (!cleaned)
                        return NULL;
                printable_text(name);
                changed |= cleaned != value || strcmp(name, key) != 0;
                if (json_object_set_new(object, name, cleaned) < 0)
                        return NULL;
        }
        return changed ? take_pointer(object) : json_incref(json);
}

static json_t *clean_value(json_t *json) {
        if (json_is_object(json))
                return clean_object(json);
        if (json_is_array(json))
                return clean_array(json);
        if (json_is_string(json))
                return clean_string(json, printable_text);
        return json_incref(json);
}

int printable_json(const json_t *json, json_t **ret_json) {
        json_t *cleaned = clean_value((json_t *)json);

        if (!cleaned)
                return error_origin(-ENOMEM);
        *ret_json = cleaned;
        return 0;
}
