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

#include "ops/block.h"

#define DETECT_TRIES  64u
#define DETECT_ENOUGH 56u /* successful tries: an interrupt may fall into a try in which nothing should happen */

/*
 * A sequence of one instruction that never runs. The kernel checks the signature before its abort address, so that no
 * stray pointer counts as a sequence.
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
        ".globl detect_descriptor\n" /* LTO may put its readers into another object */
        ".hidden detect_descriptor\n"
        "detect_descriptor:\n"
        "        .long 0, 0\n" /* version, flags */
        "        .quad detect_sequence\n"
        "        .quad detect_sequence_end - detect_sequence\n"
        "        .quad detect_sequence_abort\n"
        ".popsection\n");

extern const struct rseq_cs detect_descriptor __attribute__((visibility("hidden")));

/* The pointer to the sequence, in the area that glibc registered for this thread. */
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
