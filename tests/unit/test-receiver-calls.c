/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A receiver makes no call but those that receive, pass on and close; a trap names another one. */

#include "ops/receiver-calls.h"

#include <sys/stat.h>

#include "forbidden.h"
#include "pair.h"
#include "test.h"
#include "util/socket.h"

TEST(what_no_daemon_needs_is_refused) {
        assert_forbidden_calls(receiver_calls_limit);
}

#if !CALL_FILTER_SANITIZED

/* Calls that both daemons may make. */
static int idle_child(void) {
        if (receiver_calls_limit(CALL_FILTER_REFUSE))
                return 1;
        if (open("/proc/self/status", O_RDONLY) >= 0 || errno != EPERM)
                return 2;
        if (socket(AF_UNIX, SOCK_DGRAM, 0) >= 0 || errno != EPERM)
                return 3;
        if (fork() >= 0 || errno != EPERM)
                return 4;
        if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED || errno != EPERM)
                return 5;
        if (kill(getppid(), 0) == 0 || errno != EPERM)
                return 6;
        if (write(STDERR_FILENO, "", 0) >= 0 || errno != EPERM)
                return 7;
        if (read(STDIN_FILENO, (char[1]){ 0 }, 1) >= 0 || errno != EPERM)
                return 8;
        return fcntl(STDERR_FILENO, F_GETFL) >= 0 || errno != EPERM ? 9 : 0;
}

TEST(it_opens_makes_and_starts_nothing) {
        int signal;

        assert_int_equal(in_child(idle_child, &signal), 0);
}

#endif

static Pair pair;

static int working_child(void) {
        const struct linger none = { .l_onoff = 1 };
        struct stat status;
        SocketFds came;
        char text[8];
        size_t n;
        int domain;

        if (receiver_calls_limit(CALL_FILTER_TRAP))
                return 1;
        if (socket_receive_some(pair.there, text, sizeof text, 1, &n, &came) != 0 || came.n != 1)
                return 2;
        if (fcntl(came.fds[0], F_GET_SEALS) >= 0 || errno != EINVAL)
                return 3;
        if (fstat(came.fds[0], &status) < 0 || !S_ISSOCK(status.st_mode))
                return 8;
        if (getsockopt(came.fds[0], SOL_SOCKET, SO_DOMAIN, &domain, &(socklen_t){ sizeof domain }) < 0)
                return 4;
        if (setsockopt(came.fds[0], SOL_SOCKET, SO_LINGER, &none, sizeof none) < 0)
                return 5;
        if (socket_send(pair.there, "back", 4, came.fds, 1, &n) != 0)
                return 6;
        return close(came.fds[0]) < 0 ? 7 : 0;
}

TEST(what_it_needs_is_done) {
        int signal;
        size_t n;

        pair = pair_new(SOCK_STREAM);
        assert_int_equal(socket_send(pair.here, "forth", 5, &pair.here, 1, &n), 0);
        assert_int_equal(in_child(working_child, &signal), 0);
        assert_int_equal(signal, 0);
        pair_close(&pair);
}

static int trapped[2];

static int trapped_child(void) {
        dup2(trapped[1], STDERR_FILENO);
        if (receiver_calls_limit(CALL_FILTER_TRAP))
                return 1;
        syscall(SYS_keyctl, -1);
        return 0;
}

TEST(a_trap_names_the_call_and_ends_the_process) {
        char text[128] = "";
        int signal;

        assert_int_equal(pipe(trapped), 0);
        assert_int_equal(in_child(trapped_child, &signal), -1);
        assert_int_equal(signal, SIGABRT);
        close(trapped[1]);
        assert_true(read(trapped[0], text, sizeof text - 1) > 0);
        assert_string_equal(text, "system call .250 is not in the filter\n");
        close(trapped[0]);
}
