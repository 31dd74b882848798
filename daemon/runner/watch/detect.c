/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/watch/detect.h"

#include <benchd/bench.h>

#include <linux/rseq.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <unistd.h>

#include "clock/ruler.h"
#include "ops/sample-block.h"
#include "runner/time/body.h"

#define DETECT_TRIES  64u
#define DETECT_ENOUGH 56u /* of them: an interrupt may fall into a try where nothing should happen */

/*
 * A sequence of one instruction that nothing runs; the kernel reads the signature before its abort address, so that no
 * stray pointer is taken for a sequence.
 */
__asm__(".pushsection .text\n"
        ".type detect_sequence, @function\n"
        "detect_sequence: nop\n"
        "detect_sequence_end: nop\n"
        "        .byte 0x0f, 0xb9, 0x3d\n" /* ud1, so that the signature is part of an instruction */
        "        .long 0x53053053\n"
        "detect_sequence_abort: ud2\n"
        ".size detect_sequence, . - detect_sequence\n"
        ".popsection\n"
        ".pushsection .data.rel.ro, \"aw\"\n"
        "        .balign 32\n"
        ".globl detect_descriptor\n" /* LTO may put whoever reads it into another object */
        ".hidden detect_descriptor\n"
        "detect_descriptor:\n"
        "        .long 0, 0\n" /* version, flags */
        "        .quad detect_sequence\n"
        "        .quad detect_sequence_end - detect_sequence\n"
        "        .quad detect_sequence_abort\n"
        ".popsection\n");

extern const struct rseq_cs detect_descriptor __attribute__((visibility("hidden")));

/* The pointer to the sequence, in what glibc registered for this thread. */
static volatile uint64_t *own_sequence(void) {
        return (volatile uint64_t *)((char *)__builtin_thread_pointer() + __rseq_offset +
                                     offsetof(struct rseq, rseq_cs));
}

static inline void canary_arm(void) {
        __asm__ volatile("mov %w0, %%es" : : "r"(1) : "memory");
}

static inline bool canary_fired(void) {
        unsigned selector;

        __asm__ volatile("mov %%es, %0" : "=r"(selector) : : "memory");
        return (selector & 0xffff) == 0;
}

void detect_arm(uint32_t detectors) {
        if (detectors & DETECTOR_RSEQ)
                *own_sequence() = (uintptr_t)&detect_descriptor;
        if (detectors & DETECTOR_CANARY)
                canary_arm();
}

uint32_t detect_read(uint32_t detectors) {
        uint32_t flags = 0;

        if ((detectors & DETECTOR_CANARY) && canary_fired())
                flags |= MARK_INTERRUPTED;
        if ((detectors & DETECTOR_RSEQ) && *own_sequence() == 0)
                flags |= MARK_PREEMPTED;
        return flags;
}

void detect_watch(uint32_t detectors, struct bench_watch *ret_watch) {
        *ret_watch = (struct bench_watch){
                .sequence = detectors & DETECTOR_RSEQ ? own_sequence() : NULL,
                .sequence_armed = (uintptr_t)&detect_descriptor,
                .canary = (detectors & DETECTOR_CANARY) != 0,
        };
}

uint32_t detect_watched(const struct bench_watch *watch) {
        return (watch->interrupted ? MARK_INTERRUPTED : 0) | (watch->switched ? MARK_PREEMPTED : 0);
}

uint32_t detect_flags(uint32_t detectors) {
        return (detectors & DETECTOR_CANARY ? MARK_INTERRUPTED : 0) | (detectors & DETECTOR_RSEQ ? MARK_PREEMPTED : 0);
}

/* ---- the test of each */

static void do_nothing(void) {
}

static void fault_a_page(void) {
        volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (page == MAP_FAILED)
                return;
        *page = 1;
        munmap((void *)page, 4096);
}

static void on_signal(int number) {
}

static void signal_oneself(void) {
        kill(getpid(), SIGUSR1);
}

static unsigned count_fired(uint32_t detector, void (*event)(void)) {
        unsigned n = 0;

        for (unsigned i = 0; i < DETECT_TRIES; i++) {
                detect_arm(detector);
                event();
                n += detect_read(detector) != 0;
        }
        return n;
}

static bool detector_works(uint32_t detector, void (*event)(void)) {
        return count_fired(detector, do_nothing) <= DETECT_TRIES - DETECT_ENOUGH &&
               count_fired(detector, event) >= DETECT_ENOUGH;
}

uint32_t detect_test(void) {
        struct sigaction handler = { .sa_handler = on_signal }, before;
        uint32_t detectors = 0;

        if (detector_works(DETECTOR_CANARY, fault_a_page))
                detectors |= DETECTOR_CANARY;
        if (__rseq_size == 0 || sigaction(SIGUSR1, &handler, &before) < 0)
                return detectors;
        if (detector_works(DETECTOR_RSEQ, signal_oneself))
                detectors |= DETECTOR_RSEQ;
        sigaction(SIGUSR1, &before, NULL);
        return detectors;
}

#define BESIDE_FREQUENCY 0.01 /* rulers further apart: the frequency changed */
#define BESIDE_STRETCHED 1.5  /* a ruler longer by this: the core was taken away */

void beside_begin(Beside *beside, bool adjacent) {
        if (beside->clock->ruler_turns == 0)
                return;
        beside->before_ticks =
                        adjacent && beside->after_ticks ? beside->after_ticks : ruler_run(beside->clock->ruler_turns);
}

static bool beside_is_stretched(const Beside *beside) {
        return beside->after_ticks > BESIDE_STRETCHED * beside->before_ticks;
}

static ProbeLevels beside_levels(const ClockFacts *clock, double cycles_per_tick) {
        return (ProbeLevels){
                .branch_cycles = clock->branch_cycles,
                .ports_cycles = clock->ports_cycles,
                .quantum_cycles = clock->quantum_ticks * cycles_per_tick,
        };
}

bool beside_is_slow(const ClockFacts *clock, const ProbeReading *reading, double cycles_per_tick) {
        const ProbeLevels levels = beside_levels(clock, cycles_per_tick);

        return probe_is_slow(reading, &levels, cycles_per_tick);
}

/* By the quicker of the two rulers: one that was interrupted, or slowed by the neighbour, would let the probe pass. */
static double beside_cycles_per_tick(const Beside *beside) {
        const ClockFacts *clock = beside->clock;
        const uint64_t ruler_ticks =
                        beside->before_ticks < beside->after_ticks ? beside->before_ticks : beside->after_ticks;

        return ruler_cycles_per_tick(clock->ruler_turns, ruler_ticks, clock->ruler_cost_ticks);
}

static bool beside_has_probes(const Beside *beside, const BodyBatch *batch) {
        return beside->clock->port_chains > 0 && beside->before_ticks > 0 && batch->before.branch_ticks > 0;
}

static void beside_note_pair(Beside *beside, const BodyBatch *batch) {
        const double cycles_per_tick = beside_cycles_per_tick(beside);

        memmove(beside->pairs, beside->pairs + 1, (BESIDE_STRETCH - 1) * sizeof *beside->pairs);
        beside->pairs[BESIDE_STRETCH - 1] = (ProbePair){
                .before_cycles = batch->before.branch_ticks * cycles_per_tick,
                .after_cycles = batch->after.branch_ticks * cycles_per_tick,
        };
        beside->n_pairs += beside->n_pairs < BESIDE_STRETCH;
}

void beside_end(Beside *beside, const BodyBatch *batch) {
        if (beside->clock->ruler_turns == 0)
                return;
        detect_arm(beside->clock->detectors);
        beside->after_ticks = ruler_run(beside->clock->ruler_turns);
        beside->after_flags = detect_read(beside->clock->detectors);
        if (beside_has_probes(beside, batch))
                beside_note_pair(beside, batch);
}

BesideProbes beside_probes(const Beside *beside, const BodyBatch *batch) {
        double cycles_per_tick;

        if (!beside_has_probes(beside, batch))
                return (BesideProbes){};
        cycles_per_tick = beside_cycles_per_tick(beside);
        return (BesideProbes){
                .before = beside_is_slow(beside->clock, &batch->before, cycles_per_tick),
                .after = beside_is_slow(beside->clock, &batch->after, cycles_per_tick),
        };
}

bool beside_stretch_is_slow(const Beside *beside, uint32_t n) {
        ProbeLevels levels;

        n = n < beside->n_pairs ? n : beside->n_pairs;
        if (n == 0)
                return false;
        levels = beside_levels(beside->clock, beside_cycles_per_tick(beside));
        return probe_stretch_is_slow(beside->pairs + BESIDE_STRETCH - n, n, &levels);
}

/*
 * The rulers' verdict on a sample. Both differ: the core's frequency changed within it. The one after it is stretched
 * by more than any frequency explains, and no detector knows why: a hypervisor or firmware had the core.
 */
static uint32_t beside_ruler_flags(const Beside *beside) {
        double before = beside->before_ticks, after = beside->after_ticks;

        if (before == 0 || beside->after_flags)
                return 0;
        if (beside_is_stretched(beside))
                return MARK_UNATTRIBUTED;
        return after > (1 + BESIDE_FREQUENCY) * before || before > (1 + BESIDE_FREQUENCY) * after ? MARK_FREQUENCY : 0;
}

/* A neighbour slows the ruler a little too, which is no change of frequency. */
void beside_fill(const Beside *beside, const BodyBatch *batch, bool probed, Sample *sample) {
        const BesideProbes slow = probed ? beside_probes(beside, batch) : (BesideProbes){};
        uint32_t flags = beside_ruler_flags(beside);

        if (slow.before || slow.after)
                flags = (flags & ~(uint32_t)MARK_FREQUENCY) | MARK_SHARED;
        sample->ruler_before_ticks = beside->before_ticks;
        sample->ruler_after_ticks = beside->after_ticks;
        sample->flags |= flags;
}
