/* SPDX-License-Identifier: MIT */
#include "util/end-signals.h"

#include <stddef.h>

const int end_signals[END_SIGNALS_N] = { SIGTERM, SIGINT, SIGHUP };

bool end_signals_have(int number) {
        for (size_t i = 0; i < END_SIGNALS_N; i++)
                if (end_signals[i] == number)
                        return true;
        return false;
}

void end_signals_fill(sigset_t *ret_set) {
        sigemptyset(ret_set);
        for (size_t i = 0; i < END_SIGNALS_N; i++)
                sigaddset(ret_set, end_signals[i]);
}

bool end_signals_ignore(int number) {
        struct sigaction action;

        return number == SIGHUP && sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}
