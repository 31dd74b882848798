/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "front/base/commit.h"
#include "front/base/message.h"
#include "front/base/warning.h"
#include "front/plan/chosen.h"
#include "front/report/clock-report.h"
#include "front/report/comparability.h"
#include "front/report/comparison-report.h"
#include "front/report/complexity-report.h"
#include "front/report/environment.h"
#include "front/report/inspection.h"
#include "front/report/machine-controls.h"
#include "front/samples/empty-loop.h"
#include "front/samples/instruments.h"
#include "stats/interval.h"
#include "stats/sequence.h"
#include "util/error.h"
#include "util/time.h"

#define RESULT_CONFIDENCE 0.95

Benchd__RunResult__Verdict result_verdict(const MeasurementCount *count, bool cancelled) {
        if (cancelled)
                return BENCHD__RUN_RESULT__VERDICT__PARTIAL;
        if (count->measured == 0)
                return count->failed > 0 ? BENCHD__RUN_RESULT__VERDICT__FAILED : BENCHD__RUN_RESULT__VERDICT__SKIPPED;
        if (count->failed > 0)
                return BENCHD__RUN_RESULT__VERDICT__PARTIAL;
        if (count->unfit > 0)
                return BENCHD__RUN_RESULT__VERDICT__UNFIT;
        return count->untold > 0 ? BENCHD__RUN_RESULT__VERDICT__CANNOT_TELL : BENCHD__RUN_RESULT__VERDICT__FIT;
}

/* True where no benchmark before @index has its method. */
static bool method_is_new(const Plan *plan, size_t index) {
        for (size_t i = 0; i < index; i++)
                if (plan->benchmarks[i].method == plan->benchmarks[index].method)
                        return false;
        return plan->benchmarks[index].method != NULL;
}

/* With the options of @run by which its times are others. An older method tells of the first call only where it has one. */
static char *method_words(Arena *arena, const Method *method, const Benchd__RunRequest *run) {
        char *words = arena_text(arena, method->name);
        const RunOption *option;

        for (size_t i = 0; (option = run_option_at(i)); i++) {
                uint64_t number;

                if (!option->departs || !method_takes(method, option) || (method->is_older && !method->primes))
                        continue;
                number = run_request_number(run, option);
                if (number <= option->least)
                        continue;
                words = run_option_is_number(option)
                                        ? arena_format(arena, "%s %s=%" PRIu64, words, option->departs, number)
                                        : arena_format(arena, "%s %s", words, option->departs);
        }
        return words;
}

char *result_method(Arena *arena, const Plan *plan, const Benchd__RunRequest *run) {
        char *words = NULL;

        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                char *more;

                if (!method_is_new(plan, i))
                        continue;
                more = method_words(arena, plan->benchmarks[i].method, run);
                words = words ? arena_format(arena, "%s, %s", words, more) : more;
        }
        return words ? words : arena_text(arena, "");
}

static void result_add_method_warnings(const Plan *plan, Arena *arena, ArenaList *warnings) {
        for (size_t i = 0; i < plan->n_benchmarks; i++) {
                const Method *method = plan->benchmarks[i].method;

                if (method_is_new(plan, i) && method->is_older)
                        arena_list_add(warnings, arena,
                                        "%s measures in one process: the spread within it is a lower bound of that "
                                        "of several. Its caps: %s",
                                        method->name, method->caps);
        }
}

/* A mistyped name beside one that matches would go unseen. */
static void result_add_unmatched(const Plan *plan, Arena *arena, ArenaList *warnings) {
        if (plan->unmatched)
                arena_list_add(warnings, arena, CHOSEN_UNMATCHED_WARNING, plan->n_sides > 1 ? " of the new side" : "",
                                plan->unmatched);
}

static void result_add_shared_cpu(const ResultFacts *facts, Arena *arena, ArenaList *warnings) {
        const char *text = facts->environment->n_cpus > 1
                                           ? "benchmarks of several CPUs needed CPU %d too, which interrupts and the "
                                             "daemon use: they ran without SCHED_FIFO"
                                           : "CPU %d is the only one that the daemon has: interrupts, the daemon and "
                                             "all other programs use it too";

        arena_list_add(warnings, arena, text, facts->shared_cpu);
}

/* Benchmarks of two sides that are neither compared nor named elsewhere. */
static void result_add_pairing_warnings(const Plan *plan, Arena *arena, ArenaList *warnings) {
        if (plan->n_unnamed > 0)
                arena_list_add(warnings, arena,
                                "%zu more benchmarks are on one side only and not named here: narrow the choice "
                                "with filters",
                                plan->n_unnamed);
        if (plan->n_of_cpus > 0)
                arena_list_add(warnings, arena,
                                "%zu benchmark%s of several threads or CPUs left out: a comparison times both sides on "
                                "one CPU",
                                plan->n_of_cpus, plan->n_of_cpus == 1 ? "" : "s");
}

/* Rounds that cover less than they may seem to: of one build, or one after the other. */
static void result_add_rounds(const ResultFacts *facts, Arena *arena, ArenaList *warnings) {
        const Plan *plan = measurement_plan(facts->measurement);
        const bool one_new = facts->modules[0].n_links == 1, one_old = facts->modules[1].n_links == 1;

        if (plan->n_rounds > 1 && (one_new || one_old))
                arena_list_add(warnings, arena,
                                "%s the same build in all rounds: the interval covers the time between rounds, and "
                                "not what another link would change. Sources are linked anew for each round",
                                one_new && one_old ? "both sides are"
                                : one_new          ? "the new side is"
                                                   : "the old side is");
        if (facts->late)
                arena_list_add(warnings, arena,
                                "the measuring took longer than --spread=%.10g leaves it: not all parts of the run "
                                "rested before they began. Spread it over more time",
                                (double)plan->spread_ns / NS_PER_S);
}

/* A module whose code stays where its linker put it, with the reason. */
static void result_add_fixed_image(SampleImageState state, const char *whose, Arena *arena, ArenaList *warnings) {
        static const char *const reasons[_IMAGE_STATE_N] = {
                [IMAGE_FIXED_CODE] = "its code is aligned to 64 bytes or more, as its author asked",
                [IMAGE_FIXED_DATA] = "it has data that is aligned to 64 bytes or more",
                [IMAGE_FIXED_STRIPPED] =
                                "it has no section headers, which name its alignment: strip it without further options",
                [IMAGE_FIXED_SEGMENTS] = "one of its segments fills its last page",
                [IMAGE_FIXED_FORM] = "it holds something that benchd cannot move",
        };

        if (reasons[state])
                arena_list_add(warnings, arena,
                                "%s was not moved within its cache line: %s. A build whose code lies elsewhere may "
                                "be faster or slower for that alone",
                                whose, reasons[state]);
}

static bool was_given_up(const Benchd__Environment *environment, const char *control) {
        for (size_t i = 0; i < environment->n_controls; i++)
                if (strcmp(environment->controls[i]->name, control) == 0)
                        return environment->controls[i]->outcome == BENCHD__CONTROL__OUTCOME__OVERRIDDEN;
        return false;
}

/* In a run the rows say so. */
static void result_add_instruments(const Benchd__RunResult *result, Arena *arena, ArenaList *warnings) {
        const char *words = NULL;

        for (size_t i = 0; i < result->n_instrumented; i++)
                words = words ? arena_format(arena, "%s, %s", words, result->instrumented[i]) : result->instrumented[i];
        if (words)
                arena_list_add(warnings, arena,
                                "instruments were timed with the modules: %s. The ratio is not that of the programs alone",
                                words);
}

static bool was_inspected(const ResultFacts *facts) {
        for (size_t i = 0; i < facts->n_modules; i++)
                if (!facts->modules[i].inspected)
                        return false;
        return true;
}

/* 0: nothing was to be had. */
static bool is_missing(uint32_t outcome) {
        return outcome != 0 && outcome != OPS_OUTCOME_APPLIED;
}

static void result_add_warnings(const ResultFacts *facts, const MeasurementCount *count, Arena *arena,
                ArenaList *warnings) {
        const bool measured = count->measured > 0; /* else there is no number for conditions to spoil */
        const bool unprepared = measurement_plan(facts->measurement)->options & RUNNER_OPTION_UNPREPARED;
        const bool commands = facts->run->n_commands > 0; /* which never have SCHED_FIFO */
        const Benchd__Environment *of = facts->environment;
        const struct {
                bool holds;
                const char *text;
        } rows[] = {
                { !facts->modules[0].optimized,
                                "the module was compiled without optimisation: add -O2, unless such code is to be measured" },
                { facts->n_modules > 1 && !facts->modules[1].optimized,
                                "the old module was compiled without optimisation: add -O2, unless such code is to be "
                                "measured" },
                { unprepared, "unprepared: neither pinned to a CPU nor at SCHED_FIFO, like any other program" },
                { !unprepared && !commands && of->has_scheduler &&
                                                of->scheduler != BENCHD__ENVIRONMENT__SCHEDULER__FIFO,
                                was_given_up(of, "scheduler")
                                                ? "a benchmark gave up SCHED_FIFO: other programs could take the "
                                                  "CPU within a sample"
                                : plan_has_own_cpus(measurement_plan(facts->measurement))
                                                ? "benchmarks with CPUs for their own threads ran without SCHED_FIFO, which keeps other threads from a CPU: "
                                                  "other programs could take one within a sample"
                                                : "measured without SCHED_FIFO: other programs could take the CPU "
                                                  "within a sample" },
                { !unprepared && of->has_isolation && of->isolation == BENCHD__ENVIRONMENT__ISOLATION__NONE &&
                                                !machine_controls_lost_a_cpu(facts->machine),
                                "the runners were not pinned to a CPU" },
                { measured && clock_report_lacks_ruler(of->tsc),
                                "no ruler on this core: cycles are not counted, and a busy sibling hardware thread would "
                                "not be seen. Run it again when the core's other thread is less busy" },
                { is_missing(facts->machine->adopted_affinity),
                                "the commands were not pinned to the CPUs of the run: they could run elsewhere, beside other programs" },
                { is_missing(facts->machine->adopted_group),
                                "no control group holds the commands: their memory and processes are bounded as in a shell" },
                { !commands && !was_inspected(facts),
                                "the file of a module could not be inspected: its flags, and what its timed loops hold, are "
                                "not known" },
                { facts->cancelled, "cancelled: each benchmark has only the processes that had run" },
                { measured && facts->run->quick,
                                "quick: few and short samples, and intervals that are at least so wide: for a look, not for a verdict" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (rows[i].holds)
                        arena_list_add(warnings, arena, "%s", rows[i].text);
        result_add_unmatched(measurement_plan(facts->measurement), arena, warnings);
        result_add_method_warnings(measurement_plan(facts->measurement), arena, warnings);
        clock_report_warn(arena, of->tsc, warnings);
        environment_warn(arena, of, warnings);
        machine_controls_warn(facts->machine, arena, warnings);
        if (facts->shared_cpu >= 0 && !unprepared)
                result_add_shared_cpu(facts, arena, warnings);
        for (size_t i = 0; facts->image_states && i < facts->n_modules; i++)
                result_add_fixed_image(facts->image_states[i], i == 0 ? "the module" : "the old module", arena,
                                warnings);
        result_add_pairing_warnings(measurement_plan(facts->measurement), arena, warnings);
        result_add_rounds(facts, arena, warnings);
}

/* False: no memory. */
static bool result_add_looks(uint32_t n, Arena *arena, Benchd__Plan *plan) {
        plan->looks = arena_zero(arena, n * sizeof *plan->looks);
        for (uint32_t i = 0; plan->looks && i < n; i++) {
                const SequenceLook of = sequence_look(&(SequencePoint){ .n = n, .look = i });
                Benchd__Look *look = message_new(arena, Benchd__Look, benchd__look);

                if (!look)
                        return false;
                message_set(look, processes, of.pairs);
                message_set_finite(look, beyond, of.beyond);
                message_set_finite(look, same, of.same);
                plan->looks[plan->n_looks++] = look;
        }
        return plan->looks;
}

static int result_add_plan(const ResultFacts *facts, Arena *arena, Benchd__RunResult *result) {
        const Plan *planned = measurement_plan(facts->measurement);
        const uint32_t n_looks = plan_most_looks(planned);
        uint32_t processes = planned->precision > 0 || n_looks > 0 ? measurement_most_processes(facts->measurement)
                                                                   : plan_most_processes(planned);
        Benchd__Plan *plan = message_new(arena, Benchd__Plan, benchd__plan);

        if (!plan)
                return error_origin(-ENOMEM);
        message_set(plan, processes, processes);
        message_set(plan, samples, plan_most_samples(planned));
        if (planned->target_ns > 0)
                message_set(plan, target_ns, planned->target_ns);
        message_set(plan, budget_ns, planned->budget_ns);
        message_set(plan, expected_ns,
                        planned->expected_ns > planned->spread_ns ? planned->expected_ns : planned->spread_ns);
        message_set_finite(plan, unseen_share, interval_unseen_share(processes, RESULT_CONFIDENCE));
        if (planned->precision > 0)
                message_set_finite(plan, precision, planned->precision);
        if (planned->n_rounds > 1)
                message_set(plan, rounds, planned->n_rounds);
        if (planned->spread_ns > 0)
                message_set(plan, spread_ns, planned->spread_ns);
        if (n_looks > 0 && !result_add_looks(n_looks, arena, plan))
                return error_origin(-ENOMEM);
        if (measurement_was_shortened(facts->measurement))
                plan->shortened_by = arena_text(arena, "budget");
        result->plan = plan;
        return 0;
}

static Benchd__Library *build_library(Arena *arena, const char *name, const char *sha256) {
        Benchd__Library *library = message_new(arena, Benchd__Library, benchd__library);

        if (!library)
                return NULL;
        library->name = arena_text(arena, name);
        library->sha256 = arena_text(arena, sha256);
        return library;
}

static int build_module(const ResultModule *of, Arena *arena, Benchd__Module **ret_module) {
        Benchd__Module *module = message_new(arena, Benchd__Module, benchd__module);

        if (!module)
                return error_origin(-ENOMEM);
        module->name = arena_text(arena, of->wants->name);
        module->sha256 = arena_text(arena, sealed_module_sha256(of->stored, 0));
        if (of->inspected)
                inspection_fill_module(arena, of->inspected, module);
        module->commit = commit_copy(arena, of->wants->commit);
        module->compiler = arena_text(arena, of->compiler);
        message_set(module, optimized, of->optimized);
        if (of->n_links > 1)
                message_set(module, links, of->n_links);
        module->libraries = arena_zero(arena, RUNNER_LIBRARIES_MAX * sizeof *module->libraries);
        if (!module->libraries)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < of->wants->n_libraries; i++) {
                Benchd__Library *library;

                library = build_library(arena, of->wants->library_names[i], sealed_module_sha256(of->stored, i + 1));
                if (!library)
                        return error_origin(-ENOMEM);
                message_set(library, preloaded, i < of->wants->n_preloaded);
                module->libraries[module->n_libraries++] = library;
        }
        *ret_module = module;
        return 0;
}

/* Adds the benchmarks that only one of two modules has. */
static int result_add_unpaired(const Plan *plan, Arena *arena, Benchd__RunResult *result) {
        result->only_new = arena_zero(arena, (plan->n_unpaired + 1) * sizeof *result->only_new);
        result->only_old = arena_zero(arena, (plan->n_unpaired + 1) * sizeof *result->only_old);
        if (!result->only_new || !result->only_old)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < plan->n_unpaired; i++)
                if (i < plan->n_only_new)
                        result->only_new[result->n_only_new++] = arena_text(arena, plan->unpaired[i].text);
                else
                        result->only_old[result->n_only_old++] = arena_text(arena, plan->unpaired[i].text);
        return 0;
}

static int result_add_modules(const ResultFacts *facts, Arena *arena, Benchd__RunResult *result) {
        int r;

        r = build_module(&facts->modules[0], arena, &result->module);
        if (r || facts->n_modules == 1)
                return error_trace(r);
        r = build_module(&facts->modules[1], arena, &result->old_module);
        if (r == 0)
                r = result_add_unpaired(measurement_plan(facts->measurement), arena, result);
        return error_trace(r);
}

static int result_add_inputs(const ResultFacts *facts, Arena *arena, Benchd__RunResult *result) {
        size_t n;

        if (!facts->inputs)
                return 0;
        sealed_module_fds(facts->inputs, &n);
        result->inputs = arena_zero(arena, n * sizeof *result->inputs);
        if (!result->inputs)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++) {
                Benchd__Library *input;

                input = build_library(arena, facts->input_names[i], sealed_module_sha256(facts->inputs, i));
                if (!input)
                        return error_origin(-ENOMEM);
                result->inputs[result->n_inputs++] = input;
        }
        return 0;
}

static int result_add_parameters(const Benchd__RunRequest *run, Arena *arena, Benchd__RunResult *result) {
        result->parameters = arena_zero(arena, run->n_parameters * sizeof *result->parameters);
        if (run->n_parameters > 0 && !result->parameters)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < run->n_parameters; i++) {
                Benchd__CommandParameter *parameter =
                                message_new(arena, Benchd__CommandParameter, benchd__command_parameter);

                if (!parameter)
                        return error_origin(-ENOMEM);
                message_set(parameter, command, run->parameters[i]->command);
                parameter->name = arena_text(arena, run->parameters[i]->name);
                parameter->value = arena_text(arena, run->parameters[i]->value);
                result->parameters[result->n_parameters++] = parameter;
        }
        return 0;
}

static int result_add_commands(const Benchd__RunRequest *run, Arena *arena, Benchd__RunResult *result) {
        result->commands = arena_zero(arena, run->n_commands * sizeof *result->commands);
        if (run->n_commands > 0 && !result->commands)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < run->n_commands; i++)
                result->commands[result->n_commands++] = arena_text(arena, run->commands[i]);
        for (size_t i = 0; run->n_commands > 0 && i < result->n_comparisons; i++) {
                Benchd__ComparisonResult *row = result->comparisons[i];

                warning_drop_of_code(row->warnings, row->findings, &row->n_findings);
                row->n_warnings = row->n_findings;
        }
        return error_trace(result_add_parameters(run, arena, result));
}

int result_build(Arena *arena, const ResultFacts *facts, Benchd__RunResult **ret_result) {
        Benchd__RunResult *result = message_new(arena, Benchd__RunResult, benchd__run_result);
        MeasurementCount count = measurement_count(facts->measurement);
        ArenaList warnings = {};
        int r;

        if (!result)
                return error_origin(-ENOMEM);
        r = result_add_plan(facts, arena, result);
        if (r == 0)
                r = result_add_modules(facts, arena, result);
        if (r == 0)
                r = result_add_inputs(facts, arena, result);
        if (r == 0 && facts->n_modules > 1)
                r = comparison_report_fill(facts->measurement, arena, result);
        if (r == 0)
                r = result_add_commands(facts->run, arena, result);
        if (r == 0)
                r = empty_loop_report(measurement_empty(facts->measurement), arena, &result->empty);
        if (r == 0 && facts->n_modules == 1)
                r = complexity_report_fill(measurement_plan(facts->measurement),
                                measurement_points_ns(facts->measurement), arena, result);
        if (r)
                return error_trace(r);
        r = instruments_list(count.instruments, arena, &result->instrumented, &result->n_instrumented);
        if (r)
                return error_trace(r);
        count.unfit += comparison_report_count_shared(result);
        result_add_warnings(facts, &count, arena, &warnings);
        if (facts->n_modules > 1)
                result_add_instruments(result, arena, &warnings);
        result->run_id = arena_text(arena, facts->run_id);
        result->method = result_method(arena, measurement_plan(facts->measurement), facts->run);
        result->environment = facts->environment;
        if (measurement_plan(facts->measurement)->reference)
                result->reference = arena_text(arena, measurement_plan(facts->measurement)->reference);
        result->comparability_key = comparability_key(arena, result);
        for (size_t i = 0; i < facts->n_modules; i++)
                if (facts->modules[i].earlier)
                        comparability_warn(arena, facts->modules[i].earlier, result, &warnings);
        result->warnings = warnings.texts;
        result->n_warnings = warnings.n;
        message_set(result, started_at_unix_ns, facts->started_at_unix_ns);
        message_set(result, seed, facts->seed);
        message_set(result, quick, facts->run->quick);
        message_set(result, turns, facts->turns);
        message_set(result, waited_ns, facts->waited_ns);
        message_set(result, span_ns, facts->span_ns);
        message_set(result, verdict, result_verdict(&count, facts->cancelled));
        message_set(result, cancelled, facts->cancelled);
        *ret_result = result;
        return error_trace(arena_check(arena));
}
