/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/siblings.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "clock/probe.h"
#include "clock/ruler.h"
#include "clock/tick.h"
#include "clock/warp.h"
#include "ops/runner-plan.h"
#include "runner/time/beside.h"
#include "util/time.h"

#define SIBLINGS_DIFFERENCE 0.5
#define SIBLINGS_P          0.001
#define SIBLINGS_ROUNDS     2u

/* A difference below this after the first two periods of each kind will not reach a half. */
#define SIBLINGS_HOPELESS 0.3
#define SIBLINGS_EARLY    2u
/* If more of the probes are slow anyway, a difference of a half cannot show. */
#define SIBLINGS_BUSY 0.45

#define SIBLINGS_PERIOD_S 0.0001
/* The guest's kernel and the host's each poll on an idle CPU of a guest for up to 200 us before it sleeps. */
#define SIBLINGS_SETTLE_NS   450000u
#define SIBLINGS_PATIENCE_NS 2000000u  /* until the other thread runs, or sleeps */
#define SIBLINGS_PAIR_NS     15000000u /* at most, for two CPUs */
#define SIBLINGS_ALL_NS      60000000u /* ... and for all pairs of one CPU */
#define SIBLINGS_BEAT        1000u     /* branches */

/* ---- deciding */

static double spinning_sum(const SiblingsPeriod *periods, size_t n, uint32_t spinning) {
        double sum = 0;

        for (size_t i = 0; i < n; i++)
                sum += spinning >> i & 1 ? periods[i].slow_share : 0;
        return sum;
}

/* The share of all orders of the periods in which the spinning ones are slow at least as often. */
static double permutation_p(const SiblingsPeriod *periods, size_t n, uint32_t spinning) {
        const double observed = spinning_sum(periods, n, spinning) - 1e-9;
        uint32_t n_orders = 0, n_extreme = 0;

        for (uint32_t order = 0; order < 1u << n; order++) {
                if (__builtin_popcount(order) != __builtin_popcount(spinning))
                        continue;
                n_orders++;
                n_extreme += spinning_sum(periods, n, order) >= observed;
        }
        return (double)n_extreme / n_orders;
}

typedef struct SiblingsMeans {
        double spinning, sleeping; /* share of slow probes */
        size_t n_spinning, n_sleeping;
} SiblingsMeans;

static SiblingsMeans siblings_means(const SiblingsPeriod *periods, size_t n) {
        SiblingsMeans means = {};

        for (size_t i = 0; i < n; i++) {
                *(periods[i].spinning ? &means.spinning : &means.sleeping) += periods[i].slow_share;
                (*(periods[i].spinning ? &means.n_spinning : &means.n_sleeping))++;
        }
        means.spinning /= means.n_spinning > 0 ? means.n_spinning : 1;
        means.sleeping /= means.n_sleeping > 0 ? means.n_sleeping : 1;
        return means;
}

bool siblings_decide(const SiblingsPeriod *periods, size_t n) {
        const SiblingsMeans means = siblings_means(periods, n);
        uint32_t spinning = 0;

        for (size_t i = 0; i < n; i++)
                spinning |= (uint32_t)periods[i].spinning << i;
        return means.n_spinning > 0 && means.n_sleeping > 0 && means.spinning - means.sleeping > SIBLINGS_DIFFERENCE &&
               permutation_p(periods, n, spinning) < SIBLINGS_P;
}

/* SplitMix64: consecutive seeds give unrelated numbers. */
static uint64_t draw(uint64_t *state) {
        uint64_t drawn = *state += 0x9e3779b97f4a7c15u;

        drawn = (drawn ^ drawn >> 30) * 0xbf58476d1ce4e5b9u;
        drawn = (drawn ^ drawn >> 27) * 0x94d049bb133111ebu;
        return drawn ^ drawn >> 31;
}

void siblings_draw_order(uint32_t seed, bool ret_spinning[static SIBLINGS_PERIODS]) {
        uint64_t state = seed;

        for (size_t i = 0; i < SIBLINGS_PERIODS; i++)
                ret_spinning[i] = i % 2 == 0;
        for (size_t i = SIBLINGS_PERIODS - 1; i > 0; i--) {
                const size_t other = draw(&state) % (i + 1);
                const bool kept = ret_spinning[i];

                ret_spinning[i] = ret_spinning[other];
                ret_spinning[other] = kept;
        }
}

/* ---- the other thread */

typedef struct Spinner {
        sem_t wake;
        atomic_bool spin;
        atomic_bool asleep;
        atomic_bool over;
        _Atomic uint64_t n_beats;
} Spinner;

static void *spinner_main(void *argument) {
        Spinner *spinner = argument;

        while (!atomic_load(&spinner->over)) {
                while (atomic_load(&spinner->spin)) {
                        (void)probe_branches(SIBLINGS_BEAT);
                        atomic_fetch_add_explicit(&spinner->n_beats, 1, memory_order_relaxed);
                }
                atomic_store(&spinner->asleep, true);
                while (sem_wait(&spinner->wake) < 0 && errno == EINTR)
                        ;
        }
        return NULL;
}

static void spend(uint64_t ns) {
        const uint64_t end_ns = time_monotonic_ns() + ns;

        while (time_monotonic_ns() < end_ns)
                ;
}

/* Returns true if it spins. */
static bool spinner_start(Spinner *spinner) {
        const uint64_t n_before = atomic_load(&spinner->n_beats), end_ns = time_monotonic_ns() + SIBLINGS_PATIENCE_NS;

        if (!atomic_load(&spinner->spin)) {
                atomic_store(&spinner->asleep, false);
                atomic_store(&spinner->spin, true);
                sem_post(&spinner->wake);
        }
        while (atomic_load(&spinner->n_beats) == n_before)
                if (time_monotonic_ns() > end_ns)
                        return false;
        return true;
}

/* Returns true if it sleeps. */
static bool spinner_stop(Spinner *spinner) {
        const uint64_t end_ns = time_monotonic_ns() + SIBLINGS_PATIENCE_NS;

        if (!atomic_load(&spinner->spin) && atomic_load(&spinner->asleep))
                return true;
        atomic_store(&spinner->spin, false);
        while (!atomic_load(&spinner->asleep))
                if (time_monotonic_ns() > end_ns)
                        return false;
        spend(SIBLINGS_SETTLE_NS);
        return true;
}

/* Ends the spinner on the calling thread's CPU, @own: a task at SCHED_FIFO on the other might never let it run. */
static void spinner_end(Spinner *spinner, pthread_t thread, int own) {
        cpu_set_t set;

        CPU_ZERO(&set);
        CPU_SET(own, &set);
        (void)pthread_setaffinity_np(thread, sizeof set, &set);
        atomic_store(&spinner->over, true);
        atomic_store(&spinner->spin, false);
        sem_post(&spinner->wake);
        pthread_join(thread, NULL);
        sem_destroy(&spinner->wake);
}

/* ---- one pair */

typedef enum SiblingsOutcome {
        SIBLINGS_UNKNOWN, /* the other thread did not get its CPU, or the core was busy anyway */
        SIBLINGS_NONE,
        SIBLINGS_SHARE,
} SiblingsOutcome;

/* Uses the quicker of two rulers: one that was interrupted would hide slow probes. */
static double siblings_cycles_per_tick(const ClockFacts *clock) {
        const uint64_t once = ruler_run(clock->ruler_turns), again = ruler_run(clock->ruler_turns);

        return ruler_cycles_per_tick(clock->ruler_turns, once < again ? once : again, clock->ruler_cost_ticks);
}

static bool siblings_probe_is_slow(const ClockFacts *clock, double cycles_per_tick) {
        const ProbeReading reading = {
                .branch_ticks = probe_branches(PROBE_STEPS),
                .ports_ticks = probe_ports(clock->port_chains, PROBE_STEPS),
        };

        return beside_is_slow(clock, &reading, cycles_per_tick);
}

/* False if the other thread did not spin or sleep throughout, as it was to. */
static bool siblings_read_period(Spinner *spinner, const ClockFacts *clock, bool spinning, SiblingsPeriod *ret_period) {
        uint32_t n = 0, n_slow = 0;
        uint64_t n_beats, end_ticks;
        double cycles_per_tick;

        if (!(spinning ? spinner_start : spinner_stop)(spinner))
                return false;
        n_beats = atomic_load(&spinner->n_beats);
        cycles_per_tick = siblings_cycles_per_tick(clock);
        end_ticks = tick_start() + SIBLINGS_PERIOD_S * clock->hz;
        do {
                n_slow += siblings_probe_is_slow(clock, cycles_per_tick);
                n++;
        } while (tick_start() < end_ticks);
        *ret_period = (SiblingsPeriod){ spinning, (double)n_slow / n };
        return !spinning || atomic_load(&spinner->n_beats) - n_beats >= n;
}

/* Tries again until @end_ns: another task may have had the CPU for a moment. */
static bool siblings_get_period(Spinner *spinner, const ClockFacts *clock, bool spinning, uint64_t end_ns,
                SiblingsPeriod *ret_period) {
        while (time_monotonic_ns() < end_ns)
                if (siblings_read_period(spinner, clock, spinning, ret_period))
                        return true;
        return false;
}

static SiblingsOutcome siblings_round(Spinner *spinner, const ClockFacts *clock, uint32_t seed, uint64_t end_ns) {
        SiblingsPeriod periods[SIBLINGS_PERIODS];
        bool spinning[SIBLINGS_PERIODS];

        siblings_draw_order(seed, spinning);
        for (size_t i = 0; i < SIBLINGS_PERIODS; i++) {
                SiblingsMeans means;

                if (!siblings_get_period(spinner, clock, spinning[i], end_ns, &periods[i]))
                        return SIBLINGS_UNKNOWN;
                means = siblings_means(periods, i + 1);
                if (means.n_spinning >= SIBLINGS_EARLY && means.n_sleeping >= SIBLINGS_EARLY &&
                                means.spinning - means.sleeping < SIBLINGS_HOPELESS)
                        return means.sleeping > SIBLINGS_BUSY ? SIBLINGS_UNKNOWN : SIBLINGS_NONE;
        }
        return siblings_decide(periods, SIBLINGS_PERIODS) ? SIBLINGS_SHARE : SIBLINGS_NONE;
}

/* Most pairs are decided after one period: beside a spinning sibling nearly all probes are slow. */
static SiblingsOutcome siblings_test(Spinner *spinner, const ClockFacts *clock, uint32_t seed, uint64_t end_ns) {
        SiblingsOutcome outcome = SIBLINGS_SHARE;
        SiblingsPeriod first;

        if (!siblings_get_period(spinner, clock, true, end_ns, &first))
                return SIBLINGS_UNKNOWN;
        if (first.slow_share <= SIBLINGS_DIFFERENCE)
                return SIBLINGS_NONE;
        for (uint32_t round = 0; round < SIBLINGS_ROUNDS && outcome == SIBLINGS_SHARE; round++)
                outcome = siblings_round(spinner, clock, SIBLINGS_ROUNDS * seed + round, end_ns);
        return outcome;
}

static SiblingsOutcome siblings_test_pair(const ClockFacts *clock, int own, int other) {
        Spinner spinner = {};
        SiblingsOutcome outcome;
        pthread_t thread;

        if (sem_init(&spinner.wake, 0, 0) < 0)
                return SIBLINGS_UNKNOWN;
        if (warp_thread_start(other, spinner_main, &spinner, &thread) != 0) {
                sem_destroy(&spinner.wake);
                return SIBLINGS_UNKNOWN;
        }
        outcome = siblings_test(&spinner, clock, (uint32_t)own * 1024 + other, time_monotonic_ns() + SIBLINGS_PAIR_NS);
        spinner_end(&spinner, thread, own);
        return outcome;
}

/* ---- all of them */

void siblings_find(const RunnerPlan *plan, const ClockFacts *clock, uint32_t *ret_tested, uint32_t *ret_found) {
        const uint64_t end_ns = time_monotonic_ns() + SIBLINGS_ALL_NS;
        uint32_t tested = 0, found = 0;

        for (uint32_t i = 0; clock->ruler_turns > 0 && clock->port_chains > 0 && i < plan->n_suspects; i++) {
                SiblingsOutcome outcome = SIBLINGS_UNKNOWN;

                if (time_monotonic_ns() < end_ns)
                        outcome = siblings_test_pair(clock, plan->cpus[0], plan->cpus[2 + i]);
                tested |= (uint32_t)(outcome != SIBLINGS_UNKNOWN) << i;
                found |= (uint32_t)(outcome == SIBLINGS_SHARE) << i;
        }
        *ret_tested = tested;
        *ret_found = found;
}
