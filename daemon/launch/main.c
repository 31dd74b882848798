/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchd-launch: the half of the daemon that touches the machine. It starts and watches runners, grants them SCHED_FIFO
 * window by window, and does nothing else that benchd asks for than what stands in ops/ops.h.
 */

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "launch/lease.h"
#include "launch/manager.h"
#include "launch/programs.h"
#include "launch/stray.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"
#include "util/socket.h"

#define EXIT_USAGE 2

typedef struct Options {
        const char *socket;
        mode_t socket_mode;
        bool with_front_end;
        bool until_eof;
} Options;

static const char help[] =
                "benchd-launch --with-front-end --socket=PATH [--socket-mode=OCTAL] [--until-eof]\n"
                "\n"
                "Starts both halves of the benchd daemon. As root, benchmarks run as whoever submits them; otherwise as\n"
                "you, and without what only root can set.\n"
                "\n"
                "  --with-front-end      start benchd too, on a socket pair\n"
                "  --socket=PATH         where clients connect\n"
                "  --socket-mode=OCTAL   who may connect (default 0660)\n"
                "  --until-eof           end when standard input does\n"
                "  --help, --version\n"
                "\n"
                "Prints `ready` once clients can connect.\n";

static int usage(const char *complaint) {
        fprintf(stderr, "benchd-launch: %s. benchd-launch --help lists the options.\n", complaint);
        return EXIT_USAGE;
}

static int parse_mode(const char *text, mode_t *ret_mode) {
        unsigned long mode;
        char *end;

        mode = strtoul(text, &end, 8);
        if (!*text || *end || mode > 0777)
                return usage("--socket-mode takes an octal mode, such as 0660");
        *ret_mode = mode;
        return 0;
}

/* Returns 0 with @ret_options, -1 where everything is done, or an exit code. */
static int parse_options(int argc, char **argv, Options *ret_options) {
        static const struct option options[] = {
                { "with-front-end", no_argument, NULL, 'f' },
                { "socket", required_argument, NULL, 's' },
                { "socket-mode", required_argument, NULL, 'm' },
                { "until-eof", no_argument, NULL, 'e' },
                { "help", no_argument, NULL, 'h' },
                { "version", no_argument, NULL, 'v' },
                {},
        };
        Options parsed = { .socket_mode = 0660 };
        int c, r;

        while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0)
                switch (c) {
                case 'f':
                        parsed.with_front_end = true;
                        break;
                case 's':
                        parsed.socket = optarg;
                        break;
                case 'm':
                        r = parse_mode(optarg, &parsed.socket_mode);
                        if (r)
                                return r;
                        break;
                case 'e':
                        parsed.until_eof = true;
                        break;
                case 'h':
                        fputs(help, stdout);
                        return -1;
                case 'v':
                        puts("benchd-launch " BENCHD_VERSION);
                        return -1;
                default:
                        return usage("there is an option that it does not have");
                }
        if (optind < argc)
                return usage("it takes no arguments, only options");
        if (!parsed.with_front_end || !parsed.socket)
                return usage("--with-front-end and --socket=PATH are needed");
        *ret_options = parsed;
        return 0;
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int on_input(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        char bytes[64];
        ssize_t n = read(fd, bytes, sizeof bytes);

        if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
                return 0;
        return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int make_event_loop(const Options *options, sd_event **ret_event) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        int r;

        r = sd_event_new(&event);
        if (r < 0)
                return error_origin(r);
        for (size_t i = 0; i < 2; i++) {
                r = sd_event_add_signal(event, NULL, i ? SIGINT : SIGTERM, on_signal, NULL);
                if (r < 0)
                        return error_origin(r);
        }
        if (options->until_eof) {
                r = sd_event_add_io(event, NULL, STDIN_FILENO, EPOLLIN | EPOLLHUP, on_input, NULL);
                if (r < 0)
                        return error_origin(r);
        }
        *ret_event = take_pointer(event);
        return 0;
}

DEFINE_CLEANUP(Manager *, manager_free)
DEFINE_CLEANUP(RootDir *, root_dir_free)

/* Everything is started: serve until somebody ends it. */
static int serve(const Options *options, const ManagerConfig *parts) {
        ManagerConfig config = *parts;
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        _cleanup_(manager_freep) Manager *manager = NULL;
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        int r;

        r = make_event_loop(options, &event);
        if (r)
                return error_trace(r);
        r = root_dir_new("/", &root);
        if (r)
                return error_trace(r);
        config.event = event;
        config.root = root;
        r = manager_new(&config, &manager);
        if (r)
                return error_trace(r);

        puts("ready");
        fflush(stdout);
        sd_notify(0, "READY=1");
        return sd_event_loop(event);
}

static int block_signals(void) {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGINT);
        return sigprocmask(SIG_BLOCK, &set, NULL) < 0 ? error_origin(-errno) : 0;
}

/* Everything but one CPU is left to what is measured, by the front-end too. */
static int keep_house(Leases *leases) {
        cpu_set_t allowed;
        int r;

        r = leases_read_allowed(&allowed);
        if (r)
                return error_trace(r);
        leases_init(leases, &allowed);
        return error_trace(leases_keep_house(leases));
}

static int listen_for_clients(const Options *options, int *ret_fd) {
        int r;

        r = socket_listen(options->socket, options->socket_mode, ret_fd);
        if (r == SOCKET_E_TOO_LONG)
                fprintf(stderr, "benchd-launch: %s is too long for a socket's path (107 bytes)\n", options->socket);
        else if (r)
                fprintf(stderr, "benchd-launch: cannot listen on %s: %s\n", options->socket, strerror(-r));
        return error_fold(r);
}

static int serve_clients(const Options *options, const char *front_path, const Identities *identities, Zygote *zygote) {
        _cleanup_(fd_closep) int clients_fd = -1;
        Front front = FRONT_NULL;
        Leases leases;
        int r;

        r = keep_house(&leases);
        if (r)
                return error_trace(r);
        r = listen_for_clients(options, &clients_fd);
        if (r)
                return r;

        r = front_start(front_path, identities, clients_fd, &front);
        if (r == 0)
                r = serve(options, &(ManagerConfig){
                                                   .identities = identities,
                                                   .zygote = zygote,
                                                   .front = &front,
                                                   .leases = &leases,
                                                   .listening_path = options->socket,
                                   });
        unlink(options->socket);
        front_stop(&front);
        return r;
}

/* The zygote before anything else, so that runners inherit nothing of what this process does later. */
static int start(const Options *options, const char *runner_path, const char *front_path) {
        Zygote zygote = ZYGOTE_NULL;
        Identities identities;
        int r;

        identities_read(&identities);
        r = stray_adopt();
        if (r)
                return error_trace(r);
        r = zygote_start(runner_path, &zygote);
        if (r)
                return error_trace(r);
        r = block_signals();
        if (r == 0)
                r = serve_clients(options, front_path, &identities, &zygote);
        zygote_stop(&zygote);
        return r;
}

int main(int argc, char **argv) {
        _cleanup_(freep) char *runner_path = NULL, *front_path = NULL;
        Options options;
        int r;

        error_set_sink(error_print);
        r = parse_options(argc, argv, &options);
        if (r)
                return r < 0 ? EXIT_SUCCESS : r;
        if (programs_find("runner", "benchd-runner", &runner_path) || programs_find("front", "benchd", &front_path)) {
                fprintf(stderr, "benchd-launch: benchd-runner and benchd are not beside it: install benchd again\n");
                return EXIT_FAILURE;
        }
        r = start(&options, runner_path, front_path);
        return r ? EXIT_FAILURE : EXIT_SUCCESS;
}
