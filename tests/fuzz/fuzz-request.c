/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * What a client sends, as benchd takes it: out of the stream, out of protobuf's form, through the checks. What passes them
 * is planned, and the launcher, which trusts nothing that benchd says, would take each record that comes of it.
 */

#include "choose.h"
#include "front/base/config.h"
#include "front/clients/request.h"

#include "frame-mutator.h"
#include "front/clients/set-governor.h"
#include "front/jobs/spawn.h"
#include "front/plan/plan.h"
#include "front/report/listing.h"
#include "fuzz.h"
#include "ops/filter.h"
#include "proto/allocator.h"
#include "proto/frame-reader.h"
#include "proto/strict.h"
#include "util/time.h"

#define TIMEOUT_MAX_S   3600u
#define PROCESSES_SHOWN 100u /* of a plan, as many are ordered */
#define PIECE_MAX       97u  /* bytes that come at once */

static ListingBlock listing;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
        listing.n_entries = 3;
        listing.entries[0] = (ListingEntry){ .area = "strings", .name = "strlen" };
        listing.entries[1] = (ListingEntry){ .area = "sorting", .name = "qsort", .n_axes = 1, .resets = 1 };
        listing.entries[1].axes[0] = (ListingAxis){ .name = "n", .first = 1, .last = 4096, .factor = 2 };
        listing.entries[2] = (ListingEntry){ .area = "locks", .name = "mutex", .n_threads = 1, .threads = { 2 } };
        return 0;
}

static void order(const SpawnJob *job, const Plan *plan) {
        static OpsRecord record;

        for (size_t i = 0; i < plan->n_processes && i < PROCESSES_SHOWN; i++) {
                spawn_run(job, plan, &plan->processes[i], &record);
                HOLD(ops_check(&record, 0) == 0);
        }
}

static void take_run(const Benchd__RunRequest *run) {
        _cleanup_(chosen_freep) Chosen *chosen = NULL, *old_chosen = NULL;
        PlanInput input = { &listing, run->comparison ? &listing : NULL, 4, NULL, NULL };
        ModuleRequest wants = request_module_of_run(run);
        ChosenWish wish = { .listing = &listing, .filters = { run->filters, run->n_filters } };
        size_t n_fds = request_count_fds(&wants);
        const Config config = { .timeout_max_s = TIMEOUT_MAX_S, .stack_max_bytes = UINT64_C(1) << 30 };
        Plan *plan;
        ReplyError why;

        if (run->comparison) {
                ModuleRequest old = request_module_of_comparison(run->comparison);

                n_fds += request_count_fds(&old);
        }
        if (request_check_modules(run, n_fds, &why) || request_check_run(run, &config, &why))
                return;
        wish.of_hidden = run->comparison && run->comparison->new_benchmark;
        input.chosen = chosen = choose(&wish);
        wish.of_hidden = false;
        input.old_chosen = old_chosen = choose(&wish);
        if (!chosen || !old_chosen || plan_new(&input, run, run->seed, &plan))
                return;
        order(&(SpawnJob){ .tickets = { 1, run->comparison ? 2 : 0 },
                              .run = run,
                              .timeout_max_ns = TIMEOUT_MAX_S * NS_PER_S,
                              .environment = wants.environment,
                              .n_environment = wants.n_environment },
                        plan);
        plan_free(plan);
}

static void take_list(const Benchd__ListRequest *list) {
        _cleanup_(chosen_freep) Chosen *chosen = NULL;
        _cleanup_(arena_freep) Arena *arena = NULL;
        ModuleRequest wants = request_module_of_list(list);
        const ChosenWish wish = { .listing = &listing,
                .filters = { list->filters, list->n_filters },
                .of_hidden = true };
        Benchd__Listing *built;
        ReplyError why;

        if (request_check_module(&wants, request_count_fds(&wants), &why))
                return;
        chosen = choose(&wish);
        HOLD(chosen && arena_new(&arena) == 0);
        HOLD(listing_build(arena, &listing, chosen, &built) == 0);
        HOLD(built->n_benchmarks <= listing.n_entries);
}

static void take_governor(const Benchd__SetGovernorRequest *wanted) {
        OpsRecord record = { .kind = OPS_GOVERNOR };
        ReplyError why;

        if (set_governor_check(wanted, &record.governor, &why) == 0)
                HOLD(ops_check(&record, 0) == 0);
}

static void take_frame(const Frame *frame) {
        Allocator budget;
        Benchd__Request *request;
        const char *message;
        uint32_t tag;

        allocator_init(&budget, ALLOCATOR_MESSAGE_BYTES);
        request = benchd__request__unpack(&budget.allocator, frame->n_data, frame->data);
        if (!request)
                return;
        if (strict_message_check(&request->base, &message, &tag) == 0 && request_count_set(request) == 1) {
                if (request->run)
                        take_run(request->run);
                if (request->list)
                        take_list(request->list);
                if (request->set_governor)
                        take_governor(request->set_governor);
        }
        benchd__request__free_unpacked(request, NULL);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_data, size_t n_max, unsigned seed) {
        return frame_mutate(data, n_data, n_max, seed, &benchd__request__descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_data) {
        FrameReader *reader;
        Frame frame;
        size_t n;
        int r = FRAME_E_AGAIN;

        HOLD(frame_reader_new(FRAME_REQUEST_MAX, &reader) == 0);
        for (size_t i = 0; r == FRAME_E_AGAIN && i < n_data; i += n) {
                n = n_data - i < PIECE_MAX ? n_data - i : PIECE_MAX;
                HOLD(frame_reader_feed(reader, data + i, n, NULL, 0) == 0);
                while ((r = frame_reader_pop(reader, &frame)) == 0)
                        take_frame(&frame);
        }
        HOLD(r == FRAME_E_AGAIN || r == FRAME_E_MALFORMED);
        frame_reader_free(reader);
        return 0;
}
