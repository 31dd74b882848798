/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchd: the front-end of the daemon. It needs no privilege: systemd or benchd-launch starts it with a socket to listen on and
 * one to benchd-launch.
 */

#include <gsl/gsl_errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "front/base/config.h"
#include "front/base/log.h"
#include "front/daemon.h"
#include "front/file-limit.h"
#include "front/front-calls.h"
#include "front/options.h"
#include "util/cleanup.h"
#include "util/end-signals.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/program-options.h"

#define EXIT_USAGE 2

/*
 * A copy of a runner's block is mostly zeros: it is allocated as untouched pages, and returned to the kernel at once
 * when freed.
 */
#define LARGE_BYTES (256 << 10)

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
                log_say(LOG_NOT_STARTED, NULL, "no listening unix stream socket was passed under the name \"clients\"");
                return false;
        }
        if (passed->launch_fd < 0 || sd_is_socket_unix(passed->launch_fd, SOCK_SEQPACKET, 0, NULL, 0) <= 0) {
                log_say(LOG_NOT_STARTED, NULL,
                                "no seqpacket socket to benchd-launch was passed under the name \"launch\"");
                return false;
        }
        return true;
}

/* Signals come through the loop; descriptors may be as many as the hard limit allows. */
static int process_prepare(rlim_t *ret_n_files) {
        struct rlimit limit;
        sigset_t signals;

        if (signal(SIGCHLD, SIG_IGN) == SIG_ERR) /* receivers are never waited for */
                return error_origin(-errno);
        end_signals_fill(&signals);
        if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0)
                return error_origin(-errno);
        if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return error_origin(-errno);
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
                return error_origin(-errno);
        (void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
        gsl_set_error_handler_off();
        *ret_n_files = limit.rlim_cur;
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
                log_say(LOG_NOT_STARTED, NULL, "--launch: the path is too long for a socket");
                return -1;
        }
        strcpy(address.sun_path, path);
        fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
                return fd;
        log_say(LOG_NOT_STARTED, NULL, "benchd-launch cannot be reached at %s: %s", path, strerror(errno));
        return fd_close(fd);
}

/* Lowers limits of @config that the file does not name to what the limit of open files has room for. Returns 0 or EXIT_CONFIG, with a sentence. */
static int fit_limits(FileLimitNamed named, rlim_t n_files, Config *config) {
        const Config before = *config;

        if (file_limit_fit(named, n_files, config) != 0) {
                log_say(LOG_NOT_STARTED, NULL,
                                "queue.jobs=%" PRIu64 " and connections.clients=%" PRIu64 " take %" PRIu64
                                " open files, and the limit is %ju: lower them, or raise the limit (LimitNOFILE= of benchd.service, ulimit -n)",
                                config->jobs, config->clients, file_limit_needed(config), (uintmax_t)n_files);
                return EXIT_CONFIG;
        }
        if (config->jobs < before.jobs || config->clients < before.clients)
                log_say(LOG_LIMITS_LOWERED, NULL, "queue.jobs=%" PRIu64 ", connections.clients=%" PRIu64, config->jobs,
                                config->clients);
        return 0;
}

static int serve(const Options *options, const ConfigFile *file) {
        const FileLimitNamed named = {
                .clients = config_file_names(file, "connections", "clients"),
                .jobs = config_file_names(file, "queue", "jobs"),
        };
        _cleanup_(daemon_freep) Daemon *daemon = NULL;
        Config config = file->config;
        rlim_t n_files;
        Passed passed = { .clients_fd = -1, .launch_fd = -1 };
        int r;

        r = passed_read(&passed);
        if (r)
                return error_trace(r);
        if (passed.launch_fd < 0 && options->launch_path) {
                passed.launch_fd = launch_connect(options->launch_path);
                if (passed.launch_fd < 0)
                        return EXIT_FAILURE;
        }
        if (!passed_check(&passed))
                return EXIT_FAILURE;
        r = process_prepare(&n_files);
        if (r)
                return error_trace(r);
        r = fit_limits(named, n_files, &config);
        if (r)
                return r;
        r = daemon_new(&(DaemonConfig){ .clients_fd = passed.clients_fd,
                                       .launch_fd = passed.launch_fd,
                                       .state_path = options->state_path,
                                       .config = &config,
                                       .named = named,
                                       .ender = options->until_launch ? getppid() : 0,
                                       .calls = options->calls },
                        &daemon);
        if (r)
                return error_trace(r);
        /* A kernel or a container may take no filter; the rest of the confinement holds none the less. */
        if (front_calls_limit(options->calls))
                log_say(LOG_CONFIG, NULL, "system calls are not limited: no filter for them can be set");
        return daemon_run(daemon);
}

static int start(const Options *options) {
        _cleanup_(config_file_freep) ConfigFile *file = NULL;
        int r;

        r = config_file_read(options->config_path, options->config_is_named, &file);
        if (r)
                return error_trace(r);
        if (options->check_config)
                return config_file_check(file);
        for (size_t i = 0; i < file->n_problems; i++)
                log_say(LOG_CONFIG, NULL, "%s", file->problems[i].text);
        if (config_file_is_fatal(file)) {
                log_say(LOG_NOT_STARTED, NULL, "its configuration has lines that cannot be understood");
                return EXIT_CONFIG;
        }
        if (options->alone)
                config_serve_one(&file->config);
        log_set_level((int)file->config.log_level);
        return serve(options, file);
}

int main(int argc, char **argv) {
        Options options;
        int r;

        (void)prctl(PR_SET_NAME, "benchd"); /* a program executed by a descriptor is named by its number */
        error_set_sink(log_note_error);
        r = options_parse(argc, argv, &options);
        if (r)
                return r == PROGRAM_OPTIONS_E_DONE ? EXIT_SUCCESS : EXIT_USAGE;
        r = start(&options);
        if (r < 0)
                log_say(LOG_NOT_STARTED, NULL, "%s", strerror(-r));
        return r < 0 ? EXIT_FAILURE : r;
}
