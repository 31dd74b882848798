/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Signals that ask a whole job to end are known by one list, and nohup's SIGHUP stays ignored. */

#include "util/end-signals.h"

#include "test.h"

TEST(the_set_has_the_signals_of_the_list_and_no_other) {
        sigset_t set;

        end_signals_fill(&set);
        for (int number = 1; number < SIGRTMIN; number++)
                assert_int_equal(sigismember(&set, number), end_signals_have(number));
        assert_true(end_signals_have(SIGTERM) && end_signals_have(SIGINT) && end_signals_have(SIGHUP));
        assert_false(end_signals_have(SIGKILL) || end_signals_have(SIGABRT) || end_signals_have(0));
}

TEST(an_ignored_end_of_the_terminal_stays_ignored_and_nothing_else_does) {
        for (size_t i = 0; i < END_SIGNALS_N; i++) {
                assert_false(end_signals_ignore(end_signals[i]));
                assert_true(signal(end_signals[i], SIG_IGN) != SIG_ERR);
                assert_int_equal(end_signals_ignore(end_signals[i]), end_signals[i] == SIGHUP);
                assert_true(signal(end_signals[i], SIG_DFL) != SIG_ERR);
        }
}

/* Whatever the build was started with. */
static int reset_signals(void **state) {
        for (size_t i = 0; i < END_SIGNALS_N; i++)
                (void)signal(end_signals[i], SIG_DFL);
        return 0;
}

TEST_FILE(reset_signals, NULL)
