/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the history keeps of a job comes at its reader's pace. */

#include "front/clients/replay.h"

#include "front-end.h"
#include "front/clients/clients.h"
#include "front/clients/session.h"
#include "front/history/job-record.h"
#include "front/history/sealed-module.h"

#define LONG_RESULTS 200u
#define LONG_BYTES   (50u << 10)

/* A job in the history with more results than a connection may leave unread. */
static char *record_long_job(void) {
        Benchd__BenchmarkResult benchmark = BENCHD__BENCHMARK_RESULT__INIT;
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;
        char *text = malloc(LONG_BYTES), *run_id;
        SealedModule *module;
        ReplyError why;
        JobRecord *record;
        Arena *arena;
        int fd;

        memset(text, 'x', LONG_BYTES);
        text[LONG_BYTES - 1] = 0;
        benchmark.output = text;
        assert_int_equal(fd_memfd_sealed("module", "text", 4, &fd), 0);
        assert_int_equal(sealed_module_new(&fd, 1, NULL, &module, &why), 0);
        assert_int_equal(sealed_module_hash(module), 0);
        assert_int_equal(job_record_new(the_daemon->services.history, the_daemon->services.shares, getuid(), "m.so",
                                         NULL, 0, &record),
                        0);
        job_record_accept(record, module);
        for (uint32_t i = 0; i < LONG_RESULTS; i++) {
                benchmark.index = i, benchmark.has_index = 1;
                assert_int_equal(job_record_add(record, &benchmark), 0);
        }
        assert_int_equal(arena_new(&arena), 0);
        assert_int_equal(job_record_end_result(record, arena, &result, false, 0), 0);
        run_id = strdup(record->run_id);
        arena_free(arena);
        job_record_free(record);
        sealed_module_free(module);
        free(text);
        return run_id;
}

TEST(what_is_shown_comes_no_faster_than_it_is_read) {
        char *run_id = record_long_job();
        Client *client = connect_client();
        Benchd__Reply *reply;

        assert_true(LONG_RESULTS * LONG_BYTES > 2 * FRAME_QUEUE_MAX);
        ask_about(client, run_id, false);
        turn();
        assert_true(TAILQ_FIRST(&the_daemon->clients->sessions)->unread.amount < (256u << 10));
        for (uint32_t i = 0; i < LONG_RESULTS; i++) {
                assert_int_equal(next_reply(client, false)->benchmark->index, i);
        }
        reply = next_reply(client, false);
        assert_non_null(reply->result);
        assert_true(reply->last);
        free(run_id);
}
