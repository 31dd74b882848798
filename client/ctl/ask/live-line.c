/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/live-line.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl/base/terminal.h"
#include "ctl/base/typeset.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

#define COLUMNS_UNKNOWN 80u

LiveLine live_line(bool quiet) {
        const char *terminal = getenv("TERM");
        const bool dumb = terminal && strcmp(terminal, "dumb") == 0;

        return (LiveLine){ .live = !quiet && !dumb && isatty(STDERR_FILENO) };
}

static size_t columns(void) {
        const size_t columns = terminal_columns(STDERR_FILENO);

        return columns > 0 ? columns : COLUMNS_UNKNOWN;
}

void live_line_show(LiveLine *line, const char *text) {
        char cut[LIVE_LINE_MAX];

        if (!line->live)
                return;
        snprintf(cut, sizeof cut, "%s", text);
        if (terminal_is_ascii())
                typeset_to_ascii(cut);
        typeset_cut(cut, columns() - 1);
        if (line->shown && strcmp(cut, line->text) == 0)
                return;
        fprintf(stderr, "\r\033[K%s", cut);
        strcpy(line->text, cut);
        line->shown = true;
}

void live_line_keep(LiveLine *line, const char *name, const char *words) {
        _cleanup_(text_stream_clear) TextStream text = {};

        if (!line->live)
                return;
        typeset_headed(name, words, columns(), text_stream_open(&text));
        if (text_stream_close(&text) < 0)
                return;
        if (terminal_is_ascii())
                typeset_to_ascii(text.text);
        live_line_clear(line);
        fprintf(stderr, "%s\n", text.text);
}

void live_line_clear(LiveLine *line) {
        if (line->shown)
                fputs("\r\033[K", stderr);
        line->shown = false;
}
