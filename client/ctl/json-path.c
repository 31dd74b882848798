/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/json-path.h"

#include <jansson.h>
#include <string.h>

#define STEP_MAX 64u

const json_t *json_at(const json_t *json, const char *path) {
        while (json && *path) {
                size_t n = strcspn(path, ".");
                char step[STEP_MAX];

                if (n >= sizeof step)
                        return NULL;
                memcpy(step, path, n);
                step[n] = '\0';
                json = json_object_get(json, step);
                path += n + (path[n] == '.');
        }
        return json_is_null(json) ? NULL : json;
}

const char *json_text_at(const json_t *json, const char *path) {
        const char *text = json_string_value(json_at(json, path));

        return text && *text ? text : NULL;
}

bool json_number_at(const json_t *json, const char *path, double *ret_number) {
        const json_t *number = json_at(json, path);

        if (!json_is_number(number))
                return false;
        *ret_number = json_number_value(number);
        return true;
}

bool json_flag_at(const json_t *json, const char *path) {
        return json_is_true(json_at(json, path));
}
