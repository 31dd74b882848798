/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/json-path.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define STEP_MAX 64u

static bool is_index(const char *step) {
        return *step && step[strspn(step, "0123456789")] == '\0';
}

const json_t *json_at(const json_t *json, const char *path) {
        while (json && *path) {
                size_t n = strcspn(path, ".");
                char step[STEP_MAX];

                if (n >= sizeof step)
                        return NULL;
                memcpy(step, path, n);
                step[n] = '\0';
                json = is_index(step) ? json_array_get(json, strtoul(step, NULL, 10)) : json_object_get(json, step);
                path += n + (path[n] == '.');
        }
        return json_is_null(json) ? NULL : json;
}

const char *json_text_at(const json_t *json, const char *path) {
        const char *text = json_string_value(json_at(json, path));

        return text && *text ? text : NULL;
}

const char *json_text_or(const json_t *json, const char *path, const char *otherwise) {
        const char *text = json_text_at(json, path);

        return text ? text : otherwise;
}

bool json_text_is(const json_t *json, const char *path, const char *text) {
        const char *own = json_text_at(json, path);

        return own && strcmp(own, text) == 0;
}

bool json_number_at(const json_t *json, const char *path, double *ret_number) {
        const json_t *number = json_at(json, path);

        if (!json_is_number(number))
                return false;
        *ret_number = json_number_value(number);
        return true;
}

double json_number_or(const json_t *json, const char *path, double otherwise) {
        double number = otherwise;

        (void)json_number_at(json, path, &number);
        return number;
}

bool json_flag_at(const json_t *json, const char *path) {
        return json_is_true(json_at(json, path));
}

bool json_is_same(const json_t *a, const json_t *b, const char *path) {
        const json_t *left = json_at(a, path), *right = json_at(b, path);

        return left == right || json_equal(left, right);
}

const json_t *json_find(const json_t *array, const char *path, const char *text) {
        const json_t *value;

        json_each(i, value, array) {
                if (json_text_is(value, path, text))
                        return value;
        }
        return NULL;
}

json_t *json_pick(const json_t *from, const char *name, ...) {
        json_t *picked = json_object();
        va_list names;
        bool whole = picked;

        va_start(names, name);
        for (; name; name = va_arg(names, const char *)) {
                json_t *value = json_object_get(from, name);

                whole = whole && json_object_set_new(picked, name, value ? json_incref(value) : json_null()) == 0;
        }
        va_end(names);
        if (whole)
                return picked;
        json_decref(picked);
        return NULL;
}

json_t *json_join(json_t *object, json_t *more) {
        const bool whole = object && more && json_object_update(object, more) == 0;

        json_decref(more);
        if (whole)
                return object;
        json_decref(object);
        return NULL;
}
