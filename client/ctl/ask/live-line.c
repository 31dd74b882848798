/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/live-line.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ctl/base/typeset.h"

#define COLUMNS_UNKNOWN 80u

LiveLine live_line(bool quiet) {
        const char *terminal = getenv("TERM");
        const bool dumb = terminal && strcmp(terminal, "dumb") == 0;

        return (LiveLine){ .live = !quiet && !dumb && isatty(STDERR_FILENO) };
}

static size_t terminal_columns(void) {
        struct winsize size;

        return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS_UNKNOWN;
}

void live_line_show(LiveLine *line, const char *text) {
        char cut[LIVE_LINE_MAX];

        if (!line->live)
                return;
        snprintf(cut, sizeof cut, "%s", text);
        typeset_cut(cut, terminal_columns() - 1);
        if (line->shown && strcmp(cut, line->text) == 0)
                return;
        fprintf(stderr, "\r\033[K%s", cut);
        strcpy(line->text, cut);
        line->shown = true;
}

void live_line_clear(LiveLine *line) {
        if (line->shown)
                fputs("\r\033[K", stderr);
        line->shown = false;
}
