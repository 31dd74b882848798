/* SPDX-License-Identifier: MIT */
#include "lib/number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT_BYTES_MAX 32u
#define BYTES_DIGITS_MAX  32u

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

bool number_read_whole(const char *text, uint64_t *ret_number) {
        unsigned long long number;
        char *end;

        if (!is_digit(text[0]))
                return false;
        errno = 0;
        number = strtoull(text, &end, 10);
        if (*end || errno || number > INT64_MAX)
                return false;
        *ret_number = number;
        return true;
}

bool number_read_decimal(const char *text, double *ret_number) {
        double value = 0, weight = 1;
        bool point = false;

        if (!is_digit(text[0]))
                return false;
        for (; *text; text++) {
                if (*text == '.' && !point && is_digit(text[1])) {
                        point = true;
                        continue;
                }
                if (!is_digit(*text))
                        return false;
                value = value * 10 + (*text - '0');
                weight = point ? weight * 10 : weight;
        }
        *ret_number = value / weight;
        return true;
}

bool number_read_percent(const char *text, double *ret_number) {
        char digits[PERCENT_BYTES_MAX];
        size_t n = strlen(text);

        n -= n > 0 && text[n - 1] == '%';
        if (n >= sizeof digits)
                return false;
        snprintf(digits, sizeof digits, "%.*s", (int)n, text);
        return number_read_decimal(digits, ret_number);
}

bool number_read_bytes(const char *text, uint64_t *ret_bytes) {
        static const char letters[] = "KMGT";
        const size_t n = strlen(text);
        const char *letter = n > 0 ? strchr(letters, text[n - 1]) : NULL;
        const unsigned shift = letter ? 10 * (unsigned)(letter - letters + 1) : 0;
        char digits[BYTES_DIGITS_MAX];
        uint64_t number;

        if (n >= sizeof digits)
                return false;
        snprintf(digits, sizeof digits, "%.*s", (int)(letter ? n - 1 : n), text);
        if (!number_read_whole(digits, &number) || number > (uint64_t)INT64_MAX >> shift)
                return false;
        *ret_bytes = number << shift;
        return true;
}
