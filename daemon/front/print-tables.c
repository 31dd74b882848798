/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A program of the build: prints the tables of benchd that also appear in texts, as JSON, for scripts/fill-template.
 */

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "front/base/commit.h"
#include "front/base/config.h"
#include "front/base/log.h"
#include "front/clients/request.h"
#include "front/clients/session.h"
#include "front/jobs/spawn.h"
#include "front/plan/chosen.h"
#include "front/plan/method.h"
#include "front/plan/plan.h"
#include "front/samples/runner-block.h"
#include "ops/filter.h"
#include "ops/inspection-block.h"
#include "ops/ops.h"
#include "proto/allocator.h"
#include "proto/frame.h"
#include "util/cleanup.h"
#include "words/control.h"
#include "words/mark.h"
#include "words/warning.h"

#define KIB 1024u
#define MIB (1024u * 1024u)

static json_t *options(void) {
        const ConfigOption *option;
        json_t *rows = json_array();

        for (size_t i = 0; (option = config_option_at(i)); i++) {
                char takes[CONFIG_VALUE_MAX];

                config_describe(option, takes);
                json_array_append_new(rows,
                                json_pack("{ss ss ss ss ss}", "section", option->section, "name", option->name, "takes",
                                                takes, "default", option->fallback, "text", option->text));
        }
        return rows;
}

static json_t *messages(void) {
        const LogRow *row;
        json_t *rows = json_array();

        for (size_t i = 0; (row = log_row_at(i)); i++)
                json_array_append_new(rows,
                                json_pack("{ss ss ss}", "name", row->name, "id", row->id, "text", row->text));
        return rows;
}

__attribute__((format(printf, 3, 4))) static void add_limit(json_t *rows, const char *what, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        json_array_append_new(rows, json_pack("{ss so}", "what", what, "limit", json_vsprintf(format, arguments)));
        va_end(arguments);
}

/* With a * where the configuration sets it. */
static json_t *limits(void) {
        json_t *rows = json_array();
        Config config;

        config_init(&config);
        add_limit(rows, "a message to the daemon; from it", "%u KiB; %u MiB", FRAME_REQUEST_MAX / KIB,
                        FRAME_REPLY_MAX / MIB);
        add_limit(rows, "a message once decoded", "%zu MiB of memory", (size_t)ALLOCATOR_MESSAGE_BYTES / MIB);
        add_limit(rows, "descriptors with a frame; with frames not taken yet, of one user and of all",
                        "%u; for each of its jobs %u *; for each of all jobs %u *", SHARE_JOB_DESCRIPTORS,
                        SHARE_JOB_DESCRIPTORS, SHARE_JOB_DESCRIPTORS);
        add_limit(rows, "Hello, and each frame from its first byte to its last", "%ju s *",
                        (uintmax_t)config.patience_s);
        add_limit(rows, "connections", "%ju (%ju of them for root), of one user %ju *", (uintmax_t)config.clients,
                        (uintmax_t)config.clients_for_root, (uintmax_t)config.clients_per_user);
        add_limit(rows, "jobs (run, list, inspect) under way", "%ju (%ju of them for root), of one user %ju *",
                        (uintmax_t)config.jobs, (uintmax_t)config.jobs_for_root, (uintmax_t)config.jobs_per_user);
        add_limit(rows, "replies left unread",
                        "%u MiB on a connection, %ju MiB of one user *: beyond, the connection ends",
                        FRAME_QUEUE_MAX / MIB, (uintmax_t)config.unread_per_user_bytes / MIB);
        add_limit(rows, "module and each library", "%u MiB; %u libraries", OPS_MODULE_MAX / MIB, RUNNER_LIBRARIES_MAX);
        add_limit(rows, "inputs", "%u of %u MiB", RUNNER_INPUTS_MAX, OPS_MODULE_MAX / MIB);
        add_limit(rows, "filters", "%u of %u bytes", REQUEST_FILTERS_MAX, FILTER_BYTES_MAX);
        add_limit(rows, "reference", "%u bytes", FILTER_BYTES_MAX);
        add_limit(rows, "environment", "%u bytes", REQUEST_ENVIRONMENT_MAX);
        add_limit(rows, "commands", "%u, of %u bytes in all", REQUEST_COMMANDS_MAX, REQUEST_COMMANDS_BYTES);
        add_limit(rows, "parameters of commands", "%u", REQUEST_PARAMETERS_MAX);
        add_limit(rows, "module_name, each of library_names and input_names", "%u bytes", REQUEST_NAME_MAX);
        add_limit(rows, "id of a commit", "%u bytes", COMMIT_ID_MAX);
        add_limit(rows, "subject of a commit", "%u bytes", COMMIT_SUBJECT_MAX);
        add_limit(rows, "processes of a run; samples of a benchmark", "%u; %u", PLAN_PROCESSES_MAX, PLAN_SAMPLES_MAX);
        add_limit(rows, "kept samples of a side of a benchmark; added to them for each process", "%u; %u",
                        PLAN_KEPT_MAX, PLAN_KEPT_BESIDE);
        add_limit(rows, "benchmarks of a run, arguments counted out", "%u", PLAN_BENCHMARKS_MAX);
        add_limit(rows, "benchmarks that filters choose from, arguments counted out", "%u", CHOSEN_NAMES_MAX);
        add_limit(rows, "benchmarks of a comparison, arguments counted out", "%u", PLAN_PAIRS_MAX);
        add_limit(rows, "bytes of all filters times benchmarks, arguments counted out", "%u", CHOSEN_PRODUCT_MAX);
        add_limit(rows, "timeout_ns", "%ju min *", (uintmax_t)config.timeout_max_s / 60);
        add_limit(rows, "stack_bytes", "%ju GiB *", (uintmax_t)config.stack_max_bytes >> 30);
        add_limit(rows, "budget_ns", "%ju h",
                        (uintmax_t)(run_option_field_most(run_option_find("budget")) / 3600000000000));
        add_limit(rows, "instructions and source of an inspection", "%u; %u KiB", INSPECTION_INSTRUCTIONS_MAX,
                        INSPECTION_TEXT_MAX / KIB);
        add_limit(rows, "time of an inspection", "%ju s", (uintmax_t)(SPAWN_INSPECT_TIMEOUT_NS / 1000000000));
        add_limit(rows, "output of a benchmark in a result", "%u KiB", RUNNER_BLOCK_OUTPUT_MAX / KIB);
        return rows;
}

/* With the fields of a request that it takes of those that are benchd's own. */
static json_t *methods(void) {
        const Method *method;
        json_t *rows = json_array();

        for (size_t i = 0; (method = method_at(i)); i++) {
                const RunOption *option;
                json_t *takes = json_array();

                for (size_t j = 0; (option = run_option_at(j)) && method->is_older; j++)
                        if (option->own && method_takes(method, option))
                                json_array_append_new(takes, json_string(option->field));
                json_array_append_new(rows, json_pack("{ss so}", "name", method->name, "takes", takes));
        }
        return rows;
}

static json_t *run_options(void) {
        json_t *rows = json_array();
        const RunOption *option;

        for (size_t i = 0; (option = run_option_at(i)); i++) {
                char range[RUN_OPTION_RANGE_MAX];

                if (option->text)
                        json_array_append_new(rows,
                                        json_pack("{ss ss* ss* ss ss}", "name", option->name, "value", option->value,
                                                        "values", option->words, "range",
                                                        run_option_range(option, range), "text", option->text));
        }
        return rows;
}

static json_t *controls(void) {
        json_t *rows = json_array();

        for (size_t i = 0; i < _CONTROL_KIND_N; i++)
                json_array_append_new(rows,
                                json_pack("{ss ss}", "name", control_name(i), "meaning", control_meaning(i)));
        return rows;
}

static json_t *marks(void) {
        const Mark *mark;
        json_t *rows = json_array();

        for (size_t i = 0; (mark = mark_at(i)); i++)
                json_array_append_new(rows, json_pack("{si ss ss*}", "bit", (int)mark->bit, "word", mark->word, "found",
                                                            mark->found));
        return rows;
}

/* The kinds that a list of @scope has. */
static json_t *warnings(WarningScope scope) {
        json_t *rows = json_array();

        for (size_t i = 0; i < _WARNING_KIND_N; i++) {
                const WarningWords *words = warning_words(i);

                if (words->scope == scope || words->scope == WARNING_OF_BOTH)
                        json_array_append_new(rows,
                                        json_pack("{ss ss* ss* ss}", "kind", words->kind, "note", words->note, "advice",
                                                        words->advice, "meaning", words->meaning));
        }
        return rows;
}

int main(void) {
        json_t *tables = json_pack("{so so so so so so so so so}", "run options", run_options(), "options", options(),
                        "messages", messages(), "limits", limits(), "methods", methods(), "controls", controls(),
                        "marks", marks(), "warnings", warnings(WARNING_OF_ROWS), "warnings of machines",
                        warnings(WARNING_OF_MACHINES));
        int r = json_dumpf(tables, stdout, JSON_INDENT(1));

        json_decref(tables);
        return r == 0 && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
