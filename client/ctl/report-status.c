/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The daemon's state: itself, the machine it sees, the clock, the CPUs, the controls in force.
 */

#include <jansson.h>
#include <string.h>

#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/platform.h"
#include "ctl/report.h"
#include "ctl/standing.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"

#define CPU_LIST_TEXT_MAX 256u
#define STATUS_JOB_DIGITS 8

/* Prints a value; returns false, with nothing printed, if it is missing. */
typedef bool (*StatusPrint)(const json_t *status, const char *path, FILE *out);

typedef struct StatusRow {
        const char *title;
        StatusPrint print;
        const char *path;
} StatusRow;

static bool print_text(const json_t *status, const char *path, FILE *out) {
        const char *text = json_text_at(status, path);

        return text && fputs(text, out) >= 0;
}

static bool print_wait(const json_t *status, const char *path, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns;

        return json_number_at(status, path, &ns) && fputs(unit_wait(ns, text), out) >= 0;
}

static bool print_count(const json_t *status, const char *path, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double count;

        return json_number_at(status, path, &count) && fputs(unit_count(count, text), out) >= 0;
}

static bool print_bytes(const json_t *status, const char *path, FILE *out) {
        double bytes;

        return json_number_at(status, path, &bytes) && fprintf(out, "%.1f GiB", bytes / (1u << 30)) > 0;
}

static bool print_clock(const json_t *status, const char *path, FILE *out) {
        const json_t *tsc = json_at(status, path);
        const char *reason = json_text_at(tsc, "fallback_reason");
        char text[PLATFORM_CLOCK_MAX];

        if (!platform_describe_clock(tsc, text))
                return false;
        fputs(text, out);
        if (reason)
                fprintf(out, ", because %s", reason);
        else
                fputs(json_flag_at(tsc, "invariant") ? ", invariant" : ", not invariant", out);
        return true;
}

static bool print_calibrating(const json_t *status, const char *path, FILE *out) {
        return json_flag_at(status, path) && fputs("calibrating", out) >= 0;
}

/* The longest of all kinds of turns. */
static bool print_turns(const json_t *status, const char *path, FILE *out) {
        const json_t *turns = json_at(status, path), *longest = NULL;
        char text[UNIT_TEXT_MAX];
        double most_ns = 0, ns;

        for (size_t i = 0; i < json_array_size(turns); i++) {
                const json_t *turn = json_array_get(turns, i);

                if (!json_number_at(turn, "longest_ns", &ns) || ns <= most_ns)
                        continue;
                most_ns = ns;
                longest = turn;
        }
        return longest && fprintf(out, "%s (%s)", unit_time(most_ns, text), json_text_at(longest, "kind")) > 0;
}

static bool print_baseline(const json_t *status, const char *path, FILE *out) {
        const json_t *tsc = json_at(status, path);
        const char *source = json_text_at(tsc, "source");
        char text[UNIT_TEXT_MAX];
        double ns;

        if (!source || !json_number_at(tsc, "baseline_ns", &ns))
                return false;
        fprintf(out, "over %s against %s", unit_time(ns, text), source);
        return true;
}

static bool print_sources(const json_t *status, const char *path, FILE *out) {
        const json_t *sources = json_at(status, path);

        for (size_t i = 0; i < json_array_size(sources); i++) {
                const json_t *source = json_array_get(sources, i);
                const char *name = json_text_at(source, "name");
                double hz = 0, ppm = 0;

                json_number_at(source, "hz", &hz);
                json_number_at(source, "disagreement_ppm", &ppm);
                fprintf(out, "%s%s %.6f GHz (%+.3g ppm%s)", i ? ", " : "", name ? name : "?", hz / 1e9, ppm,
                                json_flag_at(source, "agrees") ? "" : ", disagrees");
        }
        return json_array_size(sources) > 0;
}

static const struct {
        const char *title;
        const char *path;
} clock_costs[] = {
        { "pair", "pair_cost_ticks" },
        { "batch", "batch_cost_ticks" },
        { "pause", "pause_cost_ticks" },
};

static bool print_costs(const json_t *status, const char *path, FILE *out) {
        const json_t *tsc = json_at(status, path);
        char text[UNIT_TEXT_MAX];
        double hz, ticks;
        bool any = false;

        if (!json_number_at(tsc, "hz", &hz) || hz <= 0)
                return false;
        for (size_t i = 0; i < N_ELEMENTS(clock_costs); i++) {
                if (!json_number_at(tsc, clock_costs[i].path, &ticks))
                        continue;
                fprintf(out, "%s%s %s", any ? ", " : "", clock_costs[i].title, unit_time(ticks / hz * 1e9, text));
                any = true;
        }
        return any;
}

static bool print_warp(const json_t *status, const char *path, FILE *out) {
        const json_t *tsc = json_at(status, path);
        char text[UNIT_TEXT_MAX];
        double ticks, handovers;

        if (!json_number_at(tsc, "warp_ticks", &ticks) || !json_number_at(tsc, "warp_handovers", &handovers))
                return false;
        if (ticks > 0)
                fprintf(out, "TSCs up to %.0f ticks apart", ticks);
        else
                fputs("TSCs synchronised", out);
        fprintf(out, " (%s cross-CPU checks)", unit_count(handovers, text));
        return true;
}

static bool print_ruler(const json_t *status, const char *path, FILE *out) {
        const json_t *tsc = json_at(status, path);
        char text[UNIT_TEXT_MAX];
        double turns, check;

        if (!json_number_at(tsc, "ruler_turns", &turns) || !json_number_at(tsc, "ruler_check", &check))
                return false;
        if (turns > 0)
                fprintf(out, "%s dependent additions", unit_count(turns * 100, text));
        else
                fputs("not confirmed, so cycles are not counted", out);
        fprintf(out, "; a multiply reads %.3f cycles (3 expected)", check);
        return true;
}

/* A step of the branch probe takes one cycle. */
static bool print_probes(const json_t *status, const char *path, FILE *out) {
        const json_t *tsc = json_at(status, path);
        double chains, ports_cycles, branch_cycles;

        if (!json_number_at(tsc, "port_probe_chains", &chains) ||
                        !json_number_at(tsc, "port_probe_cycles", &ports_cycles) ||
                        !json_number_at(tsc, "branch_probe_cycles", &branch_cycles) || !(ports_cycles > 0))
                return false;
        fprintf(out, "%.2g additions and 1 taken branch per cycle, checked against the ruler",
                        chains * branch_cycles / ports_cycles);
        return true;
}

static bool print_words(const json_t *status, const char *path, FILE *out) {
        const json_t *words = json_at(status, path);

        for (size_t i = 0; i < json_array_size(words); i++) {
                const char *word = json_string_value(json_array_get(words, i));

                fprintf(out, "%s%s", i ? ", " : "", word ? word : "?");
        }
        return json_array_size(words) > 0;
}

static bool print_leases(const json_t *status, const char *path, FILE *out) {
        const json_t *leases = json_at(status, path);
        const char *online = json_text_at(status, "online_cpus");
        cpu_set_t all = {}, busy = {};
        char text[CPU_LIST_TEXT_MAX];

        for (size_t i = 0; i < json_array_size(leases); i++) {
                const json_t *lease = json_array_get(leases, i);
                unsigned cpu = json_integer_value(json_object_get(lease, "cpu"));

                if (cpu >= CPU_SETSIZE)
                        continue;
                CPU_SET(cpu, &all);
                if (json_flag_at(lease, "busy"))
                        CPU_SET(cpu, &busy);
        }
        if (CPU_COUNT(&all) == 0)
                return false;
        cpu_list_format(&all, text, sizeof text);
        fprintf(out, "CPU%s %s", CPU_COUNT(&all) > 1 ? "s" : "", text);
        if (online)
                fprintf(out, " (of %s)", online);
        cpu_list_format(&busy, text, sizeof text);
        if (CPU_COUNT(&busy) > 0)
                fprintf(out, ", busy: %s", text);
        return true;
}

static bool print_standing(const json_t *status, const char *path, FILE *out) {
        char words[STANDING_TEXT_MAX];
        Standing standing;

        return standing_read(json_at(status, path), &standing) && fputs(standing_words(&standing, words), out) >= 0;
}

static bool print_core_time(const json_t *status, const char *path, FILE *out) {
        char left[UNIT_TEXT_MAX], most[UNIT_TEXT_MAX];
        double left_ns, most_ns;

        if (!json_number_at(status, path, &left_ns) || !json_number_at(status, "core_per_hour_ns", &most_ns))
                return false;
        fprintf(out, "%s left of %s an hour", unit_wait(left_ns, left), unit_wait(most_ns, most));
        if (left_ns <= 0)
                fputs(": all others go first", out);
        return true;
}

static bool print_sticky(const json_t *status, const char *path, FILE *out) {
        const json_t *choices = json_at(status, path);

        for (size_t i = 0; i < json_array_size(choices); i++) {
                const json_t *choice = json_array_get(choices, i);
                const char *name = json_text_at(choice, "name"), *cpus = json_text_at(choice, "cpus");

                fprintf(out, "%s%s", i ? "; " : "", name ? name : "?");
                if (cpus)
                        fprintf(out, " on CPUs %s", cpus);
        }
        if (json_array_size(choices) > 0)
                fputs(", until 'set-governor --restore'", out);
        return json_array_size(choices) > 0;
}

static const StatusRow status_rows[] = {
        { "daemon", print_text, "daemon" },
        { "launcher", print_text, "launcher" },
        { "build", print_text, "build" },
        { "uptime", print_wait, "uptime_ns" },
        { "jobs done", print_count, "jobs_done" },
        { "jobs waiting", print_count, "queued" },
        { "runners", print_count, "running" },
        { "a new run's turn", print_standing, "next" },
        { "core time", print_core_time, "core_left_ns" },
        { "longest turn", print_turns, "turns" },
        { "machine", print_text, "environment.machine.name" },
        { "machine id", print_text, "environment.machine.id" },
        { "machine class", print_text, "environment.machine.class" },
        { "system", print_text, "environment.system" },
        { "kernel", print_text, "environment.kernel" },
        { "C library", print_text, "environment.libc" },
        { "CPU", print_text, "environment.cpu.brand" },
        { "processors", print_count, "environment.processors" },
        { "memory", print_bytes, "environment.memory_bytes" },
        { "hypervisor", print_text, "environment.hypervisor" },
        { "clock", print_calibrating, "calibrating" },
        { "clock", print_clock, "environment.tsc" },
        { "clock calibration", print_baseline, "environment.tsc" },
        { "clock cross-checks", print_sources, "environment.tsc.sources" },
        { "clock overhead", print_costs, "environment.tsc" },
        { "CPU clocks", print_warp, "environment.tsc" },
        { "cycle ruler", print_ruler, "environment.tsc" },
        { "probes", print_probes, "environment.tsc" },
        { "detectors", print_words, "environment.tsc.detectors" },
        { "CPUs available", print_leases, "leases" },
        { "isolation", print_text, "environment.isolation" },
        { "scheduler", print_text, "environment.scheduler" },
        { "governor", print_text, "environment.governor" },
        { "governor set", print_sticky, "sticky_governors" },
};

static const GridColumn status_columns[] = {
        { .title = "", .left = true, .style = GRID_BOLD },
        { .title = "", .left = true, .gap = 3 },
};

DEFINE_CLEANUP(Grid *, grid_free)

static int add_value(Grid *grid, const json_t *status, const StatusRow *row) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        bool there;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        there = row->print(status, row->path, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        return there ? error_trace(grid_add_words(grid, GRID_PLAIN, row->title, text)) : 0;
}

/* Prints how far a job is, and for what it waits. */
static void print_job(const json_t *job, FILE *out) {
        const char *module = json_text_at(job, "module_name");
        char words[STANDING_TEXT_MAX];
        double process, processes, left_ns;
        Standing standing;

        fputs(module ? module : "?", out);
        if (!json_number_at(job, "processes", &processes) || !json_number_at(job, "process", &process) ||
                        !json_number_at(job, "left_ns", &left_ns)) {
                fputs(", loading", out);
                return;
        }
        fprintf(out, ", %.0f of %.0f processes done", process, processes);
        fprintf(out, ", %s to measure", unit_wait(left_ns, words));
        if (standing_read(json_at(job, "standing"), &standing))
                fprintf(out, "; waiting: %s", standing_words(&standing, words));
}

static int add_job(Grid *grid, const json_t *job) {
        const char *id = json_text_at(job, "run_id");
        _cleanup_(freep) char *text = NULL;
        char title[32];
        FILE *stream;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        print_job(job, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        snprintf(title, sizeof title, "job %.*s", STATUS_JOB_DIGITS, id ? id : "?");
        return error_trace(grid_add_words(grid, GRID_PLAIN, title, text));
}

static int add_control(Grid *grid, const json_t *control) {
        const char *name = json_text_at(control, "name"), *outcome = json_text_at(control, "outcome");
        const char *was = json_text_at(control, "was"), *is = json_text_at(control, "is");
        _cleanup_(freep) char *text = NULL;

        if (asprintf(&text, "%s%s%s%s%s", outcome ? outcome : "?", was ? ", was " : "", was ? was : "",
                            is ? ", is " : "", is ? is : "") < 0)
                return error_origin(-ENOMEM);
        return error_trace(grid_add_words(grid, GRID_PLAIN, name ? name : "?", text));
}

/* ---- use against limits: in the details */

static void print_amount(double amount, bool bytes, FILE *out) {
        char text[UNIT_TEXT_MAX];

        if (bytes)
                fprintf(out, "%.1f MiB", amount / (1u << 20));
        else
                fputs(unit_count(amount, text), out);
}

static void print_use(const json_t *use, FILE *out) {
        const bool bytes = json_flag_at(use, "bytes");
        double held = 0, most = 0;

        json_number_at(use, "held", &held);
        json_number_at(use, "most", &most);
        print_amount(held, bytes, out);
        fputs(" of ", out);
        print_amount(most, bytes, out);
        if (!json_number_at(use, "held_by_all", &held) || !json_number_at(use, "most_by_all", &most))
                return;
        fputs("; all users ", out);
        print_amount(held, bytes, out);
        fputs(" of ", out);
        print_amount(most, bytes, out);
}

static int add_use(Grid *grid, const json_t *use) {
        _cleanup_(freep) char *title = NULL, *text = NULL;
        const char *name = json_text_at(use, "name");
        double uid = 0;
        FILE *stream;
        size_t n;

        json_number_at(use, "uid", &uid);
        if (asprintf(&title, "%s of uid %.0f", name ? name : "?", uid) < 0)
                return error_origin(-ENOMEM);
        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        print_use(use, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        return error_trace(grid_add_words(grid, GRID_PLAIN, title, text));
}

int report_status(const json_t *status, const View *view, FILE *out) {
        _cleanup_(grid_freep) Grid *grid = NULL;
        const json_t *controls = json_at(status, "environment.controls"), *jobs = json_at(status, "queue"),
                     *uses = json_at(status, "uses");
        int r;

        r = grid_new(status_columns, N_ELEMENTS(status_columns), &grid);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(status_rows); i++)
                r = add_value(grid, status, &status_rows[i]);
        for (size_t i = 0; r == 0 && i < json_array_size(jobs); i++)
                r = add_job(grid, json_array_get(jobs, i));
        for (size_t i = 0; r == 0 && i < json_array_size(controls); i++)
                r = add_control(grid, json_array_get(controls, i));
        for (size_t i = 0; r == 0 && view->details && i < json_array_size(uses); i++)
                r = add_use(grid, json_array_get(uses, i));
        if (r)
                return error_trace(r);
        grid_print(grid, view, 0, out);
        report_warnings(json_at(status, "warnings"), view, out);
        return 0;
}
