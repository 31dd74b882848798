/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What benchd says to its administrator. Each message is a row of one table: its id in the journal's catalog
 * (systemd/benchd.catalog explains them), its level, its words. To the words a detail may be added, where who is meant
 * stands in fields of their own (BENCHD_JOB=, BENCHD_UID=), so that `journalctl BENCHD_UID=1000` finds it.
 *
 * It goes to the journal where stderr is the journal, else to stderr, a line each. What strangers wrote reaches neither
 * with its control characters.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum JournalMessage {
        JOURNAL_STARTED,
        JOURNAL_STOPPED,
        JOURNAL_NOT_STARTED,
        JOURNAL_CONFIG,
        JOURNAL_LAUNCH_LOST,
        JOURNAL_FAULT,
        JOURNAL_CLIENT_REFUSED,
        JOURNAL_CLIENT_BROKE_RULES,
        JOURNAL_CLIENT_SLOW,
        JOURNAL_JOB_ACCEPTED,
        JOURNAL_JOB_ENDED,
        JOURNAL_JOB_LOST,
        JOURNAL_HISTORY_SET_ASIDE,
        JOURNAL_HISTORY_UNWRITTEN,
        JOURNAL_GOVERNOR,
} JournalMessage;

typedef struct JournalRow {
        const char *name; /* as in the enumeration */
        const char *id;   /* 32 hexadecimal digits */
        int level;        /* of syslog(3) */
        const char *text; /* a sentence without its full stop */
} JournalRow;

/* Whom a message is about. */
typedef struct JournalSubject {
        const char *job; /* its run_id; NULL: none */
        uid_t uid;       /* (uid_t)-1: none */
} JournalSubject;

#define JOURNAL_OF_UID(id) (&(JournalSubject){ .uid = (id) })

/* The messages in the enumeration's order; NULL past the last. */
const JournalRow *journal_row_at(size_t index);

/* From now on what is as important as @level or more is said. Until then: everything. */
void journal_set_level(int level);

/* Says @message with a detail (NULL: none), about @subject (NULL: nobody). */
void journal_say(JournalMessage message, const JournalSubject *subject, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

/* A sink for error_set_sink(). */
void journal_note_error(int error, const char *file, int line, const char *function);

/* ---- of which it is made */

/* Whether $JOURNAL_STREAM, as @variable (NULL: not set), names the file with @device and @inode. */
bool journal_is_stream(const char *variable, dev_t device, ino_t inode);

#define JOURNAL_FIELDS_MAX 5u

typedef struct JournalEntry {
        char *fields[JOURNAL_FIELDS_MAX]; /* NAME=VALUE, MESSAGE= first */
        size_t n_fields;
} JournalEntry;

/* The fields of a message. Returns 0 or a negative errno. */
int journal_entry_init(const JournalRow *row, const JournalSubject *subject, const char *detail,
                JournalEntry *ret_entry);
void journal_entry_clear(JournalEntry *entry);
