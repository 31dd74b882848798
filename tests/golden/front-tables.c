/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Prints what of benchd stands in a table and is told by a text too: options of the configuration, messages of the log,
 * limits of the protocol. test-tables.py holds the texts against it.
 */

#include <stdint.h>
#include <stdio.h>

#include "front/base/config.h"
#include "front/base/log.h"
#include "front/base/warning.h"
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

#define KIB 1024u
#define MIB (1024u * 1024u)

static void print_options(void) {
        const ConfigOption *option;

        for (size_t i = 0; (option = config_option_at(i)); i++) {
                char takes[CONFIG_VALUE_MAX];

                config_describe(option, takes);
                printf("option\t%s\t%s\t%s\t%s\t%s\n", option->section, option->name, takes, option->fallback,
                                option->text);
        }
}

static void print_messages(void) {
        const LogRow *row;

        for (size_t i = 0; (row = log_row_at(i)); i++)
                printf("message\t%s\t%s\t%s\n", row->name, row->id, row->text);
}

/* As PROTOCOL.md has them, cell for cell. */
static void print_limits(void) {
        Config config;

        config_init(&config);
        printf("limit\ta message to the daemon; from it\t%u KiB; %u MiB\n", FRAME_REQUEST_MAX / KIB,
                        FRAME_REPLY_MAX / MIB);
        printf("limit\ta message once decoded\t%zu MiB of memory\n", (size_t)BUDGET_MESSAGE_BYTES / MIB);
        printf("limit\tdescriptors with a frame; with frames not taken yet, of one user and of all\t"
               "%u; for each of its jobs %u *; for each of all jobs %u *\n",
                        SHARE_JOB_DESCRIPTORS, SHARE_JOB_DESCRIPTORS, SHARE_JOB_DESCRIPTORS);
        printf("limit\tHello, and each frame from its first byte to its last\t%ju s *\n", (uintmax_t)config.patience_s);
        printf("limit\tconnections\t%ju (%ju of them for root), of one user %ju *\n", (uintmax_t)config.clients,
                        (uintmax_t)config.clients_for_root, (uintmax_t)config.clients_per_user);
        printf("limit\tjobs (run, list, inspect) under way\t%ju (%ju of them for root), of one user %ju *\n",
                        (uintmax_t)config.jobs, (uintmax_t)config.jobs_for_root, (uintmax_t)config.jobs_per_user);
        printf("limit\treplies left unread\t%u MiB on a connection, %ju MiB of one user *: beyond, the connection ends\n",
                        FRAME_QUEUE_MAX / MIB, (uintmax_t)config.unread_per_user_bytes / MIB);
        printf("limit\tmodule and each library\t%u MiB; %u libraries\n", OPS_MODULE_MAX / MIB, RUNNER_LIBRARIES_MAX);
        printf("limit\tinputs\t%u of %u MiB\n", RUNNER_INPUTS_MAX, OPS_MODULE_MAX / MIB);
        printf("limit\tfilters\t%u of %u bytes\n", REQUEST_FILTERS_MAX, FILTER_BYTES_MAX);
        printf("limit\treference\t%u bytes\n", FILTER_BYTES_MAX);
        printf("limit\tenvironment\t%u bytes\n", REQUEST_ENVIRONMENT_MAX);
        printf("limit\tmodule_name, each of library_names and input_names\t%u bytes\n", REQUEST_NAME_MAX);
        printf("limit\tprocesses of a run; samples of a benchmark\t%u; %u\n", PLAN_PROCESSES_MAX, PLAN_SAMPLES_MAX);
        printf("limit\tkept samples of a side of a benchmark; added to them for each process\t%u; %u\n", PLAN_KEPT_MAX,
                        PLAN_KEPT_BESIDE);
        printf("limit\tbenchmarks of a run, arguments counted out\t%u\n", PLAN_BENCHMARKS_MAX);
        printf("limit\tbenchmarks that filters choose from, arguments counted out\t%u\n", CHOSEN_NAMES_MAX);
        printf("limit\tbenchmarks of a comparison, arguments counted out\t%u\n", PLAN_PAIRS_MAX);
        printf("limit\tbytes of all filters times benchmarks, arguments counted out\t%u\n", CHOSEN_PRODUCT_MAX);
        printf("limit\ttimeout_ns\t%ju min *\n", (uintmax_t)config.timeout_max_s / 60);
        printf("limit\tstack_bytes\t%ju GiB *\n", (uintmax_t)config.stack_max_bytes >> 30);
        printf("limit\tbudget_ns\t%ju h\n", (uintmax_t)(REQUEST_BUDGET_MAX_NS / 3600000000000));
        printf("limit\tinstructions and source of an inspection\t%u; %u KiB\n", INSPECTION_INSTRUCTIONS_MAX,
                        INSPECTION_TEXT_MAX / KIB);
        printf("limit\ttime of an inspection\t%ju s\n", (uintmax_t)(SPAWN_INSPECT_TIMEOUT_NS / 1000000000));
        printf("limit\toutput of a benchmark in a result\t%u KiB\n", RUNNER_BLOCK_OUTPUT_MAX / KIB);
}

/* With the fields of a request that it takes. */
static void print_methods(void) {
        static const struct {
                uint32_t takes;
                const char *field;
        } fields[] = {
                { METHOD_TAKES_SAMPLES, "samples" },
                { METHOD_TAKES_ITERATIONS, "iterations" },
                { METHOD_TAKES_MIN_TIME, "min_time_ns" },
                { METHOD_TAKES_WARMUP, "warmup_ns" },
                { METHOD_TAKES_BUDGET, "budget_ns" },
        };
        const Method *method;

        for (size_t i = 0; (method = method_at(i)); i++) {
                printf("method\t%s\t", method->name);
                for (size_t j = 0; j < N_ELEMENTS(fields) && method->is_older; j++)
                        if (method->takes & fields[j].takes)
                                printf("%s ", fields[j].field);
                putchar('\n');
        }
}

/* With the width of its advice, which stands in a line of 80 columns. */
static void print_warnings(void) {
        for (size_t i = 0; i < _WARNING_KIND_N; i++) {
                Benchd__Finding finding = BENCHD__FINDING__INIT;

                warning_describe(i, &finding);
                printf("warning\t%s\t%s\t%s\n", finding.kind, finding.note ? finding.note : "", finding.advice);
        }
}

int main(void) {
        print_warnings();
        print_options();
        print_messages();
        print_limits();
        print_methods();
        return 0;
}
