/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchd: the front-end of the daemon. It is given all it has, a socket to listen on and one to benchd-launch, and
 * needs no privilege: systemd or benchd-launch starts it.
 */

#include <getopt.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>

#include "front/manager.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"

static const char help[] =
                "benchd: measures benchmarks for its clients. Type benchctl to use it.\n"
                "\n"
                "It is started by systemd or by benchd-launch --with-front-end, with two descriptors passed as\n"
                "LISTEN_FDS and named in LISTEN_FDNAMES:\n"
                "\n"
                "  clients        the listening unix stream socket\n"
                "  launch         a connected unix seqpacket socket to benchd-launch, unless --launch names one\n"
                "\n"
                "  --launch=PATH  connects to benchd-launch there\n"
                "  --help         this text\n"
                "  --version      the version\n";

/* The descriptors that benchd is started with. */
typedef struct Passed {
        int clients_fd;
        int launch_fd;
} Passed;

static void strv_freep(char ***strings) {
        for (char **string = *strings; string && *string; string++)
                free(*string);
        free(*strings);
}

static int passed_read(Passed *ret_passed) {
        _cleanup_(strv_freep) char **names = NULL;
        Passed passed = { .clients_fd = -1, .launch_fd = -1 };
        int n;

        n = sd_listen_fds_with_names(true, &names);
        if (n < 0)
                return error_origin(n);
        for (int i = 0; i < n; i++) {
                if (strcmp(names[i], "clients") == 0 && passed.clients_fd < 0)
                        passed.clients_fd = SD_LISTEN_FDS_START + i;
                else if (strcmp(names[i], "launch") == 0 && passed.launch_fd < 0)
                        passed.launch_fd = SD_LISTEN_FDS_START + i;
                else
                        fd_close(SD_LISTEN_FDS_START + i);
        }
        *ret_passed = passed;
        return 0;
}

/* Says which of the two descriptors is not there or is something else. */
static bool passed_check(const Passed *passed) {
        if (passed->clients_fd < 0 || sd_is_socket_unix(passed->clients_fd, SOCK_STREAM, 1, NULL, 0) <= 0) {
                fprintf(stderr, "benchd: no listening unix stream socket was passed under the name \"clients\".\n");
                return false;
        }
        if (passed->launch_fd < 0 || sd_is_socket_unix(passed->launch_fd, SOCK_SEQPACKET, 0, NULL, 0) <= 0) {
                fprintf(stderr, "benchd: no seqpacket socket to benchd-launch was passed under the name \"launch\".\n");
                return false;
        }
        return true;
}

/* Signals come through the loop; descriptors may be as many as the hard limit allows. */
static int process_prepare(void) {
        struct rlimit limit;
        sigset_t signals;

        sigemptyset(&signals);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGINT);
        if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0)
                return error_origin(-errno);
        if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return error_origin(-errno);
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
                return error_origin(-errno);
        gsl_set_error_handler_off();
        return 0;
}

/*
 * Connects to the socket on which benchd-launch waits for its front-end. Returns the descriptor, or -1 with a
 * sentence.
 */
static int launch_connect(const char *path) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd;

        if (strlen(path) >= sizeof address.sun_path) {
                fprintf(stderr, "benchd: --launch: the path is too long for a socket.\n");
                return -1;
        }
        strcpy(address.sun_path, path);
        fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
                return fd;
        fprintf(stderr, "benchd: benchd-launch cannot be reached at %s: %s.\n", path, strerror(errno));
        return fd_close(fd);
}

static int serve(const char *launch_path) {
        _cleanup_(manager_freep) Manager *manager = NULL;
        Passed passed = { .clients_fd = -1, .launch_fd = -1 };
        int r;

        r = passed_read(&passed);
        if (r)
                return error_trace(r);
        if (passed.launch_fd < 0 && launch_path) {
                passed.launch_fd = launch_connect(launch_path);
                if (passed.launch_fd < 0)
                        return EXIT_FAILURE;
        }
        if (!passed_check(&passed))
                return EXIT_FAILURE;
        r = process_prepare();
        if (r)
                return error_trace(r);
        r = manager_new(passed.clients_fd, passed.launch_fd, &manager);
        if (r)
                return error_trace(r);
        return manager_run(manager);
}

/* Returns the exit status if there is nothing more to do, else -1. */
static int parse_options(int argc, char **argv, const char **ret_launch_path) {
        static const struct option options[] = {
                { "launch", required_argument, NULL, 'l' },
                { "help", no_argument, NULL, 'h' },
                { "version", no_argument, NULL, 'v' },
                {},
        };

        for (;;) {
                switch (getopt_long(argc, argv, "", options, NULL)) {
                case 'l':
                        *ret_launch_path = optarg;
                        break;
                case 'h':
                        fputs(help, stdout);
                        return EXIT_SUCCESS;
                case 'v':
                        puts("benchd " BENCHD_VERSION);
                        return EXIT_SUCCESS;
                case -1:
                        if (optind == argc)
                                return -1;
                        fprintf(stderr, "benchd: it takes no arguments. Type benchctl to use it.\n");
                        return 2;
                default:
                        return 2;
                }
        }
}

int main(int argc, char **argv) {
        const char *launch_path = NULL;
        int r;

        r = parse_options(argc, argv, &launch_path);
        if (r >= 0)
                return r;
        error_set_sink(error_print);
        r = serve(launch_path);
        if (r < 0)
                fprintf(stderr, "benchd: it cannot go on: %s.\n", strerror(-r));
        return r < 0 ? EXIT_FAILURE : r;
}
