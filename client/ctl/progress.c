/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/unit.h"
#include "util/time.h"

#define PROGRESS_COLUMNS 80u /* for a terminal of unknown width */

void progress_init(Progress *progress, const char *module, bool quiet) {
        const char *terminal = getenv("TERM");
        bool dumb = terminal && strcmp(terminal, "dumb") == 0;

        *progress = (Progress){ .module = module, .live = !quiet && !dumb && isatty(STDERR_FILENO) };
}

/* Steady parts come first: processes are interleaved, so the benchmark changes with each. */
static void text_measuring(const benchd_progress *state, char text[static PROGRESS_TEXT_MAX]) {
        uint32_t process = state->process < state->processes ? state->process + 1 : state->processes;
        char left[UNIT_TEXT_MAX];

        snprintf(text, PROGRESS_TEXT_MAX, "process %u of %u · %s left · benchmark %u of %u%s%s", process,
                        state->processes, unit_wait(state->left_ns, left), state->benchmark, state->benchmarks,
                        state->benchmark_name ? ": " : "", state->benchmark_name ? state->benchmark_name : "");
}

static void text_queued(const benchd_progress *state, char text[static PROGRESS_TEXT_MAX]) {
        if (state->queue_position == 0)
                snprintf(text, PROGRESS_TEXT_MAX, "waiting for a CPU");
        else
                snprintf(text, PROGRESS_TEXT_MAX, "waiting for %u earlier job%s", state->queue_position,
                                state->queue_position == 1 ? "" : "s");
}

void progress_text(const benchd_progress *state, const char *module, char text[static PROGRESS_TEXT_MAX]) {
        if (strcmp(state->stage, "measuring") == 0)
                text_measuring(state, text);
        else if (strcmp(state->stage, "queued") == 0)
                text_queued(state, text);
        else
                snprintf(text, PROGRESS_TEXT_MAX, "%s %s", state->stage, module);
}

void progress_cut(char *text, size_t n_columns) {
        for (; *text; text++) {
                if (((unsigned char)*text & 0xc0) == 0x80)
                        continue;
                if (n_columns-- == 0) {
                        *text = '\0';
                        return;
                }
        }
}

static size_t terminal_columns(void) {
        struct winsize size;

        return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : PROGRESS_COLUMNS;
}

void progress_plan_text(const benchd_progress *state, const char *module, int64_t now,
                char text[static PROGRESS_TEXT_MAX]) {
        const time_t end = now + (int64_t)(state->left_ns / NS_PER_S);
        char left[UNIT_TEXT_MAX], clock[16];
        struct tm fields;

        if (!localtime_r(&end, &fields) || strftime(clock, sizeof clock, "%H:%M:%S", &fields) == 0)
                clock[0] = '\0';
        snprintf(text, PROGRESS_TEXT_MAX, "%s: %u benchmark%s in %u process%s, about %s%s%s", module, state->benchmarks,
                        state->benchmarks == 1 ? "" : "s", state->processes, state->processes == 1 ? "" : "es",
                        unit_wait(state->left_ns, left), clock[0] ? ", until " : "", clock);
}

/* The plan is shown only before anything was measured: a job that is joined later has long begun. */
static void progress_announce(Progress *progress, const benchd_progress *state) {
        char text[PROGRESS_TEXT_MAX];

        if (progress->announced || strcmp(state->stage, "measuring") != 0)
                return;
        progress->announced = true;
        if (state->process > 0)
                return;
        progress_clear(progress);
        progress_plan_text(state, progress->module, time(NULL), text);
        fprintf(stderr, "%s\n", text);
}

void progress_show(Progress *progress, const benchd_progress *state) {
        char text[PROGRESS_TEXT_MAX];

        if (!progress->live)
                return;
        progress_announce(progress, state);
        progress_text(state, progress->module, text);
        progress_cut(text, terminal_columns() - 1);
        fprintf(stderr, "\r\033[K%s", text);
        progress->shown = true;
}

void progress_clear(Progress *progress) {
        if (progress->shown)
                fputs("\r\033[K", stderr);
        progress->shown = false;
}
