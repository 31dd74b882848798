/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/finding.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "front/samples/spread.h"
#include "stats/autocorrelation.h"
#include "util/amount.h"
#include "util/cleanup.h"

#define FINDING_TEXT_MAX 256u

typedef struct FindingRow {
        bool (*holds)(const FindingFacts *facts);
        void (*say)(const FindingFacts *facts, Arena *arena, WarningList *warnings);
        bool always; /* beside a busy neighbour too, which explains the others */
} FindingRow;

/* ---- words */

double finding_two_digits(double value) {
        double unit;

        if (value == 0 || !isfinite(value))
                return value;
        unit = pow(10, floor(log10(fabs(value))) - 1);
        return round(value / unit) * unit;
}

/* "60 % near 50.1 µs, 40 % near 72.3 µs" */
static const char *modes_words(const Modes *modes, char text[static FINDING_TEXT_MAX]) {
        char time[AMOUNT_TEXT_MAX];
        size_t n = 0;

        text[0] = '\0';
        for (size_t i = 0; i < modes->n && n < FINDING_TEXT_MAX; i++)
                n += snprintf(text + n, FINDING_TEXT_MAX - n, "%s%.0f %% near %s", i > 0 ? ", " : "",
                                100 * modes->modes[i].weight, amount_time(modes->modes[i].center, time));
        return text;
}

/* ---- the harness's own error */

static bool is_dubious(const FindingFacts *facts) {
        return facts->time_ns < FINDING_DUBIOUS * facts->harness_error_ns;
}

static void say_dubious(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        warning_add(warnings, arena, WARNING_DUBIOUS,
                        "dubious: the time is under %d times the harness's own error, %.3g ns an operation. Put more "
                        "operations into an iteration (BENCH_REPEAT10)",
                        FINDING_DUBIOUS, facts->harness_error_ns);
}

/* ---- from process to process */

static bool follows(const FindingFacts *facts) {
        return autocorrelation_is_beyond(&facts->spread->succession);
}

static void say_follows(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        const AutocorrelationLag *succession = &facts->spread->succession;

        warning_add(warnings, arena, WARNING_CHANGED_DURING_RUN,
                        "the medians of consecutive processes follow each other (lag 1: %.2f): something changed "
                        "during the run, so the interval is %.10g times as wide",
                        succession->lag1, finding_two_digits(autocorrelation_widening(succession)));
}

/* ---- modes */

static bool has_modes_between(const FindingFacts *facts) {
        return facts->spread->between.n >= 2;
}

static void say_modes_between(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        const char *cause =
                        "Something fixed at the start of a process, such as its addresses, decides: quote the modes, "
                        "compare the entries of processes[], or fix the layout (--no-aslr)";
        char modes[FINDING_TEXT_MAX];

        if (follows(facts))
                cause = "They follow the order in time: something changed during the run. Quote the modes, or run again on "
                        "a quieter machine";
        warning_add(warnings, arena, WARNING_MODES_BETWEEN,
                        "times have modes between processes, and one number describes none of them: %s. %s",
                        modes_words(&facts->spread->between, modes), cause);
}

/* Modes that lie no further apart than the ends of the interval are told by it. */
static bool has_modes_within(const FindingFacts *facts) {
        const Modes *within = &facts->spread->within;

        return within->n >= 2 &&
               !(log(within->modes[within->n - 1].center / within->modes[0].center) <= facts->interval);
}

static void say_modes_within(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        char modes[FINDING_TEXT_MAX];

        warning_add(warnings, arena, WARNING_MODES_WITHIN,
                        "times have modes within processes, and one number describes none of them: %s (in %zu of %zu "
                        "processes). Quote the modes, "
                        "or find the cause that changes from sample to sample and measure each case apart",
                        modes_words(&facts->spread->within, modes), facts->spread->n_within,
                        facts->spread->n_processes);
}

/* ---- order in time */

/* A drift counts if half of the interval is narrower than it, or if there is no interval. */
static bool has_drift(const FindingFacts *facts) {
        const Drift *drift = &facts->spread->drift;

        return drift->p_value <= FINDING_DRIFT_P && fabs(drift->change) >= FINDING_DRIFT_MIN &&
               !(facts->interval / 2 >= fabs(drift->change));
}

static void say_drift(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        double change = facts->spread->drift.change;

        warning_add(warnings, arena, WARNING_DRIFT,
                        "times drift: the last sample of a process is %.10g %% %s than the first. If the data grow or "
                        "fill up, give the benchmark a .reset; if it is still warming up, use a longer --warmup",
                        finding_two_digits(100 * fabs(change)), change > 0 ? "slower" : "faster");
}

/* A drift, and modes that last, are themselves resemblance. */
static bool resembles_itself(const FindingFacts *facts) {
        const SpreadFound *spread = facts->spread;

        return spread->ess < FINDING_ESS_SHARE * spread->n_samples && !has_drift(facts) && !has_modes_within(facts);
}

static void say_resemblance(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        warning_add(warnings, arena, WARNING_DEPENDENT_SAMPLES,
                        "each sample resembles the one before: all %zu are worth %.0f independent ones. A sample leaves something "
                        "behind for the next: give the benchmark a .reset, or take longer samples (--min-time)",
                        facts->spread->n_samples, facts->spread->ess);
}

/* ---- shape and width */

static bool has_rare_part(const FindingFacts *facts) {
        return facts->amortised != NULL;
}

static void say_rare_part(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        char extra[AMOUNT_TEXT_MAX], mean[AMOUNT_TEXT_MAX];

        warning_add(warnings, arena, WARNING_RARE_PART,
                        "a rare part is slow: one batch in %.10g takes %s longer than its disturbance explains, so an "
                        "operation takes %s on average. The time excludes it: quote both, or the mean (--headline=mean)",
                        finding_two_digits(facts->amortised->batches), amount_time(facts->amortised->extra_ns, extra),
                        amount_time(facts->amortised->point, mean));
}

static double mean_apart(const FindingFacts *facts) {
        return log(facts->mean / facts->median);
}

/* Modes, a drift or a rare part, if there are any, are the reason. */
static bool has_mean_apart(const FindingFacts *facts) {
        return fabs(mean_apart(facts)) > fmax(facts->interval, FINDING_MEAN_MIN) && isfinite(facts->interval) &&
               !has_modes_within(facts) && !has_modes_between(facts) && !has_drift(facts) && !has_rare_part(facts);
}

static void say_mean_apart(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        double apart = expm1(mean_apart(facts));

        warning_add(warnings, arena, WARNING_SKEW,
                        "the mean is %.10g %% %s the median, more than the interval: a few samples take much %s. Quote "
                        "the mean if the total matters, else p95 and p99 beside the median",
                        finding_two_digits(100 * fabs(apart)), apart > 0 ? "above" : "below",
                        apart > 0 ? "longer" : "less");
}

static bool hangs_on_place(const FindingFacts *facts) {
        double fastest = INFINITY, slowest = 0;

        for (size_t i = 0; i < RUNNER_IMAGE_OFFSETS; i++)
                if (facts->spread->n_at_place[i] > 0) {
                        fastest = fmin(fastest, facts->spread->places[i]);
                        slowest = fmax(slowest, facts->spread->places[i]);
                }
        return facts->spread->place_share > SPREAD_PLACE_SHARE && slowest > (1 + FINDING_PLACE_MIN) * fastest;
}

/* "2.466 ns, 2.775 ns, 2.467 ns" */
static const char *places_words(const SpreadFound *spread, char text[static FINDING_TEXT_MAX]) {
        char time[AMOUNT_TEXT_MAX];
        size_t n = 0;

        *text = '\0';
        for (size_t i = 0; i < RUNNER_IMAGE_OFFSETS && n < FINDING_TEXT_MAX; i++)
                if (spread->n_at_place[i] > 0)
                        n += snprintf(text + n, FINDING_TEXT_MAX - n, "%s%s", n > 0 ? ", " : "",
                                        amount_time(spread->places[i], time));
        return text;
}

static void say_place(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        char places[FINDING_TEXT_MAX];

        warning_add(warnings, arena, WARNING_CODE_PLACEMENT,
                        "the place of the code within a cache line decides: the times are %s at the places to which the "
                        "module was moved. The result is their mean, and another build may have any of them; "
                        "-falign-functions=64 fixes the place",
                        places_words(facts->spread, places));
}

/* More processes make no one interval of modes or places, and the clock no finer. */
static bool is_wide(const FindingFacts *facts) {
        return facts->interval / 2 > fmax(FINDING_WIDE, FINDING_WIDE_STEPS * facts->step) && !has_modes_within(facts) &&
               !has_modes_between(facts) && !hangs_on_place(facts);
}

static void say_wide(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        warning_add(warnings, arena, WARNING_WIDE_INTERVAL,
                        "wide interval; --precision=P%% runs as many processes as ± P %% needs");
}

/* ---- all */

static const FindingRow finding_rows[] = {
        { has_rare_part, say_rare_part, .always = true },
        { is_dubious, say_dubious },
        { follows, say_follows, .always = true },
        { has_modes_between, say_modes_between },
        { hangs_on_place, say_place },
        { has_modes_within, say_modes_within },
        { has_drift, say_drift },
        { resembles_itself, say_resemblance },
        { has_mean_apart, say_mean_apart },
        { is_wide, say_wide },
};

void finding_report(const FindingFacts *facts, Arena *arena, WarningList *warnings) {
        for (size_t i = 0; i < N_ELEMENTS(finding_rows); i++)
                if ((finding_rows[i].always || !facts->shared) && finding_rows[i].holds(facts))
                        finding_rows[i].say(facts, arena, warnings);
}
