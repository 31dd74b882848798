/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/time/side.h"

#include <benchd/bench.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ops/runner-plan.h"
#include "runner/load/zero-pages.h"
#include "runner/time/beside.h"
#include "runner/time/lockstep.h"
#include "runner/time/record.h"
#include "runner/time/team.h"
#include "runner/watch/conduct.h"
#include "runner/watch/files-used.h"
#include "runner/watch/memory-lock.h"
#include "runner/watch/report.h"
#include "runner/watch/usage.h"

/* The kernel counts each preemption, so if the sequence is clear without one, the body caused it. */
void side_control_note(SideControl *control, const Usage *usage, uint32_t flags) {
        const bool cleared = (flags & MARK_PREEMPTED) && usage->preempted == 0;

        control->waited[control->n_noted % SIDE_CONTROL_BATCHES] = usage->blocked > 0;
        control->own[control->n_noted++ % SIDE_CONTROL_BATCHES] =
                        (usage->faults ? DETECTOR_CANARY : 0) | (usage->blocked || cleared ? DETECTOR_RSEQ : 0);
}

void side_control_note_probes(SideControl *control, const BesideProbes *slow) {
        control->n_probed++;
        control->n_found_alone += !slow->before;
        control->n_left_slow += !slow->before && slow->after;
}

bool side_control_blames_body(const SideControl *control) {
        return control->n_probed >= SIDE_CONTROL_BATCHES && 4 * control->n_found_alone > 3 * control->n_probed &&
               4 * control->n_left_slow > 3 * control->n_found_alone;
}

static uint32_t control_latest(const SideControl *control) {
        return control->n_noted < SIDE_CONTROL_BATCHES ? control->n_noted : SIDE_CONTROL_BATCHES;
}

bool side_control_waits(const SideControl *control) {
        const uint32_t n = control_latest(control);
        uint32_t n_waited = 0;

        for (uint32_t i = 0; i < n; i++)
                n_waited += control->waited[i];
        return 2 * n_waited > n;
}

static uint32_t control_fired(const SideControl *control, uint32_t detector, uint32_t n) {
        uint32_t fired = 0;

        for (uint32_t i = 0; i < n; i++)
                fired += (control->own[i] & detector) != 0;
        return fired;
}

uint32_t side_control_switch_off(const SideControl *control) {
        static const uint32_t detectors[] = { DETECTOR_CANARY, DETECTOR_RSEQ };
        const uint32_t n = control_latest(control);
        uint32_t off = 0;

        for (unsigned i = 0; i < sizeof detectors / sizeof *detectors; i++)
                if (2 * control_fired(control, detectors[i], n) > n)
                        off |= detectors[i];
        return off;
}

static uint32_t side_environment_bytes(void) {
        uint32_t n = 0;

        for (char **variable = environ; *variable; variable++)
                n += strlen(*variable) + 1;
        return n;
}

static bool side_has_probes(const Side *side) {
        return side->plan->clock.port_chains > 0 && side->plan->clock.ruler_turns > 0;
}

/* Refuses a count of the author that is too large for a plan: counts of the command line are checked earlier. */
static bool side_refuse_count(const struct bench_options *options, BlockHead *head) {
        const struct {
                const char *name;
                uint64_t value;
                uint64_t most;
        } rows[] = {
                { ".iterations", options->iterations, RUNNER_ITERATIONS_MAX },
                { ".samples", options->samples, RUNNER_SAMPLES_MAX },
                { ".processes", options->processes, RUNNER_PROCESSES_MAX },
                { ".min_time_ns", options->min_time_ns, RUNNER_TARGET_MAX_NS },
                { ".warmup_ms", options->warmup_ms == BENCH_NO_WARMUP ? 0 : options->warmup_ms, RUNNER_WARMUP_MAX_MS },
                { ".ops", options->ops, RUNNER_ITERATIONS_MAX },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                if (rows[i].value <= rows[i].most)
                        continue;
                report_end(head, RUNNER_END_MISUSE, "%s is %" PRIu64 ", of at most %" PRIu64, rows[i].name,
                                rows[i].value, rows[i].most);
                return true;
        }
        return false;
}

bool side_init(Side *side, const RunnerPlan *plan, uint32_t index, const struct bench_descriptor *descriptor,
                BlockHead *head) {
        side->plan = plan;
        side->index = index;
        side->resets = descriptor->options.reset;
        side->unprimed = descriptor->options.prime == BENCH_NO;
        if (side_refuse_count(&descriptor->options, head))
                return false;
        if (team_new(descriptor, plan, index, BODY_STACK_OWN, head, &side->team)) {
                report_end(head, RUNNER_END_INTERNAL, "no memory for a team, or no thread");
                return false;
        }
        side->block->n_threads = plan->n_threads;
        side->block->stack_offset_bytes = plan->stack_offset_bytes;
        side->block->environment_bytes = side_environment_bytes();
        side->block->probes = side_has_probes(side) ? SAMPLE_PROBES_ON : SAMPLE_PROBES_NONE;
        return true;
}

bool side_init_other(Side *side, const RunnerPlan *plan, uint32_t index, LockstepPage *page, BlockHead *head) {
        side->plan = plan;
        side->index = index;
        side->page = page;
        if (team_new_other(plan, page, head, &side->team)) {
                report_end(head, RUNNER_END_INTERNAL, "no memory for a team");
                return false;
        }
        return true;
}

void side_clear(Side *side) {
        side->team = team_free(side->team);
        free(side->heap_offset);
}

BodyState side_start(Side *side) {
        uint32_t n_bytes = side->plan->sides[side->index].heap_offset_bytes;
        BodyState state;

        if (n_bytes > 0 && !side->page)
                side->heap_offset = malloc(n_bytes);
        state = team_start(side->team);
        if (side->page) {
                side->resets = side->page->resets;
                side->unprimed = side->page->unprimed;
        }
        return state;
}

void side_after_setup(Side *side, Conduct *conduct, bool may_lock) {
        conduct_after_setup(conduct, team_size(side->team), &side->block->conduct);
        side->block->memory_lock = may_lock ? memory_lock() : OPS_OUTCOME_OMITTED;
        files_used_begin(&side->since);
}

static void side_note_probes(Side *side) {
        for (size_t i = 0; i < team_size(side->team); i++) {
                const BesideProbes slow = team_probes(side->team, i);

                side_control_note_probes(&side->control, &slow);
        }
        side->block->probes = side_control_blames_body(&side->control) ? SAMPLE_PROBES_OFF : SAMPLE_PROBES_ON;
}

/* Events in batches before the samples are due to the benchmark itself. */
void side_note_unsampled(Side *side, RunnerPhase phase) {
        const BodyBatch *first = team_batch(side->team, 0);

        for (size_t i = 0; i < team_size(side->team); i++) {
                const BodyBatch *batch = team_batch(side->team, i);

                side_control_note(&side->control, &batch->usage, batch->flags);
        }
        side->block->conduct.switched_off = side->plan->clock.detectors & side_control_switch_off(&side->control);
        if (side_has_probes(side) && phase != RUNNER_PHASE_FIRST_CALL)
                side_note_probes(side);
        if (phase == RUNNER_PHASE_FIRST_CALL)
                side->block->first_call_ticks = first->stop_ticks - first->start_ticks;
}

bool side_waits(const Side *side) {
        return side_control_waits(&side->control);
}

/* Samples that no longer count do not count as printing or waiting either. */
static void side_forget_samples(SampleBlock *block) {
        block->n_samples = 0;
        block->conduct.writing_samples = 0;
        block->conduct.blocking_samples = 0;
        block->conduct.waiting_samples = 0;
        block->conduct.n_blocked = 0;
}

void side_note_sample(Side *side, bool fresh) {
        SampleBlock *block = side->block;

        if (fresh)
                side_forget_samples(block);

        for (size_t i = 0; i < team_size(side->team) && block->n_samples < RUNNER_SAMPLES_MAX; i++) {
                conduct_note_sample(&block->conduct, &team_batch(side->team, i)->usage);
                record_counts(team_batch(side->team, i), block);
                block->samples[block->n_samples++] = record_sample(side->plan, side->team, i,
                                block->conduct.switched_off, block->probes == SAMPLE_PROBES_ON);
        }
        block->iterations = team_batch(side->team, 0)->iterations;
}

bool side_is_shared(const Side *side) {
        bool shared = false;

        for (size_t i = 0; i < team_size(side->team); i++) {
                const BesideProbes slow = team_probes(side->team, i);

                shared |= slow.before || slow.after;
        }
        return shared && side->block->probes == SAMPLE_PROBES_ON;
}

bool side_stretch_is_slow(const Side *side, uint32_t n) {
        return side->block->probes == SAMPLE_PROBES_ON && team_stretch_is_slow(side->team, n);
}

/* The samples of the last batch but @n_back, one per thread; NULL if there are none. */
static Sample *side_samples(const Side *side, uint32_t n_back) {
        const uint64_t n = (uint64_t)(n_back + 1) * team_size(side->team);

        return n <= side->block->n_samples ? &side->block->samples[side->block->n_samples - n] : NULL;
}

void side_mark_next(Side *side, uint32_t n_back) {
        Sample *samples = side_samples(side, n_back);

        for (size_t i = 0; samples && i < team_size(side->team); i++)
                samples[i].flags |= MARK_BESIDE_SHARED;
}

bool side_has_none(const Side *side, uint32_t n_back, uint32_t flags) {
        const Sample *samples = side_samples(side, n_back);

        for (size_t i = 0; samples && i < team_size(side->team); i++)
                if (samples[i].flags & flags)
                        return false;
        return samples;
}

static uint64_t timeval_ns(struct timeval t) {
        return t.tv_sec * 1000000000ull + t.tv_usec * 1000ull;
}

void side_tell_memory(Side *side) {
        ZeroPages found;

        side->block->files = files_used_find(&side->since);
        if (!zero_pages_count(&found))
                return;
        side->block->mapped_bytes = found.mapped_bytes;
        side->block->unwritten_bytes = found.unwritten_bytes;
        side->block->unwritten_huge_bytes = found.huge_bytes;
}

void side_tell(Side *side) {
        struct rusage usage;

        if (side->page) {
                lockstep_ask(side->page, LOCKSTEP_TELL);
                return;
        }
        team_tell(side->team, side->block);
        if (getrusage(RUSAGE_SELF, &usage) < 0)
                return;
        side->block->user_ns = timeval_ns(usage.ru_utime);
        side->block->system_ns = timeval_ns(usage.ru_stime);
}
