/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/verbs/compare-sides.h"

#include <limits.h>
#include <stdlib.h>

#include "benchd/client.h"
#include "ctl/ask/benchmark-word.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/fleet/fleet.h"
#include "ctl/ask/follow.h"
#include "ctl/ask/git/told-commit.h"
#include "ctl/ask/load.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_module *, benchd_module_free)

static int side_load(const Settings *settings, const CompareSide *side, bool is_old, benchd_module **ret_module) {
        _cleanup_(benchd_module_freep) benchd_module *module = NULL;
        char path[PATH_MAX];
        const char *benchmark = benchmark_word_split(side->word, path);
        int r;

        r = side->path ? load_module(settings, side->path, side->name ? side->name : load_name(path), &module)
                       : load_recall(path, &module);
        if (r)
                return r;
        if (benchmark && benchd_module_set_benchmark(module, benchmark)) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        if (side->commit)
                r = told_commit_set_to(side->commit, side->dirty, module);
        else if (side->path)
                r = told_commit_set(settings, path, is_old, module);
        if (r)
                return r;
        *ret_module = take_pointer(module);
        return 0;
}

typedef struct Pair {
        benchd_module *old;
        benchd_module *new;
} Pair;

static void pair_clear(Pair *pair) {
        benchd_module_free(pair->old);
        benchd_module_free(pair->new);
}

/* A commit may lack its module, or not compile; the good one's is the same at each. */
int compare_blame(const Settings *settings, bool is_old, int r) {
        if (!settings->bisect || (r != EXIT_USAGE && r != EXIT_BENCHMARK))
                return r;
        return is_old ? EXIT_USAGE : EXIT_BENCHMARK;
}

static int pair_load(const Settings *settings, const CompareSides *sides, Pair *pair) {
        int r;

        r = compare_blame(settings, true, side_load(settings, &sides->old, true, &pair->old));
        return r ? r : compare_blame(settings, false, side_load(settings, &sides->new, false, &pair->new));
}

static const char *sides_name(const CompareSides *sides) {
        return sides->new.name ? sides->new.name : load_name(sides->new.word);
}

int compare_sides(const Settings *settings, Connection *connection, Output *output, const CompareSides *sides) {
        _cleanup_(pair_clear) Pair pair = {};
        Follow follow = {
                .connection = connection,
                .output = output,
                .name = sides_name(sides),
                .quiet = settings->quiet,
                .fail_on = &settings->fail_on,
        };
        int r;

        r = pair_load(settings, sides, &pair);
        if (r)
                return r;
        if (settings->explain) {
                follow.old_explained = pair.old;
                follow.new_explained = pair.new;
        }
        r = benchd_client_compare(connection->client, pair.new, pair.old, settings->options, &follow.id);
        if (r) {
                complain("Cannot send the modules: %s.", benchd_error_string(r));
                return EXIT_USAGE;
        }
        return follow_job(&follow);
}

static int pair_ask(const Settings *settings, benchd_client *client, const void *subject, uint64_t *ret_id) {
        const Pair *pair = subject;

        return benchd_client_compare(client, pair->new, pair->old, settings->options, ret_id);
}

int compare_sides_on(const Settings *settings, Fleet *fleet, Output *output, const CompareSides *sides) {
        _cleanup_(pair_clear) Pair pair = {};
        int r;

        r = pair_load(settings, sides, &pair);
        return r ? r : fleet_measure(fleet, output, sides_name(sides), pair_ask, &pair);
}
