/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The daemon's state: itself, the machine it sees, the clock, the CPUs, the controls in force.
 */

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/columns.h"
#include "ctl/model/machine-facts.h"
#include "ctl/model/platform.h"
#include "ctl/model/standing.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"

#define CPU_LIST_TEXT_MAX 256u
#define STATUS_JOB_DIGITS 8

/* A row without words is left out. */
typedef struct StatusRow {
        const char *title;
        CellFill fill;
        const char *path;
} StatusRow;

static void fill_wait(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns;

        if (json_number_at(status, path, &ns))
                fputs(unit_wait(ns, text), out);
}

static void fill_clock(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const json_t *tsc = json_at(status, path);
        const char *reason = json_text_at(tsc, "fallback_reason");
        char text[PLATFORM_CLOCK_MAX];

        if (!platform_describe_clock(tsc, text))
                return;
        fputs(text, out);
        if (reason)
                fprintf(out, ", because %s", reason);
        else
                fputs(json_flag_at(tsc, "invariant") ? ", invariant" : ", not invariant", out);
}

static void fill_calibrating(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        if (json_flag_at(status, path))
                fputs("calibrating", out);
}

/* The longest of all kinds of turns. */
static void fill_turns(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
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
        if (longest)
                fprintf(out, "%s (%s)", unit_time(most_ns, text), json_text_at(longest, "kind"));
}

static void fill_baseline(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const json_t *tsc = json_at(status, path);
        const char *source = json_text_at(tsc, "source");
        char text[UNIT_TEXT_MAX];
        double ns;

        if (!source || !json_number_at(tsc, "baseline_ns", &ns))
                return;
        fprintf(out, "over %s against %s", unit_time(ns, text), source);
}

static void fill_sources(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
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
}

static const struct {
        const char *title;
        const char *path;
} clock_costs[] = {
        { "pair", "pair_cost_ticks" },
        { "batch", "batch_cost_ticks" },
        { "pause", "pause_cost_ticks" },
};

static void fill_costs(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const json_t *tsc = json_at(status, path);
        char text[UNIT_TEXT_MAX];
        double hz, ticks;
        bool any = false;

        if (!json_number_at(tsc, "hz", &hz) || hz <= 0)
                return;
        for (size_t i = 0; i < N_ELEMENTS(clock_costs); i++) {
                if (!json_number_at(tsc, clock_costs[i].path, &ticks))
                        continue;
                fprintf(out, "%s%s %s", any ? ", " : "", clock_costs[i].title, unit_time(ticks / hz * 1e9, text));
                any = true;
        }
}

static void fill_warp(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes, FILE *out) {
        const json_t *tsc = json_at(status, path);
        char text[UNIT_TEXT_MAX];
        double ticks, handovers;

        if (!json_number_at(tsc, "warp_ticks", &ticks) || !json_number_at(tsc, "warp_handovers", &handovers))
                return;
        if (ticks > 0)
                fprintf(out, "TSCs up to %.0f ticks apart", ticks);
        else
                fputs("TSCs synchronised", out);
        fprintf(out, " (%s cross-CPU checks)", unit_count(handovers, text));
}

static void fill_ruler(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const json_t *tsc = json_at(status, path);
        char text[UNIT_TEXT_MAX];
        double turns, check;

        if (!json_number_at(tsc, "ruler_turns", &turns) || !json_number_at(tsc, "ruler_check", &check))
                return;
        if (turns > 0)
                fprintf(out, "%s dependent additions", unit_count(turns * 100, text));
        else
                fputs("not confirmed, so cycles are not counted", out);
        fprintf(out, "; a multiply reads %.3f cycles (3 expected)", check);
}

/* A step of the branch probe takes one cycle. */
static void fill_probes(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const json_t *tsc = json_at(status, path);
        double chains, ports_cycles, branch_cycles;

        if (!json_number_at(tsc, "port_probe_chains", &chains) ||
                        !json_number_at(tsc, "port_probe_cycles", &ports_cycles) ||
                        !json_number_at(tsc, "branch_probe_cycles", &branch_cycles) || !(ports_cycles > 0))
                return;
        fprintf(out, "%.2g additions and 1 taken branch per cycle, checked against the ruler",
                        chains * branch_cycles / ports_cycles);
}

static void fill_words(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const json_t *words = json_at(status, path);

        for (size_t i = 0; i < json_array_size(words); i++) {
                const char *word = json_string_value(json_array_get(words, i));

                fprintf(out, "%s%s", i ? ", " : "", word ? word : "?");
        }
}

static void fill_leases(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
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
                return;
        cpu_list_format(&all, text, sizeof text);
        fprintf(out, "CPU%s %s", CPU_COUNT(&all) > 1 ? "s" : "", text);
        if (online)
                fprintf(out, " (of %s)", online);
        cpu_list_format(&busy, text, sizeof text);
        if (CPU_COUNT(&busy) > 0)
                fprintf(out, ", busy: %s", text);
}

static void fill_standing(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        char words[STANDING_TEXT_MAX];
        Standing standing;

        if (standing_read(json_at(status, path), &standing))
                fputs(standing_words(&standing, words), out);
}

static void fill_core_time(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        char left[UNIT_TEXT_MAX], most[UNIT_TEXT_MAX];
        double left_ns, most_ns;

        if (!json_number_at(status, path, &left_ns) || !json_number_at(status, "core_per_hour_ns", &most_ns))
                return;
        fprintf(out, "%s left of %s an hour", unit_wait(left_ns, left), unit_wait(most_ns, most));
        if (left_ns <= 0)
                fputs(": all others go first", out);
}

static void fill_sticky(const char *path, const json_t *status, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
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
}

static const StatusRow daemon_rows[] = {
        { "daemon", cell_text, "daemon" },
        { "launcher", cell_text, "launcher" },
        { "build", cell_text, "build" },
        { "uptime", fill_wait, "uptime_ns" },
        { "jobs done", cell_count, "jobs_done" },
        { "jobs waiting", cell_count, "queued" },
        { "runners", cell_count, "running" },
        { "a new run's turn", fill_standing, "next" },
        { "core time", fill_core_time, "core_left_ns" },
        { "longest turn", fill_turns, "turns" },
};

static const StatusRow clock_rows[] = {
        { "clock", fill_calibrating, "calibrating" },
        { "clock", fill_clock, "environment.tsc" },
        { "clock calibration", fill_baseline, "environment.tsc" },
        { "clock cross-checks", fill_sources, "environment.tsc.sources" },
        { "clock overhead", fill_costs, "environment.tsc" },
        { "CPU clocks", fill_warp, "environment.tsc" },
        { "cycle ruler", fill_ruler, "environment.tsc" },
        { "probes", fill_probes, "environment.tsc" },
        { "detectors", fill_words, "environment.tsc.detectors" },
        { "CPUs available", fill_leases, "leases" },
        { "governor set", fill_sticky, "sticky_governors" },
};

static const Column status_columns[] = {
        { .title = "", .flags = COLUMN_LEFT | COLUMN_HEAD },
        { .title = "", .flags = COLUMN_LEFT, .gap = 3 },
};

static int add_rows(Grid *grid, const json_t *status, const StatusRow *rows, size_t n) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < n; i++) {
                fputs(rows[i].title, grid_cell(grid));
                rows[i].fill(rows[i].path, status, NULL, NULL, grid_cell(grid));
                r = grid_add_words(grid, GRID_PLAIN);
        }
        return error_trace(r);
}

static int add_facts(Grid *grid, const json_t *status) {
        const MachineFact *fact;
        int r = 0;

        for (size_t i = 0; r == 0 && (fact = machine_fact_at(i)); i++)
                if (fact->uses & FACT_IN_STATUS) {
                        fputs(fact->title, grid_cell(grid));
                        fact->print(status, fact->path, grid_cell(grid));
                        r = grid_add_words(grid, GRID_PLAIN);
                }
        return error_trace(r);
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

        fprintf(grid_cell(grid), "job %.*s", STATUS_JOB_DIGITS, id ? id : "?");
        print_job(job, grid_cell(grid));
        return error_trace(grid_add_words(grid, GRID_PLAIN));
}

static int add_control(Grid *grid, const json_t *control) {
        const char *name = json_text_at(control, "name"), *outcome = json_text_at(control, "outcome");
        const char *was = json_text_at(control, "was"), *is = json_text_at(control, "is");

        fputs(name ? name : "?", grid_cell(grid));
        fprintf(grid_cell(grid), "%s%s%s%s%s", outcome ? outcome : "?", was ? ", was " : "", was ? was : "",
                        is ? ", is " : "", is ? is : "");
        return error_trace(grid_add_words(grid, GRID_PLAIN));
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
        const char *name = json_text_at(use, "name");
        double uid = 0;

        json_number_at(use, "uid", &uid);
        fprintf(grid_cell(grid), "%s of uid %.0f", name ? name : "?", uid);
        print_use(use, grid_cell(grid));
        return error_trace(grid_add_words(grid, GRID_PLAIN));
}

int report_status(const json_t *status, const View *view, FILE *out) {
        _cleanup_(grid_freep) Grid *grid = NULL;
        const json_t *controls = json_at(status, "environment.controls"), *jobs = json_at(status, "queue"),
                     *uses = json_at(status, "uses");
        int r;

        r = grid_new(status_columns, N_ELEMENTS(status_columns), &grid);
        if (r == 0)
                r = add_rows(grid, status, daemon_rows, N_ELEMENTS(daemon_rows));
        if (r == 0)
                r = add_facts(grid, status);
        if (r == 0)
                r = add_rows(grid, status, clock_rows, N_ELEMENTS(clock_rows));
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
