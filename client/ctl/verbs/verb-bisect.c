/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * bisect: finds the commit between two that changed the time of a benchmark. Each build is measured in turns with that of the good commit,
 * and the posterior over the commits decides which is built next (stats/bisection.h).
 */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/ask/bisect/answer.h"
#include "ctl/ask/bisect/measure.h"
#include "ctl/ask/bisect/range.h"
#include "ctl/ask/bisect/search.h"
#include "ctl/ask/bisect/state.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/git/build.h"
#include "ctl/ask/load.h"
#include "ctl/base/command.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"
#include "util/text-stream.h"

/* Options that change no measurement. */
static bool is_of_output(const char *name) {
        static const char *const names[] = { "format", "output", "quiet", "no-color", "restart", "socket", "private",
                "host", "rsh" };

        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                if (strcmp(names[i], name) == 0)
                        return true;
        return false;
}

/* All that the measurements depend on. NULL: memory ran out. */
static char *search_key(const Settings *settings, const BisectRange *range) {
        _cleanup_(text_stream_clear) TextStream key = {};
        FILE *out = text_stream_open(&key);

        fprintf(out, "%s\n%s\n%s\n%s\n", range->git.top, range->git.prefix, range->good.id,
                        bisect_range_at(range, range->range.n)->id);
        for (size_t i = 2; i < settings->arguments.n; i++)
                fprintf(out, "%s\n", settings->arguments.words[i]);
        for (size_t i = 0; i < settings->filters.n; i++)
                fprintf(out, "-- %s\n", settings->filters.words[i]);
        for (size_t i = 0; i < settings->n_given; i++)
                if (!is_of_output(settings->given[i].name))
                        fprintf(out, "--%s=%s\n", settings->given[i].name,
                                        settings->given[i].value ? settings->given[i].value : "");
        return text_stream_close(&key) == 0 ? strdup(key.text) : NULL;
}

/* NULL: none. */
static const char *build_command(const Settings *settings) {
        return settings->builds.n > 0 ? settings->builds.words[0] : NULL;
}

static int bisect_exit(const json_t *answer) {
        const json_t *best = json_array_get(json_at(answer, "candidates"), 0);

        if (json_text_is(answer, "end", "found") && json_array_size(json_at(best, "not_told_from")) == 0)
                return EXIT_DONE;
        return EXIT_UNRESOLVED;
}

/* Shows what was found, also where the search ended by @r. */
static int show(const BisectSearch *search, int r, Output *output) {
        _cleanup_(json_decrefp) json_t *answer = NULL;
        int r_show;

        if (r && search->n_steps > search->n_earlier && r != EXIT_CANCELLED)
                complain_hint("All that was found is kept: the same command goes on from there.");
        if (r && (r != EXIT_CANCELLED || search->n_steps == 0))
                return r;
        if (bisect_answer(search, &answer)) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        r_show = output_print(output, SHOW_BISECT, answer);
        if (r_show)
                return r_show;
        if (r)
                complain_hint("The same command goes on from here; --restart begins anew.");
        return r ? r : bisect_exit(answer);
}

static int bisect_use(const Settings *settings, Connection *connection, Output *output) {
        BisectRange *range = (BisectRange *)connection->subject;
        _cleanup_(bisect_measurer_clear) BisectMeasurer measurer = {
                .settings = settings,
                .connection = connection,
                .output = output,
                .range = range,
                .build = build_command(settings),
                .word = settings->searched ? NULL : settings->arguments.words[2],
                .command = settings->searched,
                .benchmark = settings->searched ? strdup(settings->searched) : NULL,
                .good = BISECT_BUILD_NONE,
        };
        _cleanup_(bisect_search_clear) BisectSearch search = {};
        _cleanup_(bisect_state_closep) BisectState *state = NULL;
        _cleanup_(freep) char *key = search_key(settings, range);
        int r;

        if (!key) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        r = bisect_state_open(key, settings->restart, &state);
        if (r)
                return r;
        r = bisect_search(&measurer, state, &search);
        if (r == 0)
                bisect_state_remove(state);
        return show(&search, r, output);
}

/* A command with the path of the working tree would measure the same at each commit. */
static int check_command(const Settings *settings, const Git *git) {
        if (settings->host) {
                complain("--exec runs a command on this machine, and %s=%s names another.", settings->host_source,
                                settings->host);
                return EXIT_USAGE;
        }
        if (!strstr(settings->searched, git->top))
                return build_check(git, "command", build_command(settings));
        complain("--exec names %s, the working tree: the command runs in the tree of each commit.", git->top);
        complain_hint("Write paths in it from the directory where you call benchctl, such as ./program.");
        return EXIT_USAGE;
}

int verb_bisect(const Settings *settings) {
        _cleanup_(bisect_range_clear) BisectRange range = {};
        const char *const *words = settings->arguments.words;
        int r;

        if (settings->builds.n > 1) {
                complain("A search takes one --build, by which each commit is built.");
                return EXIT_USAGE;
        }
        command_show_no_more();
        r = bisect_range_open(words[0], words[1], &range);
        if (r == 0)
                r = settings->searched ? check_command(settings, &range.git)
                                       : build_check(&range.git, words[2], build_command(settings));
        if (r == 0)
                r = load_options(settings);
        return r ? r : connection_use_for(settings, bisect_use, &range);
}
