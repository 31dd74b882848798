/* SPDX-License-Identifier: MIT */
#include "util/cpu-mask.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void mask_add_group(cpu_set_t *set, size_t place, uint32_t group) {
        for (unsigned bit = 0; bit < GROUP_BITS; bit++)
                if (group >> bit & 1)
                        CPU_SET(place * GROUP_BITS + bit, set);
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
                mask_add_group(&set, place, group);
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
