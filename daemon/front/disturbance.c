/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/disturbance.h"

#include "front/message.h"
#include "util/error.h"

#define DISTURBANCE_EXCLUDES (~(uint32_t)SAMPLE_FLAG_FAULTED)
#define DISTURBANCE_TAKES    (SAMPLE_FLAG_PREEMPTED | SAMPLE_FLAG_MIGRATED | SAMPLE_FLAG_UNATTRIBUTED)

bool disturbance_is_none(const Sample *sample) {
        return (sample->flags & DISTURBANCE_EXCLUDES) == 0;
}

void disturbance_add(Disturbance *disturbance, const Sample *sample, double ns, double usual_ns) {
        disturbance->n_samples++;
        disturbance->n_disturbed += !disturbance_is_none(sample);
        disturbance->n_interrupted += (sample->flags & SAMPLE_FLAG_INTERRUPTED) != 0;
        disturbance->n_preempted += (sample->flags & SAMPLE_FLAG_PREEMPTED) != 0;
        disturbance->n_migrated += (sample->flags & SAMPLE_FLAG_MIGRATED) != 0;
        disturbance->n_faulted += (sample->flags & SAMPLE_FLAG_FAULTED) != 0;
        disturbance->n_frequency += (sample->flags & SAMPLE_FLAG_FREQUENCY) != 0;
        disturbance->n_unattributed += (sample->flags & SAMPLE_FLAG_UNATTRIBUTED) != 0;
        disturbance->sampled_ns += ns;
        if ((sample->flags & DISTURBANCE_TAKES) && ns > usual_ns)
                disturbance->taken_ns += ns - usual_ns;
}

void disturbance_note_detectors(Disturbance *disturbance, uint32_t detectors) {
        disturbance->detectors = disturbance->begun ? disturbance->detectors & detectors : detectors;
        disturbance->begun = true;
}

bool disturbance_is_unfit(const Disturbance *disturbance) {
        return disturbance->taken_ns > DISTURBANCE_UNFIT * disturbance->sampled_ns;
}

int disturbance_report(const Disturbance *disturbance, Arena *arena, Benchd__Disturbed **ret_message) {
        Benchd__Disturbed *message;

        if (disturbance->detectors == 0 || disturbance->n_samples == 0)
                return 0;
        message = message_new(arena, Benchd__Disturbed, benchd__disturbed);
        if (!message)
                return error_origin(-ENOMEM);
        message_set_finite(message, fraction, (double)disturbance->n_disturbed / disturbance->n_samples);
        message_set(message, interrupted, disturbance->n_interrupted);
        message_set(message, preempted, disturbance->n_preempted);
        message_set(message, migrated, disturbance->n_migrated);
        message_set(message, faulted, disturbance->n_faulted);
        message_set(message, frequency, disturbance->n_frequency);
        message_set(message, unattributed, disturbance->n_unattributed);
        message_set(message, unfit, disturbance_is_unfit(disturbance));
        *ret_message = message;
        return 0;
}
