/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/here.h"

#include <benchd/bench.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops/arguments.h"
#include "ops/block.h"
#include "ops/filter.h"
#include "ops/ops.h"
#include "runner/load/here-libraries.h"
#include "runner/load/instrument.h"
#include "runner/load/listing.h"
#include "runner/load/module.h"
#include "runner/load/start.h"
#include "runner/time/inputs.h"
#include "runner/time/measure.h"
#include "runner/watch/conduct.h"
#include "runner/watch/report.h"
#include "util/amount.h"
#include "util/cleanup.h"
#include "util/fd.h"
#include "util/file-name.h"
#include "util/remove-tree.h"
#include "util/time.h"
#include "words/here-options.h"

/* As benchctl's (ctl/base/exit.h). */
#define HERE_USAGE  2
#define HERE_FAILED 3

#define HERE_SAMPLES       20u
#define HERE_TARGET_NS     (NS_PER_MS)
#define HERE_WARMUP_MAX_NS (200 * NS_PER_MS)
#define HERE_BUDGET_NS     (3 * NS_PER_S)

#define HERE_VALGRIND "vgpreload_" /* part of the names of files that valgrind preloads */

typedef struct HereRun {
        const char *path;  /* absolute */
        const char *typed; /* the module as typed, for messages */
        HereLibraries libraries;
        const char *inputs[RUNNER_INPUTS_MAX];
        size_t n_inputs;
        char directory[PATH_MAX]; /* of the inputs, later the working directory; empty: none */
        FilterSet *filters;
        bool under_valgrind; /* benchctl was */
        RunnerPlan plan;
        Module module;
        Conduct conduct;
        SampleInstruments instruments;
        const char *loaded; /* the path under which the loader opened the module; NULL: this is the first start */
        const char *links;  /* a directory that was needed until the second start; NULL: none */
        const char *name;   /* the running benchmark, or else the module */
        bool failed;
        bool done; /* exit() after this is the runner's own */
        SampleBlock block;
        ListingBlock listing;
} HereRun;

/* ---- words */

/* Messages begin with the command that was typed. */
static void __attribute__((format(printf, 1, 2))) here_complain(const char *format, ...) {
        va_list arguments;

        fflush(stdout);
        fputs("benchctl: ", stderr);
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fputc('\n', stderr);
}

/* Prints why the process or one of its benchmarks ended, from @head. */
static void here_print_end(const BlockHead *head, FILE *out) {
        const RunnerEndWords *words = runner_end_words(head->end);

        if (head->end == RUNNER_END_EXIT)
                fprintf(out, "It ended its process with exit status %d.", (int)head->code);
        else if (!words)
                fputs("The module overwrote the runner's results.", out);
        else
                fprintf(out, "%s%s%s", words->sentence, head->message[0] ? ": " : ".", head->message);
        fputc('\n', out);
}

static int here_fail(const HereRun *run, const BlockHead *head) {
        fflush(stdout);
        fprintf(stderr, "benchctl: %s: ", run->typed);
        here_print_end(head, stderr);
        return HERE_FAILED;
}

static void here_print_head(const HereRun *run) {
        const char *words[INSTRUMENTS_MAX];
        const size_t n = sample_instrument_words(run->instruments.present, words);

        printf("# %s, in this process and unconfined: its times are for orientation only. 'benchctl run %s' measures.\n",
                        run->typed, run->typed);
        for (size_t i = 0; i < n; i++)
                printf("%s%s%s", i == 0 ? "# Timed with it: " : ", ", words[i], i + 1 == n ? ".\n" : "");
        fflush(stdout);
}

/* ---- one benchmark */

static int compare_times(const void *a, const void *b) {
        double x = *(const double *)a, y = *(const double *)b;

        return (x > y) - (x < y);
}

/* The time of all iterations of a sample, which the body may have measured itself. */
static double here_sample_ns(const Sample *sample) {
        return sample->manual_ns > 0 ? sample->manual_ns : (double)(sample->ticks - sample->paused_ticks);
}

/* The median of the samples' times per iteration, and the iterations of all samples. */
static double here_median_ns(const SampleBlock *block, uint64_t *ret_iterations) {
        double times_ns[RUNNER_SAMPLES_MAX];
        uint64_t iterations = 0;
        size_t n = block->n_samples;

        for (size_t i = 0; i < n; i++) {
                const Sample *sample = &block->samples[i];

                times_ns[i] = here_sample_ns(sample) / sample->iterations;
                iterations += sample->iterations;
        }
        qsort(times_ns, n, sizeof *times_ns, compare_times);
        *ret_iterations = iterations;
        return (times_ns[(n - 1) / 2] + times_ns[n / 2]) / 2;
}

static void here_print_result(const HereRun *run) {
        const SampleBlock *block = &run->block;
        uint64_t iterations;
        char text[AMOUNT_TEXT_MAX];
        double ns = here_median_ns(block, &iterations);

        printf("%-32s  %s an iteration, %" PRIu64 " iteration%s in %u batch%s", run->name, amount_time(ns, text),
                        iterations, iterations == 1 ? "" : "s", block->n_samples, block->n_samples == 1 ? "" : "es");
        for (uint32_t i = 0; i < block->n_counters; i++)
                printf(", %s %g", block->counters[i].name, block->counters[i].value);
        if (*block->label)
                printf(", %s", block->label);
        putchar('\n');
}

/* Prints how the benchmark ended, and goes on. */
static void here_report(HereRun *run) {
        const BlockHead *head = &run->block.head;

        if (head->end == RUNNER_END_COMPLETE && sample_block_check(&run->block) == 0) {
                here_print_result(run);
        } else {
                printf("%-32s  ", run->name);
                here_print_end(head, stdout);
                run->failed |= head->end != RUNNER_END_SKIPPED;
        }
        fflush(stdout);
}

/* Fills in the count and length of a batch: from the command line, else from the module, else the defaults. */
static void here_schedule(RunnerSchedule *schedule, const ListingEntry *entry) {
        if (schedule->iterations == 0)
                schedule->iterations = entry->iterations;
        if (schedule->samples == 0)
                schedule->samples = entry->samples > 0 ? entry->samples : HERE_SAMPLES;
        if (schedule->target_ns == 0)
                schedule->target_ns = entry->min_time_ns > 0 ? entry->min_time_ns : HERE_TARGET_NS;
}

/* Runs @entry with the plan's arguments in @n_threads threads. */
static void here_measure(HereRun *run, const ListingEntry *entry, uint32_t n_threads) {
        const RunnerSchedule given = run->plan.schedule;
        const struct bench_descriptor *descriptor;

        memset(&run->block, 0, sizeof run->block);
        run->block.head = (BlockHead){ .magic = SAMPLE_BLOCK_MAGIC, .version = SAMPLE_BLOCK_VERSION };
        run->plan.n_threads = n_threads;
        here_schedule(&run->plan.schedule, entry);
        if (run->plan.schedule.samples > RUNNER_SAMPLES_MAX / n_threads)
                run->plan.schedule.samples = RUNNER_SAMPLES_MAX / n_threads;
        descriptor = module_find(&run->module, entry->area, entry->name, &run->block.head);
        if (descriptor)
                measure_run(&run->plan, descriptor, &run->conduct, &run->block);
        here_report(run);
        run->plan.schedule = given;
}

static void here_measure_threads(HereRun *run, const ListingEntry *entry, const char *path) {
        for (uint32_t i = 0; i < entry->n_threads; i++) {
                char name[FILTER_PATH_MAX + 32];

                run->name = path;
                if (entry->threads[i] > 1) {
                        snprintf(name, sizeof name, "%s threads=%" PRIu32, path, entry->threads[i]);
                        run->name = name;
                }
                if (entry->threads[i] <= RUNNER_THREADS_MAX) {
                        here_measure(run, entry, entry->threads[i]);
                        continue;
                }
                printf("%-32s  It asks for more than %u threads.\n", run->name, RUNNER_THREADS_MAX);
                run->failed = true;
        }
}

/* ---- all that are chosen */

static size_t here_measure_entry(HereRun *run, const ListingEntry *entry) {
        RunnerSide *side = &run->plan.sides[0];
        Arguments arguments;
        size_t n = 0;

        if (!filter_set_may_select(run->filters, entry, entry->hidden))
                return 0;
        arguments_init(&arguments, entry);
        side->n_args = entry->n_axes;
        do {
                char path[FILTER_PATH_MAX];

                arguments_get(&arguments, side->args);
                filter_path(entry, side->args, path);
                if (!filter_set_select(run->filters, entry, path, entry->hidden))
                        continue;
                here_measure_threads(run, entry, path);
                n++;
        } while (arguments_step(&arguments));
        return n;
}

static int here_measure_all(HereRun *run) {
        const char *filter;
        size_t n = 0;

        listing_run(&run->module, &run->listing);
        if (run->listing.head.end != RUNNER_END_COMPLETE)
                return here_fail(run, &run->listing.head);
        here_print_head(run);
        for (uint32_t i = 0; i < run->listing.n_entries; i++)
                n += here_measure_entry(run, &run->listing.entries[i]);
        if (n == 0) {
                here_complain("No benchmark of %s matches. 'benchctl list --private %s' shows them; hidden ones have to be named in full.",
                                run->typed, run->typed);
                return HERE_USAGE;
        }
        for (size_t i = 0; (filter = filter_set_unmatched(run->filters, i, &i)); i++)
                here_complain("No benchmark of %s matches %s: look for a mistyped name.", run->typed, filter);
        return run->failed ? HERE_FAILED : 0;
}

/* ---- inputs */

/* Makes the module's path absolute, before the process changes its working directory. */
static void here_fix_path(HereRun *run) {
        const char *const path = realpath(run->path, NULL);

        run->path = path ? path : run->path;
}

/* Makes a sealed copy, as in any run, in a descriptor that the body's own programs inherit. */
static bool here_copy_input(const char *path, int *ret_fd) {
        const int r = fd_memfd_from_path(path, OPS_MODULE_MAX, ret_fd);

        if (r < 0)
                errno = -r;
        else if (r > 0)
                errno = r == FD_E_EMPTY ? ENODATA : EFBIG;
        return r == 0 && fcntl(*ret_fd, F_SETFD, 0) == 0;
}

static bool here_make_directory(char directory[static PATH_MAX]) {
        const char *base = getenv("TMPDIR");

        snprintf(directory, PATH_MAX, "%s/benchd-here-XXXXXX", base && *base ? base : "/tmp");
        return mkdtemp(directory);
}

/* Copies all inputs before it enters the directory, since paths may be relative. */
static bool here_link_inputs(HereRun *run) {
        int fds[RUNNER_INPUTS_MAX];

        for (size_t i = 0; i < run->n_inputs; i++)
                if (!here_copy_input(run->inputs[i], &fds[i]))
                        return false;
        if (!here_make_directory(run->directory)) {
                run->directory[0] = '\0';
                return false;
        }
        if (chdir(run->directory) < 0)
                return false;
        for (size_t i = 0; i < run->n_inputs; i++)
                if (!input_file_link(fds[i], file_name_of(run->inputs[i])))
                        return false;
        return true;
}

static void here_remove_inputs(const HereRun *run) {
        if (!*run->directory)
                return;
        for (size_t i = 0; i < run->n_inputs; i++) {
                char place[2 * PATH_MAX];

                snprintf(place, sizeof place, "%s/%s", run->directory, file_name_of(run->inputs[i]));
                (void)unlink(place);
        }
        (void)rmdir(run->directory);
}

/* Enters a directory with the inputs, as any run has one. */
static int here_enter_inputs(HereRun *run) {
        if (run->n_inputs == 0 || here_link_inputs(run))
                return 0;
        here_complain("An input cannot be copied: %s.", strerror(errno));
        return HERE_USAGE;
}

/* ---- the first start */

/* Links @name in @directory to the file at @path. */
static bool here_link(const char *directory, const char *name, const char *path) {
        char place[2 * PATH_MAX];

        snprintf(place, sizeof place, "%s/%s", directory, name);
        return symlink(path, place) == 0;
}

/*
 * The loader's lists have no paths with spaces or colons, and files needed by name are found only in a directory. Links serve for both,
 * until everything is loaded.
 */
static bool here_link_files(const HereRun *run, char directory[static PATH_MAX], char module[static PATH_MAX]) {
        const bool awkward = !start_can_list(run->path);
        int r;

        directory[0] = '\0';
        snprintf(module, PATH_MAX, "%s", run->path);
        if (!awkward && run->libraries.n == 0)
                return true;
        if (!here_make_directory(directory))
                return false;
        r = here_libraries_link(&run->libraries, directory);
        errno = -r;
        if (r || !awkward)
                return r == 0;
        snprintf(module, PATH_MAX, "%.4000s/module.so", directory);
        return here_link(directory, "module.so", run->path);
}

static char *here_word(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *here_word(const char *format, ...) {
        va_list arguments;
        char *word;

        va_start(arguments, format);
        if (vasprintf(&word, format, arguments) < 0)
                word = NULL;
        va_end(arguments);
        return word;
}

/* The arguments of the first start, after its findings; both live as long as the process. */
static char **here_arguments(const HereRun *run, const char *links, const char *module, char **words) {
        size_t n_words = 0, n = 0;
        char **arguments;

        while (words[n_words])
                n_words++;
        arguments = calloc(n_words + 6, sizeof *arguments);
        if (!arguments)
                return NULL;
        arguments[n++] = words[0]; /* --here */
        arguments[n++] = here_word("--loaded=%s", module);
        arguments[n++] = here_word("--instruments=%u", run->instruments.present);
        arguments[n++] = here_word("--links=%s", links);
        arguments[n++] = here_word("--inputs=%s", run->directory);
        memcpy(arguments + n, words + 1, n_words * sizeof *arguments);
        return arguments;
}

/* Returns only on failure. */
static int here_start_again(const HereRun *run, int fd, char **words) {
        char links[PATH_MAX], module[PATH_MAX], program[PATH_MAX] = "";
        Start start = {
                .module_fd = fd,
                .module = module,
                .directory = links,
                .libraries = run->libraries.rows,
                .n_libraries = run->libraries.n,
                .program = program,
        };

        if (readlink("/proc/self/exe", program, sizeof program - 1) < 0 || !here_link_files(run, links, module)) {
                here_complain("%s cannot be linked to: %s.", run->typed, strerror(errno));
                return HERE_FAILED;
        }
        start.arguments = here_arguments(run, links, module, words);
        here_complain("%s cannot be executed again: %s.", program, strerror(-start_again(&start)));
        return HERE_FAILED;
}

static int here_begin(HereRun *run, char **words) {
        int fd;
        BlockHead head = {};
        int r;

        here_fix_path(run);
        fd = open(run->path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
                report_end(&head, RUNNER_END_LOAD, "%s", strerrordesc_np(errno));
                return here_fail(run, &head);
        }
        if (!module_check_elf(fd, &head))
                return here_fail(run, &head);
        /* Before the module itself is preloaded. */
        instrument_find_preloaded(&run->instruments);
        instrument_find_in_file(fd, &run->instruments);
        r = here_enter_inputs(run);
        return r ? r : here_start_again(run, fd, words);
}

/* ---- the second start */

static int here_load(HereRun *run) {
        _cleanup_(fd_closep) int fd = open(run->loaded, O_RDONLY | O_CLOEXEC);
        BlockHead head = {};

        conduct_begin(open("/proc/self/status", O_RDONLY | O_CLOEXEC), &run->conduct);
        return here_libraries_check(&run->libraries, run->links, &head) &&
                                               module_adopt(run->loaded, fd, &head, &run->module)
                               ? 0
                               : here_fail(run, &head);
}

/* ---- ends that do not return */

static HereRun *here; /* set in the second start */

/* The module called exit(): whatever the status, the requested run is not complete. */
static void here_on_exit(int status, void *argument) {
        if (here && here->done)
                return;
        fflush(stdout);
        if (here)
                here_remove_inputs(here);
        here_complain("%s: It ended its process with exit status %d.", here ? here->name : "The module", status);
        _exit(HERE_FAILED);
}

void here_prepare(void) {
        on_exit(here_on_exit, NULL);
}

/* One of several threads left, and the others wait for it. */
static void here_on_leave(const BlockHead *head, void *argument) {
        const HereRun *run = argument;

        fflush(stdout);
        fprintf(stderr, "benchctl: %s: ", run->name);
        here_print_end(head, stderr);
        here_remove_inputs(run);
        _exit(HERE_FAILED);
}

/* ---- the command line */

/*
 * Options that benchctl adds, with options of the first start after --typed; here_options has the options of a run,
 * which follow.
 */
enum {
        HERE_WITH = 1,
        HERE_PRELOAD,
        HERE_INPUT,
        HERE_UNDER_VALGRIND,
        HERE_TYPED,
        HERE_LOADED,
        HERE_INSTRUMENTS,
        HERE_LINKS,
        HERE_DIRECTORY,
        HERE_OF_RUN,
};

static const struct option own_options[] = {
        { "with", required_argument, NULL, HERE_WITH },
        { "preload", required_argument, NULL, HERE_PRELOAD },
        { "input", required_argument, NULL, HERE_INPUT },
        { "under-valgrind", no_argument, NULL, HERE_UNDER_VALGRIND },
        { "typed", required_argument, NULL, HERE_TYPED },
        { "loaded", required_argument, NULL, HERE_LOADED },
        { "instruments", required_argument, NULL, HERE_INSTRUMENTS },
        { "links", required_argument, NULL, HERE_LINKS },
        { "inputs", required_argument, NULL, HERE_DIRECTORY },
};

/* Reads a number of @option, which benchctl has checked: in the option's unit, or in bytes with a suffix. */
static bool here_read_number(const HereOption *option, const char *text, uint64_t *ret_number) {
        static const char letters[] = "KMGT";
        char *end;
        const double typed = strtod(text, &end);
        const char *letter = *end ? strchr(letters, *end) : NULL;
        const uint64_t scale = letter ? UINT64_C(1) << 10 * (letter - letters + 1) : 1;
        const double number = typed * (double)(option->unit * scale);

        if (!(number >= 0 && number <= (double)option->most))
                return false;
        *ret_number = (uint64_t)(number + 0.5);
        return *ret_number >= option->least;
}

static bool here_take_number(HereRun *run, size_t option, const char *text) {
        RunnerSchedule *schedule = &run->plan.schedule;
        uint64_t number;
        uint64_t *const fields[_HERE_OPTIONS_N] = {
                [HERE_OPTION_ITERATIONS] = &schedule->iterations,
                [HERE_OPTION_MIN_TIME] = &schedule->target_ns,
                [HERE_OPTION_WARMUP] = &schedule->warmup_max_ns,
                [HERE_OPTION_STACK] = &run->plan.asked.stack_bytes,
        };

        if (!here_read_number(&here_options[option], text, &number))
                return false;
        if (option == HERE_OPTION_SAMPLES)
                schedule->samples = number;
        else if (fields[option])
                *fields[option] = number;
        else
                return false;
        if (option == HERE_OPTION_WARMUP)
                schedule->warmup_min_ns = number;
        if (option == HERE_OPTION_MIN_TIME)
                schedule->budget_ns = 10 * number + HERE_BUDGET_NS;
        return true;
}

static bool here_take_option(HereRun *run, int option) {
        switch (option) {
        case HERE_WITH:
        case HERE_PRELOAD:
                return here_libraries_add(&run->libraries, optarg, option == HERE_PRELOAD);
        case HERE_INPUT:
                if (run->n_inputs == RUNNER_INPUTS_MAX)
                        return false;
                run->inputs[run->n_inputs++] = optarg;
                return true;
        case HERE_UNDER_VALGRIND:
                return run->under_valgrind = true;
        case HERE_TYPED:
                run->typed = optarg;
                return true;
        case HERE_LOADED:
                run->loaded = optarg;
                return true;
        case HERE_INSTRUMENTS:
                run->instruments.present = strtoul(optarg, NULL, 10);
                return true;
        case HERE_LINKS:
                run->links = optarg;
                return true;
        case HERE_DIRECTORY:
                snprintf(run->directory, sizeof run->directory, "%s", optarg);
                return true;
        default:
                return option >= HERE_OF_RUN && option < HERE_OF_RUN + _HERE_OPTIONS_N &&
                       here_take_number(run, (size_t)option - HERE_OF_RUN, optarg);
        }
}

static bool here_take_arguments(HereRun *run, int n, char **arguments) {
        struct option options[N_ELEMENTS(own_options) + _HERE_OPTIONS_N + 1] = {};
        FilterList filters;
        int option;

        memcpy(options, own_options, sizeof own_options);
        for (int i = 0; i < _HERE_OPTIONS_N; i++)
                options[N_ELEMENTS(own_options) + i] =
                                (struct option){ here_options[i].name, required_argument, NULL, HERE_OF_RUN + i };
        optind = 0; /* the module may define it, with any value */
        while ((option = getopt_long(n, arguments, "+", options, NULL)) >= 0)
                if (!here_take_option(run, option))
                        return false;
        if (optind >= n)
                return false;
        run->path = arguments[optind++];
        run->typed = run->typed ? run->typed : run->path;
        filters = (FilterList){ .filters = &arguments[optind], .n_filters = n - optind };
        return filter_set_new(&filters, &run->filters) == 0;
}

/* True if valgrind did not follow the exec, since it was not told to: it would report nothing. */
static bool here_lost_valgrind(const HereRun *run) {
        const char *preloaded = getenv("LD_PRELOAD");

        return run->under_valgrind && !(preloaded && strstr(preloaded, HERE_VALGRIND));
}

int here_run(int n, char **arguments) {
        HereRun *run = calloc(1, sizeof *run); /* lives as long as the process: exit() handlers use it */
        int r;

        if (!run)
                return HERE_FAILED;
        run->plan = (RunnerPlan){
                .mode = RUNNER_MODE_RUN,
                .options = RUNNER_OPTION_HERE | RUNNER_OPTION_UNPREPARED | RUNNER_OPTION_NO_ASLR,
                .clock = { .hz = NS_PER_S, .quantum_ticks = 1, .source = CLOCK_SOURCE_RAW },
                .schedule = { .warmup_max_ns = HERE_WARMUP_MAX_NS, .budget_ns = HERE_BUDGET_NS },
                .n_sides = 1,
        };
        if (!here_take_arguments(run, n, arguments)) {
                here_complain("--here of benchd-runner is benchctl's. Type benchctl run --here instead.");
                return HERE_USAGE;
        }
        if (here_lost_valgrind(run)) {
                here_complain("Valgrind stayed behind in benchctl. Run: valgrind --trace-children=yes benchctl run --here %s",
                                run->typed);
                return HERE_USAGE;
        }
        run->name = run->typed;
        if (!run->loaded) {
                r = here_begin(run, arguments);
                here_remove_inputs(run);
                return r;
        }
        here = run;
        report_on_leave(here_on_leave, run);
        r = here_load(run);
        if (*run->links)
                (void)remove_tree(AT_FDCWD, run->links);
        if (r == 0)
                r = here_measure_all(run);
        run->done = true;
        here_remove_inputs(run);
        return r;
}
