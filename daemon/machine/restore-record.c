/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/restore-record.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"

#define CHECKSUM_DIGITS 8u
#define N_FIELDS        5u
#define DIGITS          "0123456789"

static const char *const kind_names[_RESTORE_KIND_N] = {
        [RESTORE_FILE] = "file",
        [RESTORE_UNIT_PROPERTY] = "unit-property",
        [RESTORE_THREAD_MASK] = "thread-mask",
        [RESTORE_CGROUP] = "cgroup",
};

static const char *const phase_names[_RESTORE_PHASE_N] = {
        [RESTORE_NOTED] = "noted",
        [RESTORE_CONFIRMED] = "confirmed",
        [RESTORE_DONE] = "done",
};

static uint32_t checksum(const char *text) {
        uint32_t sum = 0xffffffff;

        for (; *text; text++) {
                sum ^= (unsigned char)*text;
                for (unsigned bit = 0; bit < 8; bit++)
                        sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
        }
        return ~sum;
}

static bool is_one_field(const char *text) {
        for (; *text; text++)
                if (iscntrl((unsigned char)*text))
                        return false;
        return true;
}

static bool begins_with(const char *text, const char *start) {
        return strncmp(text, start, strlen(start)) == 0;
}

/* A forged record could name any file: only settings of the kernel are accepted. */
static bool key_is_setting(const char *key) {
        static const char *const folders[] = { "sys/", "proc/sys/", "proc/irq/" };

        for (size_t i = 0; i < N_ELEMENTS(folders); i++)
                if (begins_with(key, folders[i]))
                        return !begins_with(key, "sys/fs/");
        return false;
}

/* The group of a runner ends in the number of its daemon, a dash and its own number (launch/birth/run-group.c). */
static bool key_is_runners_group(const char *key) {
        const char *name = strrchr(key, '/');
        size_t n_daemon, n_own;

        if (!begins_with(key, "sys/fs/cgroup/"))
                return false;
        n_daemon = strspn(++name, DIGITS);
        if (n_daemon == 0 || name[n_daemon] != '-')
                return false;
        n_own = strspn(name + n_daemon + 1, DIGITS);
        return n_own > 0 && name[n_daemon + 1 + n_own] == 0;
}

static bool key_is_sound(RestoreKind kind, const char *key) {
        if (kind == RESTORE_FILE || kind == RESTORE_CGROUP)
                return !strstr(key, "..") && (kind == RESTORE_FILE ? key_is_setting(key) : key_is_runners_group(key));
        return *key;
}

static bool record_is_sound(const RestoreRecord *record) {
        return key_is_sound(record->kind, record->key) && is_one_field(record->key) && is_one_field(record->was) &&
               is_one_field(record->is);
}

int restore_record_format(const RestoreRecord *record, char *line, size_t *ret_length) {
        char rest[RESTORE_LINE_MAX - CHECKSUM_DIGITS - 2];

        if (!record_is_sound(record))
                return RESTORE_RECORD_E_MALFORMED;
        snprintf(rest, sizeof rest, "%s\t%s\t%s\t%s\t%s", kind_names[record->kind], phase_names[record->phase],
                        record->key, record->was, record->is);
        *ret_length = snprintf(line, RESTORE_LINE_MAX, "%08x\t%s\n", checksum(rest), rest);
        return 0;
}

static bool find_name(const char *const *names, size_t n, const char *name, unsigned *ret_place) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(names[i], name) == 0) {
                        *ret_place = i;
                        return true;
                }
        return false;
}

/* Splits @text at its tabs into exactly N_FIELDS fields. */
static bool split(char *text, char **fields) {
        for (size_t i = 0; i < N_FIELDS; i++) {
                fields[i] = text;
                text += strcspn(text, "\t");
                if ((*text == 0) != (i == N_FIELDS - 1))
                        return false;
                *text++ = 0;
        }
        return true;
}

static bool take(char *to, size_t n_to, const char *field) {
        return (size_t)snprintf(to, n_to, "%s", field) < n_to;
}

static bool fields_to_record(char **fields, RestoreRecord *record) {
        unsigned kind, phase;

        if (!find_name(kind_names, _RESTORE_KIND_N, fields[0], &kind) ||
                        !find_name(phase_names, _RESTORE_PHASE_N, fields[1], &phase))
                return false;
        record->kind = kind;
        record->phase = phase;
        return take(record->key, sizeof record->key, fields[2]) && take(record->was, sizeof record->was, fields[3]) &&
               take(record->is, sizeof record->is, fields[4]);
}

int restore_record_parse(const char *line, RestoreRecord *ret_record) {
        char text[RESTORE_LINE_MAX], sum[CHECKSUM_DIGITS + 2];
        RestoreRecord record = {};
        char *fields[N_FIELDS];

        if (strlen(line) <= CHECKSUM_DIGITS + 1 || !take(text, sizeof text, line + CHECKSUM_DIGITS + 1))
                return RESTORE_RECORD_E_MALFORMED;
        snprintf(sum, sizeof sum, "%08x\t", checksum(text));
        if (strncmp(line, sum, CHECKSUM_DIGITS + 1) != 0)
                return RESTORE_RECORD_E_MALFORMED;
        if (!split(text, fields) || !fields_to_record(fields, &record) || !record_is_sound(&record))
                return RESTORE_RECORD_E_MALFORMED;
        *ret_record = record;
        return 0;
}
