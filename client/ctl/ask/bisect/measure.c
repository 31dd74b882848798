/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/bisect/measure.h"

#include <gsl/gsl_cdf.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/ask/bisect/module-code.h"
#include "ctl/ask/bisect/range.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/exec/exec-job.h"
#include "ctl/ask/exec/exec-plan.h"
#include "ctl/ask/exec/exec-words.h"
#include "ctl/ask/follow.h"
#include "ctl/ask/git/build.h"
#include "ctl/ask/load.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/result.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
#include "util/text-stream.h"
#include "util/time.h"

DEFINE_CLEANUP(benchd_options *, benchd_options_free)

#define PLACES 4 /* of a loop within its cache line, whose means have no part in the error */

static double seconds_since(uint64_t begin_ns) {
        return (double)(time_monotonic_ns() - begin_ns) / NS_PER_S;
}

static int out_of_memory(void) {
        complain("Out of memory.");
        return EXIT_MACHINE;
}

/* ---- builds */

void bisect_build_clear(BisectBuild *build) {
        build->module = benchd_module_free(build->module);
        free(build->directory);
        worktree_clear(&build->tree);
}

void bisect_measurer_clear(BisectMeasurer *measurer) {
        bisect_build_clear(&measurer->good);
        free(measurer->benchmark);
}

/* The module in the tree of @build, and its code. */
static int load_built(BisectMeasurer *measurer, BisectBuild *build) {
        _cleanup_(freep) char *path = NULL;
        int r;

        r = build_module(&measurer->range->git, &build->tree, measurer->word, NULL, &path);
        if (r == 0)
                r = load_module(measurer->settings, path, measurer->word, &build->module);
        /* Libraries of the commit's own differ where the module does not. */
        if (r == 0 && !benchd_module_library(build->module, 0))
                build->code = module_code(path);
        return r;
}

int bisect_build(BisectMeasurer *measurer, size_t index, BisectBuild *ret_build) {
        _cleanup_(bisect_build_clear) BisectBuild build = BISECT_BUILD_NONE;
        const uint64_t begin_ns = time_monotonic_ns();
        int r;

        r = build_open(&measurer->range->git, bisect_range_at(measurer->range, index), measurer->build,
                        measurer->settings->quiet, &build.tree);
        if (r == 0)
                r = measurer->command ? build_directory(&measurer->range->git, &build.tree, &build.directory)
                                      : load_built(measurer, &build);
        if (r)
                return r;
        build.build_s = seconds_since(begin_ns);
        *ret_build = build;
        build = BISECT_BUILD_NONE;
        return 0;
}

/* ---- measuring */

static char *full_name(const json_t *row) {
        _cleanup_(text_stream_clear) TextStream name = {};
        FILE *out = text_stream_open(&name);

        cell_path(NULL, row, NULL, NULL, out);
        return text_stream_close(&name) == 0 ? strdup(name.text) : NULL;
}

/* The first look decides which row it is. */
static int name_row(BisectMeasurer *measurer, const json_t *rows) {
        const size_t n = json_array_size(rows);

        if (n == 1) {
                measurer->benchmark = full_name(json_array_get(rows, 0));
                return measurer->benchmark ? 0 : out_of_memory();
        }
        if (n == 0)
                complain("The builds of the two ends have no benchmark in common.");
        else
                complain("%zu benchmarks match, and a search is for one.", n);
        complain_hint("Name it: benchctl bisect GOOD BAD MODULE -- AREA/BENCHMARK");
        return EXIT_USAGE;
}

static int find_row(BisectMeasurer *measurer, const json_t *result, const json_t **ret_row) {
        const json_t *rows = json_at(result, "comparisons"), *row;
        int r;

        r = measurer->benchmark ? 0 : name_row(measurer, rows);
        if (r)
                return r;
        if (measurer->command)
                *ret_row = json_array_get(rows, 0);
        if (*ret_row)
                return 0;
        json_each(i, row, rows) {
                _cleanup_(freep) char *name = full_name(row);

                if (name && strcmp(name, measurer->benchmark) == 0) {
                        *ret_row = row;
                        return 0;
                }
        }
        complain("This commit has no benchmark %s.", measurer->benchmark);
        return EXIT_BENCHMARK;
}

/* Two places in a process of the few leave no spread within them: then that of all counts. */
static double freedom_of(double n, double n_places) {
        return n_places == 0 || n - n_places < 2 ? n - 1 : n - n_places;
}

static int take_row(const json_t *row, double n_places, BisectLook *ret_look) {
        const double n = json_number_or(row, "processes", 0);
        const double point = json_number_or(row, "ratio.point", NAN), low = json_number_or(row, "ratio.low", NAN),
                     high = json_number_or(row, "ratio.high", NAN);

        if (!(n >= 3) || !(low > 0) || !(high >= low) || !(point > 0)) {
                complain("Too few processes gave a ratio.");
                return EXIT_BENCHMARK;
        }
        *ret_look = (BisectLook){
                .n = n,
                .mean = log(point),
                .error = log(high / low) / 2 / gsl_cdf_tdist_Pinv(0.975, freedom_of(n, n_places)),
                .freedom = freedom_of(n, n_places),
        };
        return 0;
}

/* The result is not shown, so the reason is printed. */
static void complain_failed(const json_t *result) {
        const json_t *row;

        result_each_row(i, row, result)
                if (row_failure(row)) {
                        complain("%s", row_failure_message(row));
                        return;
                }
}

/* Module against module. */
static int compare_modules(BisectMeasurer *measurer, const BisectBuild *build, size_t n, json_t **ret_result) {
        const Settings *settings = measurer->settings;
        Follow follow = {
                .connection = measurer->connection,
                .output = measurer->output,
                .name = measurer->word,
                .quiet = settings->quiet,
                .fail_on = &(FailOn){ .bisects = true },
                .ret_result = ret_result,
        };
        char number[32];
        int r;

        snprintf(number, sizeof number, "%zu", n);
        r = benchd_options_set(settings->options, "processes", number);
        if (r == 0)
                r = benchd_client_compare(measurer->connection->client, build->module, measurer->good.module,
                                settings->options, &follow.id);
        if (r) {
                complain("Cannot send the modules: %s.", benchd_error_string(r));
                return EXIT_USAGE;
        }
        return follow_job(&follow);
}

/* The command as it runs in the tree of @build; the caller frees it. */
static char *command_in(const BisectBuild *build, const char *command) {
        _cleanup_(freep) char *directory = exec_words_join((const char *const[]){ build->directory }, 1);
        char *script;

        return directory && asprintf(&script, "cd %s && %s", directory, command) >= 0 ? script : NULL;
}

/* Command against command, as 'benchctl exec' compares them. Options of the job are added to for each, so each look has its own. */
static int compare_commands(BisectMeasurer *measurer, const BisectBuild *build, size_t n, json_t **ret_result) {
        _cleanup_(freep) char *good = command_in(&measurer->good, measurer->command);
        _cleanup_(freep) char *other = command_in(build, measurer->command);
        _cleanup_(benchd_options_freep) benchd_options *options = NULL;
        _cleanup_(exec_plan_freep) ExecPlan *plan = NULL;
        Settings settings = *measurer->settings;
        char number[32];
        int r;

        if (!good || !other || benchd_options_new(&options))
                return out_of_memory();
        snprintf(number, sizeof number, "%zu", n);
        settings.options = options;
        settings.arguments = (SettingsWords){ (const char *[]){ good, other }, 2 };
        settings.exec = (ExecSettings){ .names = { (const char *[]){ "good", "other" }, 2 } };
        settings.given = &(SettingsOption){ .name = "processes", .value = number };
        settings.n_given = 1;
        r = exec_plan_new(&settings, &plan);
        return r ? r : exec_job_run(&settings, measurer->connection, measurer->output, plan, ret_result);
}

int bisect_look(BisectMeasurer *measurer, const BisectBuild *build, size_t n, BisectLook *ret_look) {
        _cleanup_(json_decrefp) json_t *result = NULL;
        const uint64_t begin_ns = time_monotonic_ns();
        const json_t *row = NULL;
        int r;

        r = measurer->command ? compare_commands(measurer, build, n, &result)
                              : compare_modules(measurer, build, n, &result);
        if (r == EXIT_BENCHMARK && result)
                complain_failed(result);
        if (r == 0 && !result)
                r = EXIT_DAEMON;
        if (r == 0)
                r = find_row(measurer, result, &row);
        if (r == 0)
                r = take_row(row, measurer->command ? 0 : PLACES, ret_look);
        if (r == 0)
                ret_look->seconds = seconds_since(begin_ns);
        return r;
}
