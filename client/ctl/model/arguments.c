/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/arguments.h"

#include "ctl/model/result.h"

void arguments_print_value(const json_t *value, FILE *out) {
        if (json_is_string(value))
                fputs(json_string_value(value), out);
        else if (json_is_real(value))
                fprintf(out, JSON_NUMBER, json_real_value(value));
        else
                fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

void arguments_print(const json_t *row, FILE *out) {
        const char *name;
        json_t *value;

        row_each_argument(name, value, row) {
                fprintf(out, " %s=", name);
                arguments_print_value(value, out);
        }
}
