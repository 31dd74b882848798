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

static json_t *copy_string(const json_t *json, void (*clean)(char *text)) {
        _cleanup_(freep) char *text = strdup(json_string_value(json));

        if (!text)
                return NULL;
        clean(text);
        return json_string(text);
}

static json_t *copy(const json_t *json);

static json_t *copy_array(const json_t *json) {
        _cleanup_(json_decrefp) json_t *array = json_array();

        for (size_t i = 0; array && i < json_array_size(json); i++)
                if (json_array_append_new(array, copy(json_array_get(json, i))) < 0)
                        return NULL;
        return take_pointer(array);
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
static json_t *copy_member(const char *key, const json_t *json) {
        for (size_t i = 0; i < N_ELEMENTS(members); i++)
                if (json_is_string(json) && strcmp(key, members[i].key) == 0)
                        return copy_string(json, members[i].clean);
        return copy(json);
}

static json_t *copy_object(const json_t *json) {
        _cleanup_(json_decrefp) json_t *object = json_object();
        const char *key;
        json_t *value;

        json_object_foreach((json_t *)json, key, value) {
                _cleanup_(freep) char *name = strdup(key);

                if (!object || !name)
                        return NULL;
                printable_text(name);
                if (json_object_set_new(object, name, copy_member(key, value)) < 0)
                        return NULL;
        }
        return take_pointer(object);
}

static json_t *copy(const json_t *json) {
        if (json_is_object(json))
                return copy_object(json);
        if (json_is_array(json))
                return copy_array(json);
        if (json_is_string(json))
                return copy_string(json, printable_text);
        return json_incref((json_t *)json);
}

int printable_json(const json_t *json, json_t **ret_json) {
        json_t *made = copy(json);

        if (!made)
                return error_origin(-ENOMEM);
        *ret_json = made;
        return 0;
}
