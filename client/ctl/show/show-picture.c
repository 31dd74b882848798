/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Pictures as files: gnuplot draws what its own format has (show-gnuplot.c), by a terminal of its own for each suffix.
 */

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "ctl/base/command.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/error.h"

static void script_close(FILE **script) {
        if (*script)
                fclose(*script);
}

/* gnuplot's command line; the suffix alone of a picture is that of stdout. */
static int draw(Command *command, const char *suffix, FILE *script, FILE *out) {
        char picture[32];
        int r;

        snprintf(picture, sizeof picture, "picture = '%s'", suffix);
        r = command_add(command, SHOW_GNUPLOT);
        if (r == 0)
                r = command_add(command, "-d"); /* a user's own settings are for the user's own plots */
        if (r == 0)
                r = command_add(command, "-e");
        if (r == 0)
                r = command_add(command, picture);
        if (r == 0)
                r = command_add(command, "-");
        if (r == 0)
                r = command_run_between(command, fileno(script), fileno(out));
        return r > 0 ? error_origin(-EIO) : error_trace(r);
}

static int show_picture(const char *suffix, ShowKind kind, const json_t *answers, const View *view, FILE *out) {
        _cleanup_(command_clear) Command command = {};
        _cleanup_(script_close) FILE *script = tmpfile();
        struct stat file;
        int r;

        if (!script)
                return error_origin(-errno);
        r = show_gnuplot(kind, answers, view, script);
        if (r)
                return error_trace(r);
        if (fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0 || fflush(out) != 0)
                return error_origin(-errno);
        r = draw(&command, suffix, script, out);
        if (r)
                return error_trace(r);
        if (fstat(fileno(out), &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0)
                return error_origin(-ENODATA); /* gnuplot has said that no benchmark has a time */
        return 0;
}

int show_svg(ShowKind kind, const json_t *answers, const View *view, FILE *out) {
        return error_trace(show_picture(".svg", kind, answers, view, out));
}

int show_png(ShowKind kind, const json_t *answers, const View *view, FILE *out) {
        return error_trace(show_picture(".png", kind, answers, view, out));
}

int show_pdf(ShowKind kind, const json_t *answers, const View *view, FILE *out) {
        return error_trace(show_picture(".pdf", kind, answers, view, out));
}

int show_eps(ShowKind kind, const json_t *answers, const View *view, FILE *out) {
        return error_trace(show_picture(".eps", kind, answers, view, out));
}
