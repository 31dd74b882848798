/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One record of the restore journal, as a readable line of text: a checksum (CRC-32, ISO 3309) of the rest, then the fields,
 * separated by tabs.
 *
 *      3fd2a1c0  file  noted  sys/devices/system/cpu/cpufreq/policy3/scaling_governor  powersave  performance
 */

#include <stddef.h>

#include "machine/file-value.h"

#define RESTORE_KEY_MAX  256u
#define RESTORE_LINE_MAX (RESTORE_KEY_MAX + 2 * FILE_VALUE_MAX + 64)

enum {
        _RESTORE_RECORD_E_SUCCESS,

        RESTORE_RECORD_E_MALFORMED, /* not such a line, altered, or with a key that benchd never changes */
};

/* The kind of thing that a key names. */
typedef enum RestoreKind {
        RESTORE_FILE,          /* path of a setting of the kernel, below the root; its value */
        RESTORE_UNIT_PROPERTY, /* unit and property, a blank between; its value */
        RESTORE_THREAD_MASK,   /* thread and its start, a blank between; its CPUs */
        RESTORE_CGROUP,        /* path of a runner's group; "present" or "absent" */
        _RESTORE_KIND_N,
} RestoreKind;

typedef enum RestorePhase {
        RESTORE_NOTED,     /* held @was and is about to hold @is */
        RESTORE_CONFIRMED, /* was read back as @is, which may differ from what was written */
        RESTORE_DONE,      /* nothing is left to restore */
        _RESTORE_PHASE_N,
} RestorePhase;

typedef struct RestoreRecord {
        RestoreKind kind;
        RestorePhase phase;
        char key[RESTORE_KEY_MAX];
        char was[FILE_VALUE_MAX];
        char is[FILE_VALUE_MAX];
} RestoreRecord;

/* Writes @record with its newline into @line of RESTORE_LINE_MAX bytes. Returns 0 or E_MALFORMED. */
int restore_record_format(const RestoreRecord *record, char *line, size_t *ret_length);

/* Reads @line, without its newline. Returns 0 or E_MALFORMED. */
int restore_record_parse(const char *line, RestoreRecord *ret_record);
