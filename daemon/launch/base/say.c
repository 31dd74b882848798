/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/base/say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"

/* $JOURNAL_STREAM outlives a redirection of standard error, so it is compared with the stream itself. */
static bool journal_reads(void) {
        const char *stream = getenv("JOURNAL_STREAM");
        uintmax_t device, inode;
        struct stat status;

        return stream && sscanf(stream, "%ju:%ju", &device, &inode) == 2 && fstat(STDERR_FILENO, &status) == 0 &&
               status.st_dev == device && status.st_ino == inode;
}

void say(const char *level, const char *format, ...) {
        _cleanup_(freep) char *text = NULL;
        va_list arguments;
        int n;

        va_start(arguments, format);
        n = vasprintf(&text, format, arguments);
        va_end(arguments);
        if (n >= 0)
                fprintf(stderr, "%s%s\n", journal_reads() ? level : "benchd-launch: ", text);
}
