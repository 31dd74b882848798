/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/follow.h"

#include <stdio.h>
#include <unistd.h>

#include "runner/time/lockstep.h"
#include "runner/time/side.h"
#include "runner/time/team.h"
#include "runner/watch/conduct.h"
#include "runner/watch/report.h"

typedef struct Following {
        LockstepPage *page;
        BlockHead *head;
        Conduct *conduct;
        Side side;
} Following;

static BodyState follow_start(Following *following) {
        const BodyState state = side_start(&following->side);

        if (state == BODY_WAITS)
                side_after_setup(&following->side, following->conduct, true);
        following->page->resets = following->side.resets;
        following->page->unprimed = following->side.unprimed;
        following->page->iterations_max = team_iterations_max(following->side.team);
        return state;
}

static BodyState follow_batch(Following *following) {
        LockstepPage *page = following->page;
        Team *team = following->side.team;
        const BodyState state = team_run_batch(team, &page->batch);

        page->done = *team_batch(team, 0);
        page->beside = *team_beside(team, 0);
        if (state != BODY_WAITS || !conduct_left_thread(following->conduct))
                return state;
        report_end(following->head, RUNNER_END_THREAD_LEFT, "%s", "");
        return BODY_ENDED;
}

static BodyState follow_finish(Following *following) {
        report_await_children();
        conduct_end(following->conduct, &following->side.block->conduct);
        side_tell_memory(&following->side);
        return team_finish(following->side.team);
}

/* After this only the end of both processes remains to wait for. */
static BodyState follow_tell(Following *following) {
        side_tell(&following->side);
        team_report_end(following->side.team);
        report_phase(following->head, RUNNER_PHASE_DONE);
        fflush(NULL);
        return BODY_COMPLETE;
}

static BodyState (*const follow_steps[])(Following *following) = {
        [LOCKSTEP_START] = follow_start,
        [LOCKSTEP_BATCH] = follow_batch,
        [LOCKSTEP_FINISH] = follow_finish,
        [LOCKSTEP_TELL] = follow_tell,
};

static void __attribute__((noreturn)) follow_all(Following *following) {
        for (uint32_t n_done = 0;; n_done++) {
                const LockstepStep step = lockstep_hear(following->page, n_done);

                if (step != LOCKSTEP_TELL)
                        report_phase(following->head, following->page->phase);
                following->page->state = follow_steps[step](following);
                if (following->page->state == BODY_ENDED)
                        team_report_end(following->side.team);
                lockstep_answer(following->page);
        }
}

void follow_run(const RunnerPlan *plan, uint32_t index, const struct bench_descriptor *descriptor, Conduct *conduct,
                SampleBlock *blocks) {
        Following following = {
                .page = lockstep_page(plan, blocks),
                .head = &blocks[index].head,
                .conduct = conduct,
                .side = { .block = &blocks[index] },
        };

        if (side_init(&following.side, plan, index, descriptor, following.head))
                follow_all(&following);
}
