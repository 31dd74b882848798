/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/tally.h"

#include <stdio.h>
#include <string.h>

#include "ops/sample-block.h"
#include "runner/body.h"

static SampleCounter *tally_find(SampleBlock *block, const char *name) {
        for (uint32_t i = 0; i < block->n_counters; i++)
                if (strcmp(block->counters[i].name, name) == 0)
                        return &block->counters[i];
        return NULL;
}

static bool tally_add_counter(SampleBlock *block, const SampleCounter *counter) {
        SampleCounter *known = tally_find(block, counter->name);

        if (known) {
                known->value += counter->value;
                return true;
        }
        if (block->n_counters == SAMPLE_BLOCK_COUNTERS_MAX)
                return false;
        block->counters[block->n_counters++] = *counter;
        return true;
}

/* The batch is as long as those of whom the fewest inputs fit. */
static uint32_t tally_least(uint32_t known, uint32_t more) {
        if (known == 0 || more == 0)
                return known + more;
        return known < more ? known : more;
}

static double tally_most(double known, double more) {
        return known > more ? known : more;
}

bool tally_add(SampleBlock *block, uint32_t thread, const BodyTold *told) {
        bool fits = true;

        block->threads[thread] = told->thread;
        block->inputs_max = tally_least(block->inputs_max, told->inputs_max);
        if (thread == 0)
                block->loop_address = told->loop_address;
        block->cpu_cost_ns = tally_most(block->cpu_cost_ns, told->cpu_clock.batch_ns);
        block->cpu_step_ns = tally_most(block->cpu_step_ns, told->cpu_clock.step_ns);
        if (told->label && !*block->label)
                snprintf(block->label, sizeof block->label, "%s", told->label);
        for (uint32_t i = 0; i < told->n_counters; i++)
                fits &= tally_add_counter(block, &told->counters[i]);
        return fits;
}
