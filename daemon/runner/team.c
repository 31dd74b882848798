/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/team.h"

#include <stdlib.h>

#include "runner/probe.h"
#include "util/cleanup.h"
#include "util/error.h"

struct Team {
        Body *body;
        Probe probe;
        BodyBatch batch;
};

DEFINE_CLEANUP(Team *, team_free)

int team_new(const struct bench_descriptor *descriptor, const RunnerPlan *plan, Team **ret_team) {
        _cleanup_(team_freep) Team *team = NULL;
        int r;

        team = calloc(1, sizeof *team);
        if (!team)
                return error_origin(-ENOMEM);
        team->probe = (Probe){ .clock = &plan->clock };
        r = body_new(descriptor, plan, &team->body);
        if (r)
                return error_trace(r);
        *ret_team = take_pointer(team);
        return 0;
}

Team *team_free(Team *team) {
        if (!team)
                return NULL;
        body_free(team->body);
        free(team);
        return NULL;
}

BodyState team_start(Team *team) {
        return body_start(team->body);
}

BodyState team_run_batch(Team *team, const TeamBatch *batch) {
        BodyState state;

        if (batch->sample)
                probe_before(&team->probe, batch->adjacent);
        state = body_run_batch(team->body, batch->iterations, &team->batch);
        if (batch->sample && state == BODY_WAITS)
                probe_after(&team->probe);
        return state;
}

BodyState team_finish(Team *team) {
        return body_finish(team->body);
}

uint64_t team_iterations_max(const Team *team) {
        return body_iterations_max(team->body);
}

RunnerEnd team_end(const Team *team, const char **ret_message) {
        return body_end(team->body, ret_message);
}

void team_tell(const Team *team, SampleBlock *block) {
        body_tell(team->body, block);
}

size_t team_size(const Team *team) {
        return 1;
}

const BodyBatch *team_batch(const Team *team, size_t index) {
        return &team->batch;
}

void team_fill(const Team *team, size_t index, Sample *sample) {
        probe_fill(&team->probe, sample);
}
