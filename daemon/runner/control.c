/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/control.h"

#include "ops/runner-plan.h"
#include "ops/sample-block.h"
#include "runner/beside.h"
#include "runner/usage.h"

/* The kernel counts each preemption, so a sequence that is clear without one is the body's doing. */
void control_note(Control *control, const Usage *usage, uint32_t flags) {
        const bool cleared = (flags & MARK_PREEMPTED) && usage->preempted == 0;

        control->waited[control->n_noted % CONTROL_BATCHES] = usage->blocked > 0;
        control->own[control->n_noted++ % CONTROL_BATCHES] =
                        (usage->faults ? DETECTOR_CANARY : 0) | (usage->blocked || cleared ? DETECTOR_RSEQ : 0);
}

void control_note_probes(Control *control, const BesideProbes *slow) {
        control->n_probed++;
        control->n_found_alone += !slow->before;
        control->n_left_slow += !slow->before && slow->after;
}

bool control_blames_body(const Control *control) {
        return control->n_probed >= CONTROL_BATCHES && 4 * control->n_found_alone > 3 * control->n_probed &&
               4 * control->n_left_slow > 3 * control->n_found_alone;
}

static uint32_t control_latest(const Control *control) {
        return control->n_noted < CONTROL_BATCHES ? control->n_noted : CONTROL_BATCHES;
}

bool control_waits(const Control *control) {
        const uint32_t n = control_latest(control);
        uint32_t n_waited = 0;

        for (uint32_t i = 0; i < n; i++)
                n_waited += control->waited[i];
        return 2 * n_waited > n;
}

static uint32_t control_fired(const Control *control, uint32_t detector, uint32_t n) {
        uint32_t fired = 0;

        for (uint32_t i = 0; i < n; i++)
                fired += (control->own[i] & detector) != 0;
        return fired;
}

uint32_t control_switch_off(const Control *control) {
        static const uint32_t detectors[] = { DETECTOR_CANARY, DETECTOR_RSEQ };
        const uint32_t n = control_latest(control);
        uint32_t off = 0;

        for (unsigned i = 0; i < sizeof detectors / sizeof *detectors; i++)
                if (2 * control_fired(control, detectors[i], n) > n)
                        off |= detectors[i];
        return off;
}
