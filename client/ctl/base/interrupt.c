/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/base/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ctl/base/exit.h"
#include "util/end-signals.h"
#include "util/error.h"
#include "util/file-draft.h"
#include "util/time.h"

/*
 * timeout(1), for example, sends a signal to its child and then to the group; a user cannot press a key twice that
 * fast.
 */
#define INTERRUPT_SAME_NS (200 * NS_PER_MS)

static int event_fd = -1;
static volatile sig_atomic_t came;
static volatile uint64_t came_ns;
static volatile InterruptLeave on_leave;

static void interrupt_handle(int number) {
        uint64_t one = 1;
        int saved_errno = errno;

        if (came && number == SIGINT && time_monotonic_ns() - came_ns > INTERRUPT_SAME_NS) {
                if (on_leave)
                        on_leave();
                file_drafts_leave();
                _exit(EXIT_CANCELLED);
        }
        came_ns = came ? came_ns : time_monotonic_ns();
        came = true;
        (void)!write(event_fd, &one, sizeof one);
        errno = saved_errno;
}

int interrupt_install(void) {
        struct sigaction action = { .sa_handler = interrupt_handle };

        event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (event_fd < 0)
                return error_origin(-errno);
        for (size_t i = 0; i < END_SIGNALS_N; i++)
                if (!end_signals_ignore(end_signals[i]) && sigaction(end_signals[i], &action, NULL) < 0)
                        return error_origin(-errno);
        if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
                return error_origin(-errno);
        return 0;
}

int interrupt_fd(void) {
        return event_fd;
}

bool interrupt_came(void) {
        return came;
}

InterruptLeave interrupt_on_leave(InterruptLeave leave) {
        const InterruptLeave before = on_leave;

        on_leave = leave;
        return before;
}
