/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * One process of the trial of a probe of the memory side (tests/bench/memory-neighbour): batches of a body that misses its caches, with
 * a short chase of dependent misses before and after each, in memory of its own.
 *
 *      memory-neighbour BODY MISSES BATCHES MICROSECONDS CPU [HOG_CPU SEED]
 *
 * MISSES is the length of a probe; batches with and without one alternate where it is negative. With HOG_CPU a child copies memory there,
 * on and off for 1 to 100 ms each. A line a batch: the probe before in ns (0: none), the batch in ns a step, the probe after, whether
 * the probes of the core (clock/probe.h) found its other thread busy, and whether the hog ran at the batch's ends (0, 1 or 2).
 */

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock/probe.h"
#include "clock/ruler.h"
#include "clock/tick.h"
#include "util/cleanup.h"
#include "util/time.h"

#define KIB           1024u
#define MIB           (1024u * KIB)
#define LINE          64u
#define PROBE_BITS    21u /* of the number of a line: 128 MiB */
#define PROBE_TURN    10u
#define HOG_BYTES     (64 * MIB)
#define HOG_MS_MAX    100u
#define PIECE         (4 * KIB) /* a step of a copy or a fill */
#define WINDOW_NS     300000000ull
#define REST_NS       40000000ull
#define WARM_NS       200000000ull
#define RULER_TURNS   100u
#define QUANTUM_LOOKS 1000

typedef struct Body Body;

struct Body {
        const char *name;
        size_t bytes;
        void (*run)(Body *body, uint64_t steps);
        char *from;
        char *to;
        void *at;
        size_t offset;
};

typedef struct Reading {
        uint64_t memory_ticks;
        ProbeReading core;
        double cycles_per_tick;
} Reading;

typedef struct Sample {
        Reading before;
        Reading after;
        uint64_t ticks;
        uint8_t hog;
} Sample;

static uint64_t now_ns(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        return now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void rest(uint64_t ns) {
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = (long)ns }, NULL); /* under a second */
}

static bool pin(int cpu) {
        cpu_set_t set;

        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        return sched_setaffinity(0, sizeof set, &set) == 0;
}

static uint64_t random_below(uint64_t *state, uint64_t n) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        return (*state >> 33) % n;
}

/* Memory whose every page is there. Huge pages spare a probe the misses of its TLB, and the body's entries there. */
static char *memory_new(size_t bytes, bool huge) {
        char *memory = mmap(NULL, bytes + 2 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (memory == MAP_FAILED)
                exit(1);
        memory += -(uintptr_t)memory % (2 * MIB);
        madvise(memory, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
        for (size_t i = 0; i < bytes; i += 4 * KIB)
                memory[i] = 0;
        return memory;
}

/* ---- bodies */

/* A cycle through all lines in random order (Sattolo). */
static void chase_link(Body *body, uint64_t *random) {
        const size_t n = body->bytes / LINE;
        uint32_t *order = malloc(n * sizeof *order);

        if (!order)
                exit(1);
        for (size_t i = 0; i < n; i++)
                order[i] = i;
        for (size_t i = n - 1; i > 0; i--) {
                const size_t j = random_below(random, i);
                const uint32_t swapped = order[i];

                order[i] = order[j];
                order[j] = swapped;
        }
        for (size_t i = 0; i < n; i++)
                *(void **)(body->from + i * LINE) = body->from + (size_t)order[i] * LINE;
        body->at = body->from;
        free(order);
}

static void chase_run(Body *body, uint64_t steps) {
        void *at = body->at;

        for (; steps > 0; steps--)
                __asm__ volatile("mov (%0), %0" : "+r"(at) : : "memory");
        body->at = at;
}

static void copy_run(Body *body, uint64_t steps) {
        for (; steps > 0; steps--, body->offset = (body->offset + PIECE) % body->bytes)
                memcpy(body->to + body->offset, body->from + body->offset, PIECE);
}

static void fill_run(Body *body, uint64_t steps) {
        for (; steps > 0; steps--, body->offset = (body->offset + PIECE) % body->bytes)
                memset(body->from + body->offset, (int)body->offset, PIECE);
}

static Body bodies[] = {
        { .name = "chase_64m", .bytes = 64 * MIB, .run = chase_run },
        { .name = "chase_16m", .bytes = 16 * MIB, .run = chase_run },
        { .name = "copy_64m", .bytes = 64 * MIB, .run = copy_run },
        { .name = "fill_32m", .bytes = 32 * MIB, .run = fill_run },
        { .name = "walk_28k", .bytes = 28 * KIB, .run = chase_run },
        { .name = "walk_256k", .bytes = 256 * KIB, .run = chase_run },
        { .name = "walk_1m", .bytes = MIB, .run = chase_run },
};

static Body *body_new(const char *name, uint64_t *random) {
        for (size_t i = 0; i < N_ELEMENTS(bodies); i++) {
                Body *body = &bodies[i];

                if (strcmp(body->name, name) != 0)
                        continue;
                body->from = memory_new(body->bytes, false);
                if (body->run == copy_run)
                        body->to = memory_new(body->bytes, false);
                if (body->run == chase_run)
                        chase_link(body, random);
                return body;
        }
        return NULL;
}

/* ---- the probes */

/*
 * The lines of @memory in the order of a generator that comes to each once in two million, so none is in a cache, and no list is written.
 * Its lowest bits, which hardly vary, are the address's highest. The next address depends on what was loaded, which is 0.
 */
static uint64_t probe_memory(const char *memory, uint32_t misses) {
        static uint32_t at = 1;
        uint64_t start, stop;

        start = tick_start();
        for (; misses > 0; misses--) {
                const uint32_t line = (at >> PROBE_TURN | at << (PROBE_BITS - PROBE_TURN)) % (1u << PROBE_BITS);

                at = (at * 1664525u + 1013904223u + *(const volatile uint32_t *)(memory + (size_t)line * LINE)) %
                     (1u << PROBE_BITS);
        }
        stop = tick_stop();
        return stop - start;
}

/* All probes, and the ruler beside those of the core. */
static Reading probes_read(const char *memory, uint32_t misses) {
        Reading reading = { .memory_ticks = misses > 0 ? probe_memory(memory, misses) : 0 };

        reading.core.branch_ticks = probe_branches(PROBE_STEPS);
        reading.core.ports_ticks = probe_ports(PROBE_CHAINS_MIN, PROBE_STEPS);
        reading.cycles_per_tick = ruler_cycles_per_tick(RULER_TURNS, ruler_run(RULER_TURNS), 0);
        return reading;
}

/* ---- the hog */

static void hog_run(uint64_t seed, atomic_bool *on) {
        char *from = memory_new(HOG_BYTES, false), *to = memory_new(HOG_BYTES, false);
        uint64_t until_ns;

        for (;;) {
                rest((1 + random_below(&seed, HOG_MS_MAX)) * NS_PER_MS);
                until_ns = now_ns() + (1 + random_below(&seed, HOG_MS_MAX)) * NS_PER_MS;
                atomic_store(on, true);
                for (size_t i = 0; now_ns() < until_ns; i = (i + PIECE) % HOG_BYTES)
                        memcpy(to + i, from + i, PIECE);
                atomic_store(on, false);
        }
}

/* Returns the flag that tells whether it copies; it does when this returns. Without a CPU there is none: pid -1. */
static atomic_bool *hog_start(int cpu, uint64_t seed, pid_t *ret_pid) {
        atomic_bool *on = mmap(NULL, sizeof *on, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        const struct sched_param fifo = { .sched_priority = 1 }; /* others there would stop it */
        const pid_t parent = getpid();
        pid_t child = -1;

        if (on == MAP_FAILED || (cpu >= 0 && (child = fork()) < 0))
                exit(1);
        if (child == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                if (getppid() == parent && pin(cpu) && sched_setscheduler(0, SCHED_FIFO, &fifo) == 0)
                        hog_run(seed, on);
                _exit(1);
        }
        while (child > 0 && !atomic_load(on)) {
                rest(NS_PER_MS);
                if (waitpid(child, NULL, WNOHANG) != 0)
                        exit(1);
        }
        *ret_pid = child;
        return on;
}

static void hog_end(pid_t pid) {
        if (pid < 0)
                return;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
}

/* ---- batches */

/* Runs @body until its caches are as it leaves them. Returns the steps that take @batch_ns. */
static uint64_t body_warm(Body *body, uint64_t batch_ns) {
        const uint64_t end_ns = now_ns() + WARM_NS;
        double step_ns = INFINITY;
        uint64_t steps = 1;

        for (uint64_t begin_ns = now_ns(), took_ns; begin_ns < end_ns; begin_ns += took_ns) {
                body->run(body, steps);
                took_ns = now_ns() - begin_ns;
                step_ns = fmin(step_ns, (double)took_ns / steps);
                if (took_ns < batch_ns / 2)
                        steps *= 2;
        }
        return 1 + batch_ns / step_ns;
}

static Sample sample_take(Body *body, uint64_t steps, const char *memory, const uint32_t misses[2], atomic_bool *hog) {
        Sample sample;
        uint64_t start;

        sample.before = probes_read(memory, misses[0]);
        sample.hog = atomic_load(hog);
        start = tick_start();
        body->run(body, steps);
        sample.ticks = tick_stop() - start;
        sample.hog += atomic_load(hog);
        sample.after = probes_read(memory, misses[1]);
        return sample;
}

/* In windows that stay below the kernel's limit of real time. */
static void samples_take(Body *body, uint64_t steps, const char *memory, int misses, atomic_bool *hog, Sample *samples,
                size_t n) {
        uint64_t window_ns = 0;

        for (size_t i = 0; i < n; i++) {
                if (now_ns() > window_ns) {
                        sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){});
                        rest(REST_NS);
                        window_ns = now_ns() + WINDOW_NS;
                        sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 5 });
                        body->run(body, steps);
                }
                samples[i] = sample_take(body, steps, memory,
                                (const uint32_t[2]){ i % 2 || misses > 0 ? abs(misses) : 0, misses > 0 ? misses : 0 },
                                hog);
        }
        sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){});
}

/* ---- what is printed */

static double cycles_of(const Reading *reading, bool ports) {
        return (ports ? reading->core.ports_ticks : reading->core.branch_ticks) * reading->cycles_per_tick;
}

static double level_of(const Sample *samples, size_t n, bool ports) {
        double *readings = malloc(2 * n * sizeof *readings), level;

        if (!readings)
                exit(1);
        for (size_t i = 0; i < n; i++) {
                readings[2 * i] = cycles_of(&samples[i].before, ports);
                readings[2 * i + 1] = cycles_of(&samples[i].after, ports);
        }
        level = probe_level(readings, 2 * n);
        free(readings);
        return level;
}

/* The step by which the counter advances, in ticks: some looks that follow each other lie one step apart. */
static uint64_t quantum_ticks(void) {
        uint64_t quantum = UINT64_MAX, last = tick_start();

        for (int i = 0; i < QUANTUM_LOOKS; i++) {
                const uint64_t now = tick_start();

                if (now > last && now - last < quantum)
                        quantum = now - last;
                last = now;
        }
        return quantum;
}

static bool core_is_shared(const Reading *reading, ProbeLevels levels, uint64_t quantum) {
        levels.quantum_cycles = quantum * reading->cycles_per_tick;
        return probe_is_slow(&reading->core, &levels, reading->cycles_per_tick);
}

static void samples_print(const Sample *samples, size_t n, uint64_t steps, double ns_per_tick) {
        const ProbeLevels levels = {
                .branch_cycles = level_of(samples, n, false),
                .ports_cycles = level_of(samples, n, true),
        };
        const uint64_t quantum = quantum_ticks();

        for (const Sample *sample = samples; sample < samples + n; sample++)
                printf("%.1f %.5f %.1f %d %d\n", sample->before.memory_ticks * ns_per_tick,
                                sample->ticks * ns_per_tick / steps, sample->after.memory_ticks * ns_per_tick,
                                core_is_shared(&sample->before, levels, quantum) ||
                                                core_is_shared(&sample->after, levels, quantum),
                                sample->hog);
}

int main(int argc, char **argv) {
        const size_t n = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
        const uint64_t batch_ns = argc > 4 ? strtoul(argv[4], NULL, 10) * 1000 : 0;
        uint64_t random = now_ns(), steps, start_ns, start_ticks;
        Sample *samples = calloc(n, sizeof *samples);
        atomic_bool *hog;
        pid_t hog_pid;
        char *memory;
        Body *body;

        if (argc < 6 || n == 0 || batch_ns == 0 || !samples || !pin(atoi(argv[5]))) {
                fprintf(stderr, "memory-neighbour BODY MISSES BATCHES MICROSECONDS CPU [HOG_CPU SEED]\n");
                return 1;
        }
        hog = hog_start(argc > 7 ? atoi(argv[6]) : -1, argc > 7 ? strtoul(argv[7], NULL, 10) : 0, &hog_pid);
        memory = memory_new(LINE << PROBE_BITS, true);
        body = body_new(argv[1], &random);
        if (!body)
                return 1;
        start_ns = now_ns();
        start_ticks = tick_start();
        steps = body_warm(body, batch_ns);
        samples_take(body, steps, memory, atoi(argv[2]), hog, samples, n);
        samples_print(samples, n, steps, (double)(now_ns() - start_ns) / (tick_stop() - start_ticks));
        hog_end(hog_pid);
        free(samples);
        return 0;
}
