/* SPDX-License-Identifier: GPL-3.0-or-later */
#define SD_JOURNAL_SUPPRESS_LOCATION /* a message is known by its id */

#include "front/base/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "front/base/text.h"
#include "util/cleanup.h"
#include "util/error.h"

/* clang-format off */
static const LogRow log_rows[] = {
        [LOG_STARTED] = {
                "STARTED", "8b3af93219944b4fbdafa529c844dd9d", LOG_INFO,
                "Ready to measure",
        },
        [LOG_STOPPED] = {
                "STOPPED", "c94d1aaf26374cf082d587026cd98a34", LOG_INFO,
                "Stopping",
        },
        [LOG_NOT_STARTED] = {
                "NOT_STARTED", "c0c9be0b0955435ebb590444d31e25ab", LOG_ERR,
                "Start failed",
        },
        [LOG_CONFIG] = {
                "CONFIG", "c92fdeaac01f420191d7900c81f68a9d", LOG_WARNING,
                "Mistake in the configuration",
        },
        [LOG_LIMITS_LOWERED] = {
                "LIMITS_LOWERED", "ecf1f051da054495b9941f6f5d923af3", LOG_NOTICE,
                "The limit of open files is low, so fewer jobs and connections than by default are taken",
        },
        [LOG_LAUNCH_LOST] = {
                "LAUNCH_LOST", "bd8a44977bb04ae688197fbdfd3a6c77", LOG_ERR,
                "benchd-launch is gone; no job can run without it",
        },
        [LOG_OTHER_BUILD] = {
                "OTHER_BUILD", "1440903a5fa5455492cfbd202c643190", LOG_ERR,
                "The two halves of the daemon do not fit",
        },
        [LOG_FAULT] = {
                "FAULT", "22344756d69549819d6af55e582f0e39", LOG_WARNING,
                "Unexpected failure",
        },
        [LOG_CLIENT_REFUSED] = {
                "CLIENT_REFUSED", "62de759db5404cbab17c3e02804eaced", LOG_NOTICE,
                "A connection was turned away",
        },
        [LOG_CLIENT_BROKE_RULES] = {
                "CLIENT_BROKE_RULES", "e87501e26c53499ba26519502b70533d", LOG_NOTICE,
                "A client violated the protocol; its connection was closed",
        },
        [LOG_CLIENT_SLOW] = {
                "CLIENT_SLOW", "929e38507055465a94a51c7a0c53919b", LOG_NOTICE,
                "A client did not read its replies; its connection was closed",
        },
        [LOG_CLIENT_STUCK] = {
                "CLIENT_STUCK", "87ed36807d634a65bd75fba9e9ba9761", LOG_WARNING,
                "A file that a client sent does not close; this user's descriptors wait, those of others do not",
        },
        [LOG_JOB_ACCEPTED] = {
                "JOB_ACCEPTED", "d668501262414db7aee887c20a77cf76", LOG_INFO,
                "A job was accepted",
        },
        [LOG_JOB_ENDED] = {
                "JOB_ENDED", "2fc9d26fb1274160b1f7c900041090f7", LOG_INFO,
                "A job ended",
        },
        [LOG_JOB_LOST] = {
                "JOB_LOST", "f7d3bbae1d86445096b88aa72b130812", LOG_WARNING,
                "Jobs were lost when the daemon ended",
        },
        [LOG_HISTORY_SET_ASIDE] = {
                "HISTORY_SET_ASIDE", "0db002da35594241a8d2d298f1c9881c", LOG_ERR,
                "The history cannot be read and was set aside",
        },
        [LOG_HISTORY_UNWRITTEN] = {
                "HISTORY_UNWRITTEN", "2aeb4952afbe420f94f0278a9aea46de", LOG_ERR,
                "The history cannot be written",
        },
        [LOG_GOVERNOR] = {
                "GOVERNOR", "2f4c168d14a64d3db759a7eb72efaf21", LOG_NOTICE,
                "The CPU frequency governor was set",
        },
};
/* clang-format on */

static int log_level = LOG_DEBUG;

const LogRow *log_row_at(size_t index) {
        return index < N_ELEMENTS(log_rows) ? &log_rows[index] : NULL;
}

void log_set_level(int level) {
        log_level = level;
}

/* ---- an entry */

__attribute__((format(printf, 2, 3))) static int entry_add(LogEntry *entry, const char *format, ...) {
        va_list arguments;
        int n;

        va_start(arguments, format);
        n = vasprintf(&entry->fields[entry->n_fields], format, arguments);
        va_end(arguments);
        if (n < 0)
                return error_origin(-ENOMEM);
        entry->n_fields++;
        return 0;
}

static int entry_add_message(LogEntry *entry, const LogRow *row, const char *detail) {
        _cleanup_(freep) char *clean = NULL;

        if (!detail)
                return entry_add(entry, "MESSAGE=%s.", row->text);
        clean = text_clean_copy(detail);
        if (!clean)
                return error_origin(-ENOMEM);
        return entry_add(entry, "MESSAGE=%s: %s", row->text, clean);
}

int log_entry_init(const LogRow *row, const LogSubject *subject, const char *detail, LogEntry *ret_entry) {
        LogEntry entry = {};
        int r;

        r = entry_add_message(&entry, row, detail);
        if (r == 0)
                r = entry_add(&entry, "MESSAGE_ID=%s", row->id);
        if (r == 0)
                r = entry_add(&entry, "PRIORITY=%d", row->level);
        if (r == 0 && subject && subject->job)
                r = entry_add(&entry, "BENCHD_JOB=%s", subject->job);
        if (r == 0 && subject && subject->uid != (uid_t)-1)
                r = entry_add(&entry, "BENCHD_UID=%" PRIu32, subject->uid);
        if (r) {
                log_entry_clear(&entry);
                return error_trace(r);
        }
        *ret_entry = entry;
        return 0;
}

void log_entry_clear(LogEntry *entry) {
        for (size_t i = 0; i < entry->n_fields; i++)
                free(entry->fields[i]);
        *entry = (LogEntry){};
}

/* ---- where it goes */

bool log_is_stream(dev_t device, ino_t inode) {
        const char *variable = getenv("JOURNAL_STREAM");
        char text[64];

        snprintf(text, sizeof text, "%ju:%ju", (uintmax_t)device, (uintmax_t)inode);
        return variable && strcmp(variable, text) == 0;
}

static bool stderr_is_journal(void) {
        struct stat status;

        return fstat(STDERR_FILENO, &status) == 0 && log_is_stream(status.st_dev, status.st_ino);
}

static void entry_send(const LogEntry *entry) {
        struct iovec vectors[LOG_FIELDS_MAX];

        for (size_t i = 0; i < entry->n_fields; i++)
                vectors[i] = (struct iovec){ entry->fields[i], strlen(entry->fields[i]) };
        (void)sd_journal_sendv(vectors, (int)entry->n_fields);
}

/* One write, so that lines of the two halves of the daemon do not mix. */
static void entry_print(const LogEntry *entry, const LogSubject *subject) {
        const char *message = entry->fields[0] + strlen("MESSAGE=");
        char whom[96] = "";
        int n = 0;

        if (subject && subject->job)
                n = snprintf(whom, sizeof whom, " [job %.32s]", subject->job);
        if (subject && subject->uid != (uid_t)-1)
                snprintf(whom + n, sizeof whom - n, " [uid %" PRIu32 "]", subject->uid);
        dprintf(STDERR_FILENO, "benchd: %s%s\n", message, whom);
}

void log_say(LogMessage message, const LogSubject *subject, const char *format, ...) {
        const LogRow *row = &log_rows[message];
        _cleanup_(freep) char *detail = NULL;
        _cleanup_(log_entry_clear) LogEntry entry = {};
        va_list arguments;
        int n = 0;

        if (row->level > log_level)
                return;
        if (format) {
                va_start(arguments, format);
                n = vasprintf(&detail, format, arguments);
                va_end(arguments);
        }
        if (n < 0 || log_entry_init(row, subject, detail, &entry) != 0)
                return;
        if (stderr_is_journal())
                entry_send(&entry);
        else
                entry_print(&entry, subject);
}

/* A failure while this one is logged is not logged. */
void log_note_error(int error, const char *file, int line, const char *function) {
        static bool busy = false;

        if (busy)
                return;
        busy = true;
        log_say(LOG_FAULT, NULL, "error %d (%s) in %s, %s:%d", -error, strerror(-error), function, file, line);
        busy = false;
}
