/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "runner/load/own-memory.h"
#include "runner/time/barrier.h"
#include "runner/time/context.h"
#include "runner/time/window.h"
#include "runner/watch/crash.h"
#include "runner/watch/report.h"
#include "util/cleanup.h"
#include "util/error.h"

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

static bool tally_add_mean(SampleBlock *block, uint32_t index, const char *name) {
        const uint32_t n = sample_block_n_counted(block);
        SampleCounter mean = {};

        snprintf(mean.name, sizeof mean.name, "%s", name);
        memcpy(block->counted[index], mean.name, sizeof mean.name);
        for (uint32_t i = 0; i < n; i++)
                mean.value += block->counts[i][index] / n;
        return tally_add_counter(block, &mean);
}

/* The member with room for the fewest inputs limits the batch. */
static uint32_t tally_least(uint32_t known, uint32_t more) {
        if (known == 0 || more == 0)
                return known + more;
        return known < more ? known : more;
}

static double tally_most(double known, double more) {
        return known > more ? known : more;
}

bool team_tally_add(SampleBlock *block, uint32_t thread, const BodyTold *told) {
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
        for (uint32_t i = 0; i < told->n_counted; i++)
                fits &= tally_add_mean(block, i, told->counted[i].name);
        block->n_counted = told->n_counted;
        return fits;
}

/* ---- a worker: a thread of a team, not the process's first, on its own CPU */

#define WORKER_ANY_CPU     (-1)
#define WORKER_STACK_BYTES (256u << 10) /* for its logic; the benchmark has the thread's stack */

typedef struct Worker {
        int cpu; /* or WORKER_ANY_CPU */
        void (*function)(void *argument);
        void *argument;
        bool aside; /* its function runs on a separate stack; the thread's own is for a benchmark */
        pid_t tid;  /* set by the thread itself */
        pthread_t thread;
} Worker;

/* If pinning fails, the launcher notices and reports it. */
static void worker_pin(int cpu) {
        cpu_set_t set;

        if (cpu < 0)
                return;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        (void)sched_setaffinity(0, sizeof set, &set);
}

static void *worker_main(void *userdata) {
        Worker *worker = userdata;

        worker->tid = gettid();
        worker_pin(worker->cpu);
        crash_watch_thread();
        if (worker->aside)
                (void)context_step_aside(WORKER_STACK_BYTES, worker->function, worker->argument);
        else
                worker->function(worker->argument);
        return NULL;
}

/* Starts @worker, whose first fields are set: pins itself, then runs its function. Returns 0 or a negative errno. */
static int worker_start(Worker *worker) {
        const int error = pthread_create(&worker->thread, NULL, worker_main, worker);

        return error ? error_origin(-error) : 0;
}

/* ---- a thread that ends itself */

typedef struct ExitWatch {
        void (*function)(void *argument);
        void *argument;
} ExitWatch;

static _Thread_local ExitWatch exit_watch;

static void exit_watch_fire(void *value) {
        const ExitWatch *watch = value;

        watch->function(watch->argument);
}

static pthread_key_t exit_key;
static int exit_key_error;

static void exit_key_make(void) {
        exit_key_error = pthread_key_create(&exit_key, exit_watch_fire);
}

/*
 * Makes pthread_exit() of the calling thread call @function(@argument), since it would go unnoticed; NULL undoes that.
 * The function must not return. Returns 0 or a negative errno.
 */
static int worker_watch_exit(void (*function)(void *argument), void *argument) {
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        int error = pthread_once(&once, exit_key_make);

        if (error == 0)
                error = exit_key_error;
        exit_watch = (ExitWatch){ function, argument };
        if (error == 0)
                error = pthread_setspecific(exit_key, function ? &exit_watch : NULL);
        return error ? error_origin(-error) : 0;
}

/* ---- the team */

#define TEAM_PATIENCE_NS 100000000u /* for the other members, when one has left */
#define TEAM_NOBODY      UINT32_MAX

/* One step of all members. */
typedef enum TeamStep {
        TEAM_START,
        TEAM_BATCH,
        TEAM_FINISH,
        TEAM_DISMISS,
} TeamStep;

typedef struct Member {
        Team *team;
        uint32_t index;
        Worker worker; /* unless it is the first */
        Body *body;
        BodyState state;
        Beside beside;
        BodyBatch batch;
} Member;

struct Team {
        Barrier gate;    /* before and after each step */
        Barrier meeting; /* of the bodies, within a step */
        uint32_t side;
        LockstepPage *page; /* of the process that has the team; NULL: this process */
        BlockHead *head;
        TeamStep step;
        LockstepBatch batch;
        bool assembled;  /* all workers are there */
        bool in_windows; /* the launcher knows them */
        _Atomic uint32_t first_to_leave;
        size_t n_members;
        Member members[];
};

/* ---- how it ends */

/* The member whose end counts for the team: the first that left, if any. */
static const Member *team_ender(const Team *team) {
        uint32_t index = atomic_load(&team->first_to_leave);

        return &team->members[index == TEAM_NOBODY ? 0 : index];
}

/* With several threads, a message begins with the thread. */
static void team_report(const Team *team, const Member *member) {
        const char *message;
        RunnerEnd end = body_end(member->body, &message);

        if (team->n_members == 1)
                report_end(team->head, end, "%s", message);
        else if (atomic_load(&team->first_to_leave) == TEAM_NOBODY)
                report_end(team->head, end, "%s", "");
        else
                report_end(team->head, end, "thread %u%s%s", member->index, *message ? ": " : "", message);
}

static void __attribute__((noreturn)) team_give_up(const Team *team) {
        team_report(team, team_ender(team));
        report_leave(team->head);
}

/* One of several members ended its thread: the others would wait for it for ever. */
static void member_on_exit(void *userdata) {
        const Member *member = userdata;

        report_end(member->team->head, RUNNER_END_THREAD, "thread %u", member->index);
        report_leave(member->team->head);
}

/* ---- steps */

static BodyState member_start(Member *member) {
        return body_start(member->body);
}

static BodyState member_run_batch(Member *member) {
        const LockstepBatch *batch = &member->team->batch;
        BodyState state;

        if (batch->sample)
                beside_begin(&member->beside, batch->adjacent);
        state = body_run_batch(member->body, batch->iterations, &member->batch);
        if (batch->sample && state == BODY_WAITS)
                beside_end(&member->beside, &member->batch);
        return state;
}

static BodyState member_finish(Member *member) {
        return body_finish(member->body);
}

static BodyState (*const member_steps[])(Member *member) = {
        [TEAM_START] = member_start,
        [TEAM_BATCH] = member_run_batch,
        [TEAM_FINISH] = member_finish,
};

static void member_step(Member *member) {
        Team *team = member->team;
        uint64_t patience_ns = BARRIER_FOREVER_NS;

        member->state = member_steps[team->step](member);
        if (team->n_members == 1)
                return;
        if (member->state == BODY_ENDED) {
                uint32_t nobody = TEAM_NOBODY;

                atomic_compare_exchange_strong(&member->team->first_to_leave, &nobody, member->index);
                barrier_break(&member->team->meeting);
                patience_ns = TEAM_PATIENCE_NS;
        }
        if (barrier_wait(&team->gate, patience_ns) == BARRIER_E_ALONE)
                team_give_up(team);
}

static void member_work(void *userdata) {
        Member *member = userdata;
        Team *team = member->team;

        if (worker_watch_exit(member_on_exit, member))
                member_on_exit(member);
        barrier_wait(&team->gate, BARRIER_FOREVER_NS); /* wait until it has started */
        for (;;) {
                barrier_wait(&team->gate, BARRIER_FOREVER_NS);
                if (team->step == TEAM_DISMISS)
                        break;
                member_step(member);
        }
        (void)worker_watch_exit(NULL, NULL);
}

static BodyState team_do_other(Team *team, LockstepStep step, RunnerPhase phase) {
        Member *member = &team->members[0];
        const ClockFacts *clock = member->beside.clock;

        team->page->batch = team->batch;
        team->page->phase = phase;
        lockstep_ask(team->page, step);
        member->state = team->page->state;
        member->batch = team->page->done;
        member->beside = team->page->beside;
        member->beside.clock = clock;
        return member->state;
}

static BodyState team_do(Team *team, TeamStep step) {
        static const LockstepStep other_steps[] = {
                [TEAM_START] = LOCKSTEP_START,
                [TEAM_BATCH] = LOCKSTEP_BATCH,
                [TEAM_FINISH] = LOCKSTEP_FINISH,
        };

        if (team->page)
                return team_do_other(team, other_steps[step], team->head->phase);
        team->step = step;
        if (team->n_members > 1)
                barrier_wait(&team->gate, BARRIER_FOREVER_NS);
        member_step(&team->members[0]);
        return team_ender(team)->state;
}

BodyState team_start(Team *team) {
        return team_do(team, TEAM_START);
}

BodyState team_run_batch(Team *team, const LockstepBatch *batch) {
        team->batch = *batch;
        return team_do(team, TEAM_BATCH);
}

BodyState team_finish(Team *team) {
        return team_do(team, TEAM_FINISH);
}

/* ---- life */

static int member_init(Member *member, const struct bench_descriptor *descriptor, const RunnerPlan *plan,
                BodyStack stack) {
        int r;

        member->beside = (Beside){ .clock = &plan->clock };
        member->worker = (Worker){
                .cpu = plan->options & RUNNER_OPTION_UNPREPARED ? WORKER_ANY_CPU : plan->cpus[member->index],
                .function = member_work,
                .argument = member,
                .aside = stack == BODY_STACK_OWN && !(plan->options & RUNNER_OPTION_HERE),
        };
        r = body_new(descriptor, plan, member->team->side, stack, &member->body);
        if (r)
                return error_trace(r);
        if (plan->n_threads > 1)
                body_join(member->body, member->index, &member->team->meeting, member->team->members[0].body);
        return 0;
}

static int team_assemble(Team *team) {
        int r;

        r = worker_watch_exit(member_on_exit, &team->members[0]);
        if (r)
                return error_trace(r);
        for (size_t i = 1; i < team->n_members; i++) {
                r = worker_start(&team->members[i].worker);
                if (r)
                        return error_trace(r);
        }
        barrier_wait(&team->gate, BARRIER_FOREVER_NS);
        team->assembled = true;
        for (size_t i = 1; team->in_windows && i < team->n_members; i++)
                window_name_thread(team->members[i].worker.tid);
        return 0;
}

static size_t team_size_bytes(size_t n_members) {
        return sizeof(Team) + n_members * sizeof(Member);
}

int team_new(const struct bench_descriptor *descriptor, const RunnerPlan *plan, uint32_t side, BodyStack stack,
                BlockHead *head, Team **ret_team) {
        _cleanup_(team_freep) Team *team = NULL;
        int r;

        team = own_memory_new(team_size_bytes(plan->n_threads));
        if (!team)
                return error_origin(-ENOMEM);
        *team = (Team){
                .side = side,
                .head = head,
                .in_windows = !(plan->options & RUNNER_OPTION_HERE),
                .first_to_leave = TEAM_NOBODY,
        };
        barrier_init(&team->gate, plan->n_threads);
        barrier_init(&team->meeting, plan->n_threads);
        for (uint32_t i = 0; i < plan->n_threads; i++) {
                team->members[i] = (Member){ .team = team, .index = i };
                team->n_members = i + 1;
        }
        for (uint32_t i = 0; i < plan->n_threads; i++) {
                r = member_init(&team->members[i], descriptor, plan, stack);
                if (r)
                        return error_trace(r);
        }
        r = team->n_members > 1 ? team_assemble(team) : 0;
        if (r)
                return error_trace(r);
        *ret_team = take_pointer(team);
        return 0;
}

int team_new_other(const RunnerPlan *plan, LockstepPage *page, BlockHead *head, Team **ret_team) {
        Team *team = own_memory_new(team_size_bytes(1));

        if (!team)
                return error_origin(-ENOMEM);
        *team = (Team){ .page = page, .head = head, .first_to_leave = TEAM_NOBODY, .n_members = 1 };
        team->members[0] = (Member){ .team = team, .beside = { .clock = &plan->clock } };
        *ret_team = team;
        return 0;
}

/* Workers of an incomplete team stay at the gate until the process ends. */
Team *team_free(Team *team) {
        if (!team)
                return NULL;
        if (team->n_members > 1 && !team->assembled)
                return NULL;
        if (team->assembled) {
                team->step = TEAM_DISMISS;
                barrier_wait(&team->gate, BARRIER_FOREVER_NS);
        }
        for (size_t i = 0; i < team->n_members; i++) {
                if (i > 0)
                        pthread_join(team->members[i].worker.thread, NULL);
                body_free(team->members[i].body);
        }
        own_memory_free(team, team_size_bytes(team->n_members));
        return NULL;
}

/* ---- reading it */

uint64_t team_iterations_max(const Team *team) {
        uint64_t least = UINT64_MAX;

        if (team->page)
                return team->page->iterations_max;
        for (size_t i = 0; i < team->n_members; i++) {
                uint64_t max = body_iterations_max(team->members[i].body);

                least = max < least ? max : least;
        }
        return least;
}

void team_report_end(const Team *team) {
        if (!team->page)
                team_report(team, team_ender(team));
}

void team_tell(const Team *team, SampleBlock *block) {
        for (size_t i = 0; i < team->n_members; i++) {
                BodyTold told;

                body_tell(team->members[i].body, &told);
                if (!team_tally_add(block, i, &told))
                        report_end(team->head, RUNNER_END_MISUSE,
                                        "bench_counter: more than %u names in all threads together",
                                        SAMPLE_BLOCK_COUNTERS_MAX);
        }
}

size_t team_size(const Team *team) {
        return team->n_members;
}

const Beside *team_beside(const Team *team, size_t index) {
        return &team->members[index].beside;
}

const BodyBatch *team_batch(const Team *team, size_t index) {
        return &team->members[index].batch;
}

BesideProbes team_probes(const Team *team, size_t index) {
        return beside_probes(&team->members[index].beside, &team->members[index].batch);
}

bool team_stretch_is_slow(const Team *team, uint32_t n) {
        for (size_t i = 0; i < team->n_members; i++)
                if (beside_stretch_is_slow(&team->members[i].beside, n))
                        return true;
        return false;
}

void team_fill(const Team *team, size_t index, bool probed, Sample *sample) {
        beside_fill(&team->members[index].beside, &team->members[index].batch, probed, sample);
}
