/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Log of benchd, for its administrator. Each message is a row of one table: its id in the journal's catalog
 * (systemd/benchd.catalog explains it), its level, its words. A detail may follow the words. The job and the user
 * that a message is about are fields (BENCHD_JOB=, BENCHD_UID=), so that `journalctl BENCHD_UID=1000` finds it.
 *
 * Messages go to the journal where stderr is the journal, else to stderr, one line each. Untrusted text reaches neither
 * with control characters.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum LogMessage {
        LOG_STARTED,
        LOG_STOPPED,
        LOG_NOT_STARTED,
        LOG_CONFIG,
        LOG_LIMITS_LOWERED,
        LOG_LAUNCH_LOST,
        LOG_OTHER_BUILD,
        LOG_FAULT,
        LOG_CLIENT_REFUSED,
        LOG_CLIENT_BROKE_RULES,
        LOG_CLIENT_SLOW,
        LOG_CLIENT_STUCK,
        LOG_JOB_ACCEPTED,
        LOG_JOB_ENDED,
        LOG_JOB_LOST,
        LOG_HISTORY_SET_ASIDE,
        LOG_HISTORY_UNWRITTEN,
        LOG_GOVERNOR,
} LogMessage;

typedef struct LogRow {
        const char *name; /* as in the enumeration */
        const char *id;   /* 32 hexadecimal digits */
        int level;        /* as in syslog(3) */
        const char *text; /* a sentence without its full stop */
} LogRow;

/* The subject of a message. */
typedef struct LogSubject {
        const char *job; /* its run_id; NULL: none */
        uid_t uid;       /* (uid_t)-1: none */
} LogSubject;

#define LOG_OF_UID(id) (&(LogSubject){ .uid = (id) })

/* The messages in the enumeration's order; NULL past the last. */
const LogRow *log_row_at(size_t index);

/* Drops messages less important than @level from now on. By default all are logged. */
void log_set_level(int level);

/* Logs @message with a detail (NULL: none), about @subject (NULL: none). */
void log_say(LogMessage message, const LogSubject *subject, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

/* A sink for error_set_sink(). */
void log_note_error(int error, const char *file, int line, const char *function);

/* ---- its parts */

/* True where systemd's $JOURNAL_STREAM names the file with @device and @inode. */
bool log_is_stream(dev_t device, ino_t inode);

#define LOG_FIELDS_MAX 5u

typedef struct LogEntry {
        char *fields[LOG_FIELDS_MAX]; /* NAME=VALUE, MESSAGE= first */
        size_t n_fields;
} LogEntry;

/* Makes the fields of a message. Returns 0 or a negative errno. */
int log_entry_init(const LogRow *row, const LogSubject *subject, const char *detail, LogEntry *ret_entry);
void log_entry_clear(LogEntry *entry);
