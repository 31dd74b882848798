/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/here-hint.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/base/complain.h"
#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

/* Options that decide what the module is and what it sees. */
static const char *const kept_options[] = { "with", "preload", "env" };

static bool is_kept(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(kept_options); i++)
                if (strcmp(kept_options[i], name) == 0)
                        return true;
        return false;
}

/* Prints @word so that a shell takes it for one. */
static void print_word(const char *word, FILE *out) {
        bool plain = *word;

        for (const char *c = word; *c; c++)
                plain &= isalnum((unsigned char)*c) || strchr("_./-+=,:@%", *c);
        if (plain) {
                fputs(word, out);
                return;
        }
        fputc('\'', out);
        for (const char *c = word; *c; c++)
                fputs(*c == '\'' ? "'\\''" : (char[]){ *c, '\0' }, out);
        fputc('\'', out);
}

/* A benchctl that is on the PATH is typed by its name. */
static void print_command(const Settings *settings, const char *path, FILE *out) {
        print_word(strchr(program_invocation_name, '/') ? program_invocation_name : "benchctl", out);
        fputs(" run --here ", out);
        for (size_t i = 0; i < settings->n_given; i++)
                if (is_kept(settings->given[i].name)) {
                        fprintf(out, "--%s=", settings->given[i].name);
                        print_word(settings->given[i].value, out);
                        fputc(' ', out);
                }
        print_word(path, out);
}

/* The filter that chooses @benchmark alone. */
static void print_filter(const json_t *benchmark, FILE *out) {
        _cleanup_(text_stream_clear) TextStream path = {};

        row_print_path(benchmark, text_stream_open(&path));
        fputs(" -- ", out);
        if (text_stream_close(&path) == 0)
                print_word(path.text, out);
}

static void print_hint(const Settings *settings, const char *path, const char *debugger, const json_t *benchmark) {
        _cleanup_(text_stream_clear) TextStream command = {};
        FILE *out = text_stream_open(&command);

        print_command(settings, path, out);
        if (benchmark)
                print_filter(benchmark, out);
        if (text_stream_close(&command) == 0)
                complain_hint("Run it %s%s", debugger, command.text);
}

static const char under_debugger[] = "under a debugger: gdb --args ";
static const char unconfined[] = "unconfined, where a debugger or a sanitizer can follow: ";

void here_hint_result(const Settings *settings, const char *path, const json_t *result) {
        const json_t *benchmarks = result_rows(result);
        const json_t *benchmark;

        json_each(i, benchmark, benchmarks) {
                if (!json_text_is(benchmark, "failed.code", "crashed"))
                        continue;
                complain("%s: %s crashed.", path, json_text_or(benchmark, "name", "a benchmark"));
                print_hint(settings, path, under_debugger, benchmark);
                return;
        }
}

typedef struct ErrorHint {
        const char *failure;
        const char *debugger;
} ErrorHint;

static const ErrorHint error_hints[] = {
        { "crashed", under_debugger },
        { "timeout", under_debugger },
        { "exited", unconfined },
};

void here_hint_error(const Settings *settings, const char *path, const benchd_event *event) {
        const char *failure = benchd_event_error_failure(event);

        for (size_t i = 0; failure && i < N_ELEMENTS(error_hints); i++)
                if (strcmp(error_hints[i].failure, failure) == 0)
                        print_hint(settings, path, error_hints[i].debugger, NULL);
}
