/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How a runner ended, in a word and a sentence. From what the launcher saw (exit, signal, time) and what the runner
 * said of itself in its block, which is believed only where the launcher's word does not say more. Pure; the words are
 * tables.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/ops.h"
#include "ops/sample-block.h"

typedef struct ProcessEnd {
        const char *code;   /* one word, of the table in PROTOCOL.md; static */
        char message[1024]; /* a sentence, without the benchmark's name */
        bool of_module;     /* the module as a whole is at fault: nothing in it can run */
        bool of_daemon;     /* the fault is not the module's */
} ProcessEnd;

/*
 * Judges a process that ended as @ended says. @head is the head of its block, NULL where the block is not what a runner
 * writes. @timeout_ns is what it was given. Returns true if it did all that it was to do, else false with *@ret_ending.
 */
bool process_end_judge(const OpsEnded *ended, const BlockHead *head, uint64_t timeout_ns, ProcessEnd *ret_ending);
