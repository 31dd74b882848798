/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ctl/exit.h"
#include "util/cleanup.h"
#include "util/error.h"

static int event_fd = -1;
static volatile sig_atomic_t n_interrupts;
static void (*volatile on_leave)(void);

static void interrupt_handle(int number) {
        uint64_t one = 1;
        int saved_errno = errno;

        if (n_interrupts++ > 0) {
                if (on_leave)
                        on_leave();
                _exit(EXIT_CANCELLED);
        }
        (void)!write(event_fd, &one, sizeof one);
        errno = saved_errno;
}

int interrupt_install(void) {
        static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
        struct sigaction action = { .sa_handler = interrupt_handle };

        event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (event_fd < 0)
                return error_origin(-errno);
        for (size_t i = 0; i < N_ELEMENTS(signals); i++)
                if (sigaction(signals[i], &action, NULL) < 0)
                        return error_origin(-errno);
        if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
                return error_origin(-errno);
        return 0;
}

int interrupt_fd(void) {
        return event_fd;
}

bool interrupt_came(void) {
        return n_interrupts > 0;
}

void interrupt_on_leave(void (*leave)(void)) {
        on_leave = leave;
}
