/* SPDX-License-Identifier: MIT */
#include "util/cpu-list.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cpu_set_first(const cpu_set_t *set) {
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, set))
                        return cpu;
        return -1;
}

void cpu_set_subtract(cpu_set_t *set, const cpu_set_t *other) {
        cpu_set_t both;

        CPU_AND(&both, set, other);
        CPU_XOR(set, set, &both);
}

bool cpu_sets_meet(const cpu_set_t *a, const cpu_set_t *b) {
        cpu_set_t both;

        CPU_AND(&both, a, b);
        return CPU_COUNT(&both) > 0;
}

bool cpu_set_within(const cpu_set_t *part, const cpu_set_t *whole) {
        cpu_set_t both;

        CPU_AND(&both, part, whole);
        return CPU_EQUAL(&both, part);
}

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

#define GROUP_BITS 32u
#define GROUPS     (CPU_SETSIZE / GROUP_BITS)

/* One group: up to eight digits. */
static int mask_parse_group(const char **text, uint32_t *ret_group) {
        size_t n = 0;

        while (isxdigit((unsigned char)(*text)[n]))
                n++;
        if (n == 0 || n > 8)
                return CPU_MASK_E_MALFORMED;
        *ret_group = strtoul(*text, NULL, 16);
        *text += n;
        return 0;
}

static size_t mask_count_groups(const char *text) {
        size_t n = 1;

        for (; *text; text++)
                n += *text == ',';
        return n;
}

int cpu_mask_parse(const char *text, cpu_set_t *ret_set) {
        size_t place = mask_count_groups(text);
        uint32_t group;
        cpu_set_t set;
        int r;

        CPU_ZERO(&set);
        for (;;) {
                r = mask_parse_group(&text, &group);
                if (r)
                        return r;
                place--;
                if (group && place >= GROUPS)
                        return CPU_MASK_E_RANGE;
                for (unsigned bit = 0; bit < GROUP_BITS; bit++)
                        if (group >> bit & 1)
                                CPU_SET(place * GROUP_BITS + bit, &set);
                if (*text != ',')
                        break;
                text++;
        }
        if (strcmp(text, "") != 0 && strcmp(text, "\n") != 0)
                return CPU_MASK_E_MALFORMED;
        *ret_set = set;
        return 0;
}

static uint32_t mask_group(const cpu_set_t *set, size_t place) {
        uint32_t group = 0;

        for (unsigned bit = 0; bit < GROUP_BITS; bit++)
                group |= (uint32_t) !!CPU_ISSET(place * GROUP_BITS + bit, set) << bit;
        return group;
}

void cpu_mask_format(const cpu_set_t *set, char *buffer) {
        size_t place = GROUPS - 1;

        while (place > 0 && mask_group(set, place) == 0)
                place--;
        buffer += sprintf(buffer, "%x", mask_group(set, place));
        while (place-- > 0)
                buffer += sprintf(buffer, ",%08x", mask_group(set, place));
}
