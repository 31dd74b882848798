/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/clients/request.h"

#include <inttypes.h>
#include <sched.h>
#include <string.h>

#include "front/base/commit.h"
#include "front/base/config.h"
#include "front/base/text.h"
#include "front/plan/method.h"
#include "ops/filter.h"
#include "ops/runner-plan.h"
#include "proto/run-request.h"
#include "stats/comparison.h"
#include "util/amount.h"
#include "util/cleanup.h"
#include "util/glob.h"
#include "util/time.h"

/* ---- which modules */

ModuleRequest request_module_of_run(const Benchd__RunRequest *run) {
        return (ModuleRequest){
                .run_id = run->stored_run_id,
                .name = run->module_name ? run->module_name : "module",
                .commit = run->commit,
                .library_names = run->library_names,
                .n_libraries = run->n_library_names,
                .n_preloaded = run->preloaded,
                .filters = run->filters,
                .n_filters = run->n_filters,
                .environment = run->environment,
                .n_environment = run->n_environment,
        };
}

ModuleRequest request_module_of_comparison(const Benchd__Comparison *comparison) {
        return (ModuleRequest){
                .run_id = comparison->run_id,
                .name = comparison->module_name ? comparison->module_name : "module",
                .commit = comparison->commit,
                .library_names = comparison->library_names,
                .n_libraries = comparison->n_library_names,
                .n_preloaded = comparison->preloaded,
        };
}

ModuleRequest request_module_of_list(const Benchd__ListRequest *list) {
        return (ModuleRequest){
                .name = list->module_name ? list->module_name : "module",
                .library_names = list->library_names,
                .n_libraries = list->n_library_names,
                .n_preloaded = list->preloaded,
                .filters = list->filters,
                .n_filters = list->n_filters,
                .environment = list->environment,
                .n_environment = list->n_environment,
        };
}

ModuleRequest request_module_of_inspect(const Benchd__InspectRequest *inspect) {
        return (ModuleRequest){
                .run_id = inspect->stored_run_id,
                .name = inspect->module_name ? inspect->module_name : "module",
                .library_names = inspect->library_names,
                .n_libraries = inspect->n_library_names,
        };
}

size_t request_count_fds(const ModuleRequest *request) {
        return request->run_id ? 0 : 1 + request->n_libraries;
}

size_t request_read_modules(const Benchd__Request *request, ModuleRequest ret_wants[static RUNNER_SIDES_MAX]) {
        if (request->run)
                ret_wants[0] = request_module_of_run(request->run);
        else if (request->inspect)
                ret_wants[0] = request_module_of_inspect(request->inspect);
        else
                ret_wants[0] = request_module_of_list(request->list);
        if (!request->run || !request->run->comparison)
                return 1;
        ret_wants[1] = request_module_of_comparison(request->run->comparison);
        return 2;
}

/* ---- checks */

static int refuse(ReplyError *why) {
        return why ? REQUEST_E_BAD : 0;
}

static ReplyError *check_names(const ModuleRequest *request, ReplyError *why) {
        if (strlen(request->name) > REQUEST_NAME_MAX)
                return reply_error_bad(why, "The module's name has more than %u bytes.", REQUEST_NAME_MAX);
        if (request->commit && !commit_is_valid(request->commit))
                return reply_error_bad(why,
                                "The module's commit has no id of 1 to %u printable characters without spaces, or a "
                                "subject of more than %u bytes.",
                                COMMIT_ID_MAX, COMMIT_SUBJECT_MAX);
        if (request->n_libraries > RUNNER_LIBRARIES_MAX)
                return reply_error_bad(why, "%zu libraries beside one module, of at most %u.", request->n_libraries,
                                RUNNER_LIBRARIES_MAX);
        if (request->n_preloaded > request->n_libraries)
                return reply_error_bad(why, "%zu libraries are to be preloaded, of the %zu that came.",
                                request->n_preloaded, request->n_libraries);
        for (size_t i = 0; i < request->n_libraries; i++)
                if (strlen(request->library_names[i]) > REQUEST_NAME_MAX)
                        return reply_error_bad(why, "The name of library %zu has more than %u bytes.", i + 1,
                                        REQUEST_NAME_MAX);
        return NULL;
}

static ReplyError *check_descriptors(const ModuleRequest *request, size_t n_fds, ReplyError *why) {
        if (request->run_id && (n_fds > 0 || request->n_libraries > 0))
                return reply_error_set(why, BENCHD__ERROR__CODE__PROTOCOL,
                                "The module of an earlier job comes with neither descriptors nor library_names.");
        if (n_fds == request_count_fds(request))
                return NULL;
        return reply_error_set(why, BENCHD__ERROR__CODE__PROTOCOL,
                        "%zu descriptors came with a module and %zu libraries.", n_fds, request->n_libraries);
}

static ReplyError *check_filters(const ModuleRequest *request, ReplyError *why) {
        if (request->n_filters > REQUEST_FILTERS_MAX)
                return reply_error_bad(why, "%zu filters, of at most %u.", request->n_filters, REQUEST_FILTERS_MAX);
        for (size_t i = 0; i < request->n_filters; i++) {
                int r;

                if (strlen(request->filters[i]) > FILTER_BYTES_MAX)
                        return reply_error_bad(why, "Filter %zu has more than %u bytes.", i + 1, FILTER_BYTES_MAX);
                r = filter_check(request->filters[i]);
                if (r > 0)
                        return reply_error_bad(why, "Filter %zu, '%s', %s.", i + 1, request->filters[i],
                                        glob_outcome_words(r));
        }
        return NULL;
}

static ReplyError *check_environment(const ModuleRequest *request, ReplyError *why) {
        size_t n_bytes = 0;

        for (size_t i = 0; i < request->n_environment; i++) {
                const char *equals = strchr(request->environment[i], '=');

                if (!equals || equals == request->environment[i])
                        return reply_error_bad(why, "Environment entry %zu is not of the form NAME=VALUE.", i + 1);
                n_bytes += strlen(request->environment[i]) + 1;
        }
        if (n_bytes > REQUEST_ENVIRONMENT_MAX)
                return reply_error_bad(why, "The environment takes %zu bytes, of at most %u.", n_bytes,
                                REQUEST_ENVIRONMENT_MAX);
        return NULL;
}

int request_check_module(const ModuleRequest *request, size_t n_fds, ReplyError *ret_why) {
        ReplyError *why;

        why = check_names(request, ret_why);
        if (!why)
                why = check_descriptors(request, n_fds, ret_why);
        if (!why)
                why = check_filters(request, ret_why);
        if (!why)
                why = check_environment(request, ret_why);
        return refuse(why);
}

/* An interval over rounds takes three of them. */
static ReplyError *check_rounds(const Benchd__RunRequest *run, ReplyError *why) {
        const uint64_t n = run->has_rounds ? run->rounds : 1, processes = run->has_processes ? run->processes : 1;

        if ((n > 1 || run->has_spread_ns) && !run->comparison)
                return reply_error_bad(why, "rounds and spread_ns are of a comparison.");
        if (n == 2)
                return reply_error_bad(why, "rounds is 2, and an interval over rounds takes at least %u.",
                                COMPARISON_N_MIN);
        if ((n > 1 || run->has_spread_ns) &&
                        (run->has_precision || run->has_processes_most || run->has_processes_least))
                return reply_error_bad(why, "rounds and spread_ns are of a fixed number of processes: give processes, "
                                            "and neither a precision nor processes_most.");
        if (n > 1 && n * processes > RUNNER_PROCESSES_MAX)
                return reply_error_bad(why, "%" PRIu64 " rounds of %" PRIu64 " processes are over %u in all.", n,
                                processes, RUNNER_PROCESSES_MAX);
        return NULL;
}

static ReplyError *check_comparison(const Benchd__RunRequest *run, ReplyError *why) {
        if (!run->comparison->benchmark != !run->comparison->new_benchmark)
                return reply_error_bad(why, "A benchmark is named on both sides of a comparison or on none.");
        if (run->memory || (run->has_threads && run->threads > 1))
                return reply_error_bad(why,
                                "A comparison times one thread of each side: it takes neither threads nor memory.");
        if (run->has_cpus_per_run && run->cpus_per_run > 1 &&
                        run->n_commands == 0) /* a command is over before the next begins */
                return reply_error_bad(why,
                                "A comparison times both sides in turns on one CPU, beside which the threads of the "
                                "other would run: it takes no cpus_per_run. Run each by itself, and show the two jobs.");
        if (run->has_rounds && run->n_commands > 0)
                return reply_error_bad(why, "A comparison of commands takes no rounds.");
        if (run->reference)
                return reply_error_bad(why, "A comparison shows ratios already: it takes no reference.");
        return NULL;
}

static ReplyError *check_inputs(const Benchd__RunRequest *run, size_t n_fds, ReplyError *why) {
        if (run->n_input_names > RUNNER_INPUTS_MAX)
                return reply_error_bad(why, "%zu inputs, of at most %u.", run->n_input_names, RUNNER_INPUTS_MAX);
        if (n_fds < run->n_input_names)
                return reply_error_set(why, BENCHD__ERROR__CODE__PROTOCOL, "%zu descriptors came with %zu inputs.",
                                n_fds, run->n_input_names);
        for (size_t i = 0; i < run->n_input_names; i++) {
                const char *name = run->input_names[i];

                if (strlen(name) > REQUEST_NAME_MAX || !runner_plan_input_name_is_valid(name))
                        return reply_error_bad(why,
                                        "The name of input %zu is not that of a file, of at most %u bytes and without '/'.",
                                        i + 1, REQUEST_NAME_MAX);
                for (size_t j = 0; j < i; j++)
                        if (strcmp(name, run->input_names[j]) == 0)
                                return reply_error_bad(why, "Inputs %zu and %zu have the same name.", j + 1, i + 1);
        }
        return NULL;
}

int request_check_modules(const Benchd__RunRequest *run, size_t n_fds, ReplyError *ret_why) {
        const ModuleRequest new = request_module_of_run(run);
        ModuleRequest old;
        size_t n_new = request_count_fds(&new);

        if (check_inputs(run, n_fds, ret_why))
                return REQUEST_E_BAD;
        n_fds -= run->n_input_names;
        if (!run->comparison)
                return request_check_module(&new, n_fds, ret_why);
        old = request_module_of_comparison(run->comparison);
        if (new.n_libraries + old.n_libraries > RUNNER_LIBRARIES_MAX)
                return refuse(reply_error_bad(ret_why, "%zu libraries beside two modules, of at most %u.",
                                new.n_libraries + old.n_libraries, RUNNER_LIBRARIES_MAX));
        n_new = n_fds < n_new ? n_fds : n_new;
        if (request_check_module(&new, n_new, ret_why) || request_check_module(&old, n_fds - n_new, ret_why))
                return REQUEST_E_BAD;
        return refuse(check_comparison(run, ret_why));
}

int request_check_inspect(const Benchd__InspectRequest *inspect, ReplyError *ret_why) {
        const char *name = inspect->benchmark ? inspect->benchmark : "", *slash = strchr(name, '/');
        const size_t n_area = slash ? (size_t)(slash - name) : 0;

        if (n_area < RUNNER_NAME_MAX && strlen(slash ? slash + 1 : name) < RUNNER_NAME_MAX)
                return 0;
        return refuse(reply_error_bad(ret_why, "benchmark is not AREA/NAME or NAME, each of at most %u bytes.",
                        RUNNER_NAME_MAX - 1));
}

static ReplyError *check_cold(const Benchd__RunRequest *run, ReplyError *why) {
        if (!run->cold || !run->has_iterations || run->iterations == 1)
                return NULL;
        return reply_error_bad(why,
                        "iterations is %" PRIu64 ", but only the first iteration after the caches are emptied is cold.",
                        run->iterations);
}

static ReplyError *refuse_number(const Benchd__RunRequest *run, const RunOption *option, ReplyError *why) {
        if (option->kind == RUN_OPTION_PERCENT)
                return reply_error_bad(why, "%s is %g, not from %g to %g.", option->field,
                                run_request_fraction(run, option), option->least / 100, option->most / 100);
        return reply_error_bad(why, "%s is %" PRIu64 ", not from %" PRIu64 " to %" PRIu64 ".", option->field,
                        run_request_number(run, option), run_option_field_least(option), run_option_field_most(option));
}

static ReplyError *check_numbers(const Benchd__RunRequest *run, ReplyError *why) {
        const RunOption *option;

        for (size_t i = 0; (option = run_option_at(i)); i++)
                if (run_option_is_number(option) && run_request_has(run, option) &&
                                !run_request_is_in_range(run, option))
                        return refuse_number(run, option, why);
        return NULL;
}

static ReplyError *check_cpus(const Benchd__RunRequest *run, ReplyError *why) {
        if (run->n_cpus > CPU_SETSIZE)
                return reply_error_bad(why, "cpus has %zu entries, of at most %u.", run->n_cpus, CPU_SETSIZE);
        for (size_t i = 0; i < run->n_cpus; i++)
                if (run->cpus[i] >= CPU_SETSIZE)
                        return reply_error_bad(why, "cpus has %" PRIu32 ", which is not below %u.", run->cpus[i],
                                        CPU_SETSIZE);
        return NULL;
}

/* Several threads of benchd's would share their CPUs with the body's own. */
static ReplyError *check_own_cpus(const Benchd__RunRequest *run, ReplyError *why) {
        if (!run->has_cpus_per_run || !run->has_threads || run->cpus_per_run == 1 || run->threads == 1)
                return NULL;
        return reply_error_bad(why,
                        "threads is %" PRIu32 " and cpus_per_run is %" PRIu32
                        ": CPUs for threads that a body starts itself are lent to one thread of benchd's.",
                        run->threads, run->cpus_per_run);
}

static ReplyError *check_processes_most(const Benchd__RunRequest *run, ReplyError *why) {
        if (!run->has_processes_most || (run->comparison && !run->has_processes && !run->has_precision))
                return NULL;
        return reply_error_bad(why,
                        "processes_most is %" PRIu32
                        ", but only a comparison without processes and precision ends by itself.",
                        run->processes_most);
}

static ReplyError *check_processes_least(const Benchd__RunRequest *run, ReplyError *why) {
        if (!run->has_processes_least || run->has_precision || (run->comparison && !run->has_processes))
                return NULL;
        return reply_error_bad(why,
                        "processes_least is %" PRIu32
                        ", but the number is fixed: it is open with a precision, or in a comparison without processes.",
                        run->processes_least);
}

static ReplyError *check_reference(const Benchd__RunRequest *run, ReplyError *why) {
        if (!run->reference || strlen(run->reference) <= FILTER_BYTES_MAX)
                return NULL;
        return reply_error_bad(why, "The name of the reference has more than %u bytes.", FILTER_BYTES_MAX);
}

static ReplyError *check_directory(const Benchd__RunRequest *run, ReplyError *why) {
        if (!run->directory)
                return NULL;
        if (strlen(run->directory) >= RUNNER_DIRECTORY_MAX || !runner_plan_directory_is_valid(run->directory))
                return reply_error_bad(why, "directory is not an absolute path of at most %u bytes.",
                                RUNNER_DIRECTORY_MAX - 1);
        return NULL;
}

static ReplyError *check_seen(const Benchd__RunRequest *run, ReplyError *why) {
        if (run->n_seen > RUNNER_SEEN_MAX)
                return reply_error_bad(why, "A run sees at most %u paths: name a directory above them.",
                                RUNNER_SEEN_MAX);
        for (size_t i = 0; i < run->n_seen; i++) {
                const bool is_long = strlen(run->seen[i]) >= RUNNER_DIRECTORY_MAX;
                const char *refusal = is_long ? NULL : runner_plan_seen_refusal(run->seen[i]);

                if (is_long)
                        return reply_error_bad(why, "A path that a run is to see has more than %u bytes.",
                                        RUNNER_DIRECTORY_MAX - 1);
                if (refusal)
                        return reply_error_bad(why, "A run cannot see %s: it %s.", run->seen[i], refusal);
        }
        return NULL;
}

/* Adds the bytes of all to @n_bytes. */
static ReplyError *check_parameters(const Benchd__RunRequest *run, size_t *n_bytes, ReplyError *why) {
        if (run->n_parameters > REQUEST_PARAMETERS_MAX)
                return reply_error_bad(why, "%zu parameters of commands, of at most %u.", run->n_parameters,
                                REQUEST_PARAMETERS_MAX);
        for (size_t i = 0; i < run->n_parameters; i++) {
                const Benchd__CommandParameter *parameter = run->parameters[i];

                if (!parameter->name || !parameter->value || parameter->command >= run->n_commands)
                        return reply_error_bad(why, "A parameter lacks its name or its value, or is of no command.");
                *n_bytes += strlen(parameter->name) + strlen(parameter->value);
        }
        return NULL;
}

/* A text comes back in the result, and is otherwise nothing to the daemon. */
static ReplyError *check_commands(const Benchd__RunRequest *run, ReplyError *why) {
        size_t n_bytes = 0;

        if (run->n_commands > REQUEST_COMMANDS_MAX)
                return reply_error_bad(why, "%zu commands, of at most %u.", run->n_commands, REQUEST_COMMANDS_MAX);
        for (size_t i = 0; i < run->n_commands; i++)
                n_bytes += strlen(run->commands[i]);
        if (check_parameters(run, &n_bytes, why))
                return why;
        if (n_bytes <= REQUEST_COMMANDS_BYTES)
                return NULL;
        return reply_error_bad(why, "The texts of the commands have %zu bytes, of at most %u.", n_bytes,
                        REQUEST_COMMANDS_BYTES);
}

/* The options of a method are checked here where the request names it; of a module's own, when its listing is there. */
static ReplyError *check_method(const Benchd__RunRequest *run, ReplyError *why) {
        const Method *method = method_find(run->method ? run->method : "");
        char names[METHOD_NAMES_MAX];
        const char *refused;

        if (!method) {
                reply_error_bad(why, "There is no method '%.*s'.", (int)RUNNER_NAME_MAX, run->method);
                reply_error_hint(why, "There are: %s.%s", method_names(names),
                                strcmp(run->method, "mark0") == 0 || strcmp(run->method, "mark1") == 0
                                                ? " Mark0 and Mark1 are benchmarks of examples/pitfalls/marks.c."
                                                : "");
                return why;
        }
        if (method->is_older && run->comparison)
                return reply_error_bad(why, "A comparison measures both sides in turns, which the method %s does not.",
                                method->name);
        refused = method_refuses(method, run);
        if (refused && run->method)
                return reply_error_bad(why, "The method %s does not take --%s.", method->name, refused);
        if (!run->has_samples || method_takes_samples(method, run->samples))
                return NULL;
        return reply_error_bad(why, "The method %s takes from %" PRIu32 " to %" PRIu32 " samples.", method->name,
                        method->samples_min, method->samples_max);
}

static ReplyError *check_timeout(const Benchd__RunRequest *run, const Config *config, ReplyError *why) {
        const uint64_t timeout_max_ns = config->timeout_max_s * NS_PER_S;

        if (!run->has_timeout_ns || run->timeout_ns <= timeout_max_ns)
                return NULL;
        return reply_error_bad(why,
                        "timeout_ns: %.10g s are more than the %.10g s that timeout_max= of benchd.conf allows.",
                        (double)run->timeout_ns / NS_PER_S, (double)timeout_max_ns / NS_PER_S);
}

static ReplyError *check_stack(const Benchd__RunRequest *run, const Config *config, ReplyError *why) {
        char wanted[AMOUNT_TEXT_MAX], most[AMOUNT_TEXT_MAX];

        if (!run->has_stack_bytes || run->stack_bytes <= config->stack_max_bytes)
                return NULL;
        return reply_error_bad(why, "stack_bytes: %s are more than the %s that stack_max= of benchd.conf allows.",
                        amount_bytes(run->stack_bytes, 4, wanted), amount_bytes(config->stack_max_bytes, 4, most));
}

int request_check_run(const Benchd__RunRequest *run, const Config *config, ReplyError *ret_why) {
        if (check_numbers(run, ret_why) || check_timeout(run, config, ret_why) || check_stack(run, config, ret_why) ||
                        check_own_cpus(run, ret_why) || check_rounds(run, ret_why) || check_cpus(run, ret_why) ||
                        check_cold(run, ret_why) || check_directory(run, ret_why) || check_seen(run, ret_why) ||
                        check_commands(run, ret_why) || check_reference(run, ret_why) ||
                        check_processes_most(run, ret_why) || check_processes_least(run, ret_why) ||
                        check_method(run, ret_why))
                return REQUEST_E_BAD;
        return 0;
}

/* The message of the alternative of that index among the fields; NULL if it is not set, or is none. */
static const ProtobufCMessage *request_alternative(const Benchd__Request *request, unsigned index) {
        const ProtobufCFieldDescriptor *field = &request->base.descriptor->fields[index];

        if (field->type != PROTOBUF_C_TYPE_MESSAGE)
                return NULL;
        return *(ProtobufCMessage *const *)((const char *)request + field->offset);
}

size_t request_count_set(const Benchd__Request *request) {
        size_t n = 0;

        for (unsigned i = 0; i < request->base.descriptor->n_fields; i++)
                n += request_alternative(request, i) != NULL;
        return n;
}

const char *request_run_id(const Benchd__Request *request) {
        for (unsigned i = 0; i < request->base.descriptor->n_fields; i++) {
                const ProtobufCMessage *message = request_alternative(request, i);
                const ProtobufCFieldDescriptor *field =
                                message ? protobuf_c_message_descriptor_get_field_by_name(message->descriptor, "run_id")
                                        : NULL;

                if (field)
                        return *(char *const *)((const char *)message + field->offset);
        }
        return NULL;
}
