/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "words/mark.h"

/* Worse classes come first, so that the first mark of a sample is of its class. */
/* clang-format off */
static const Mark marks[MARKS_N + 1] = {
        { MARK_STOLEN, "stolen", "stolen by the hypervisor", 5,
          "The batch lasted over 20 µs longer than the kernel charged the thread for, though it neither waited nor was preempted: a "
          "hypervisor." },
        { MARK_PREEMPTED, "preempted", "preempted", 0,
          "A restartable sequence (rseq) that the kernel clears on preemption and signals; and the kernel's count of switches." },
        { MARK_MIGRATED, "migrated", "migrated", 5,
          "The CPU's number at the start and at the end." },
        { MARK_UNATTRIBUTED, "unattributed", "stretched by something unknown", 0,
          "The ruler after the batch took half as long again as the one before, and no detector knows why: firmware, or a hypervisor." },
        { MARK_SHARED, "shared", "beside another thread of the core", 0,
          "A probe beside the batch found another hardware thread on the core (NEIGHBOURS)." },
        { MARK_BESIDE_SHARED, "beside-shared", "next to a shared one", 0, NULL },
        { MARK_FREQUENCY, "frequency", "at another frequency", 4,
          "The two rulers differ by over 1 %, and no probe was slow." },
        { MARK_FAULTED, "faulted", "with page faults", 4,
          "The kernel's count of page faults." },
        { MARK_INTERRUPTED, "interrupted", "interrupted", 4,
          "A null selector in a segment register, which every return from an interrupt clears." },
        { 0, "unmarked", "without a mark", 0, NULL },
};
/* clang-format on */

const Mark *mark_by_weight(size_t index) {
        return index <= MARKS_N ? &marks[index] : NULL;
}

const Mark *mark_at(size_t index) {
        for (size_t i = 0; i < MARKS_N; i++)
                if (marks[i].bit == 1u << index)
                        return &marks[i];
        return NULL;
}
