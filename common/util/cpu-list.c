/* SPDX-License-Identifier: MIT */
#include "util/cpu-list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static int cpu_list_parse_number(const char **text, unsigned *ret_number) {
        unsigned long number;
        char *end;

        if (!isdigit((unsigned char)**text))
                return CPU_LIST_E_MALFORMED;
        number = strtoul(*text, &end, 10);
        if (number >= CPU_SETSIZE)
                return CPU_LIST_E_RANGE;
        *text = end;
        *ret_number = number;
        return 0;
}

static int cpu_list_parse_range(const char **text, cpu_set_t *set) {
        unsigned first, last;
        int r;

        r = cpu_list_parse_number(text, &first);
        if (r)
                return r;
        last = first;
        if (**text == '-') {
                (*text)++;
                r = cpu_list_parse_number(text, &last);
                if (r)
                        return r;
        }
        if (last < first)
                return CPU_LIST_E_MALFORMED;
        for (unsigned cpu = first; cpu <= last; cpu++)
                CPU_SET(cpu, set);
        return 0;
}

int cpu_list_parse(const char *text, cpu_set_t *ret_set) {
        cpu_set_t set;
        int r;

        CPU_ZERO(&set);
        while (*text && *text != '\n') {
                r = cpu_list_parse_range(&text, &set);
                if (r)
                        return r;
                if (*text == ',' && text[1] && text[1] != '\n')
                        text++;
                else if (*text && *text != '\n')
                        return CPU_LIST_E_MALFORMED;
        }
        *ret_set = set;
        return 0;
}

size_t cpu_list_format(const cpu_set_t *set, char *buffer, size_t n_buffer) {
        size_t n = 0;

        if (n_buffer > 0)
                buffer[0] = 0;
        for (unsigned first = 0; first < CPU_SETSIZE; first++) {
                unsigned last = first;
                char item[32];
                int length;

                if (!CPU_ISSET(first, set))
                        continue;
                while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
                        last++;
                length = last > first ? snprintf(item, sizeof item, "%s%u-%u", n ? "," : "", first, last)
                                      : snprintf(item, sizeof item, "%s%u", n ? "," : "", first);
                if (n < n_buffer)
                        snprintf(buffer + n, n_buffer - n, "%s", item);
                n += length;
                first = last;
        }
        return n;
}
