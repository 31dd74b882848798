/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchd-launch: the half of the daemon that touches the machine. It starts and watches runners, grants them SCHED_FIFO
 * window by window, and does nothing else that benchd asks for than what stands in ops/ops.h.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "launch/capabilities.h"
#include "launch/cpuset.h"
#include "launch/door.h"
#include "launch/front.h"
#include "launch/lease.h"
#include "launch/manager.h"
#include "launch/options.h"
#include "launch/programs.h"
#include "launch/restorer.h"
#include "launch/stray.h"
#include "launch/tuner.h"
#include "machine/topology.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"
#include "util/socket.h"

#define EXIT_USAGE   2
#define JOURNAL_PATH "/run/benchd/restore.journal"

DEFINE_CLEANUP(Door *, door_free)
DEFINE_CLEANUP(Manager *, manager_free)
DEFINE_CLEANUP(Cpusets *, cpusets_free)
DEFINE_CLEANUP(RootDir *, root_dir_free)
DEFINE_CLEANUP(Topology *, topology_free)
DEFINE_CLEANUP(Tuner *, tuner_free)

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
                if (r == -EPERM)
                        fprintf(stderr, "benchd-launch: --until-eof: standard input is a file, whose end cannot be waited "
                                        "for. Give it a pipe or a terminal.\n");
                if (r < 0)
                        return error_origin(r);
        }
        r = sd_event_set_watchdog(event, true);
        if (r < 0)
                return error_origin(r);
        *ret_event = take_pointer(event);
        return 0;
}

/* Everything but one CPU is left to what is measured, by the zygote and the front-end too. */
static int keep_house(RootDir *machine, Leases *leases, Topology **ret_topology) {
        cpu_set_t allowed;
        int r;

        r = leases_read_allowed(&allowed);
        if (!r)
                r = leases_read_topology(machine, &allowed, ret_topology);
        if (r)
                return error_trace(r);
        leases_init(leases, *ret_topology, &allowed);
        return error_trace(leases_keep_house(leases));
}

static int serve(sd_event *event) {
        puts("ready");
        fflush(stdout);
        sd_notify(0, "READY=1");
        return sd_event_loop(event);
}

/* ---- with a front-end of our own: it is a child, and the end of either is the end of both */

static void on_child_detached(Manager *manager, void *userdata) {
        sd_event_exit(userdata, 1);
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

static int serve_child(ManagerConfig *config, Front *front) {
        _cleanup_(manager_freep) Manager *manager = NULL;
        int r;

        config->front_pid = front->pid;
        config->detached = on_child_detached;
        config->userdata = config->event;
        r = manager_new(config, &manager);
        if (r)
                return error_trace(r);
        r = manager_attach(manager, fd_take(&front->fd));
        if (r)
                return error_trace(r);
        r = serve(config->event);
        front_stop(front); /* before its connection closes, which it would take for our death */
        return r;
}

/* A list of @first and @rest, which ends with NULL; the strings stay theirs. NULL where there is no memory. */
static char **prepend(char *first, char **rest) {
        size_t n = 0;
        char **list;

        while (rest[n])
                n++;
        list = reallocarray(NULL, n + 2, sizeof *list);
        if (!list)
                return NULL;
        list[0] = first;
        memcpy(list + 1, rest, (n + 1) * sizeof *rest);
        return list;
}

static int run_with_front_end(const Options *options, ManagerConfig *config) {
        _cleanup_(fd_closep) int clients_fd = -1;
        _cleanup_(freep) char *path = NULL;
        _cleanup_(freep) char **argv = NULL;
        Front front = FRONT_NULL;
        int r;

        r = programs_find("front", "benchd", &path);
        if (r)
                return error_fold(r);
        argv = prepend(path, options->front_arguments);
        if (!argv)
                return error_origin(-ENOMEM);
        r = listen_for_clients(options, &clients_fd);
        if (r)
                return r;
        r = front_start(argv, config->identities, clients_fd, &front);
        if (r == 0)
                r = serve_child(config, &front);
        unlink(options->socket);
        front_stop(&front);
        return r;
}

/* ---- as a service: benchd is another one, and comes in by the door */

static void on_visitor_detached(Manager *manager, void *userdata) {
}

static int run_as_service(ManagerConfig *config) {
        _cleanup_(manager_freep) Manager *manager = NULL;
        _cleanup_(door_freep) Door *door = NULL;
        int fd, r;

        r = door_find(&fd);
        if (r) {
                fprintf(stderr, "benchd-launch: no socket was passed under the name `launch`. "
                                "benchd-launch.socket passes it; by hand, type --with-front-end.\n");
                return error_fold(r);
        }
        config->front_pid = -1;
        config->detached = on_visitor_detached;
        r = manager_new(config, &manager);
        if (r)
                return error_trace(r);
        r = door_new(config->event, fd, config->identities, manager, &door);
        if (r)
                return error_trace(r);
        return serve(config->event);
}

/* ---- both */

/* What the manager needs to switch the machine. It outlives the manager, and gives all back when it goes. */
static int make_tuner(const Options *options, const Restorer *restorer, ManagerConfig *config, Tuner **ret_tuner,
                Cpusets **ret_cpusets) {
        const pid_t own[] = { getpid(), config->zygote->pid };
        const bool service = !options->with_front_end;
        TunerConfig tuner = {
                .event = config->event,
                .root = config->machine,
                .journal = restorer->journal,
                .hands = &restorer->hands,
                .shield = service,
        };
        int r;

        CPU_AND(&tuner.others, &config->leases->pool.housekeeping, &config->leases->allowed);
        r = tuner_new(&tuner, ret_tuner);
        if (!r)
                r = cpusets_new(config->root, options->root ? NULL : restorer->journal, own,
                                service ? N_ELEMENTS(own) : 0, ret_cpusets);
        config->tuner = *ret_tuner;
        config->cpusets = *ret_cpusets;
        config->replay = restorer->replay;
        return error_trace(r);
}

static int run(const Options *options, const Restorer *restorer, ManagerConfig *config) {
        _cleanup_(tuner_freep) Tuner *tuner = NULL;
        _cleanup_(cpusets_freep) Cpusets *cpusets = NULL;
        int r;

        r = make_tuner(options, restorer, config, &tuner, &cpusets);
        if (r)
                return error_trace(r);
        return options->with_front_end ? run_with_front_end(options, config) : run_as_service(config);
}

/* ---- the restore journal */

static int open_restorer(const Options *options, RootDir *machine, Restorer *ret_restorer) {
        _cleanup_(freep) char *beside = NULL;
        const char *path = options->journal ? options->journal : JOURNAL_PATH;
        int r;

        if (!options->journal && options->with_front_end) {
                if (asprintf(&beside, "%s.restore", options->socket) < 0)
                        return error_origin(-ENOMEM);
                path = beside;
        }
        r = restorer_open(path, machine, !options->root, ret_restorer);
        if (r == RESTORER_E_HELD)
                fprintf(stderr, "benchd-launch: a daemon that runs has the restore journal %s, and restores itself.\n",
                                path);
        return error_trace(r);
}

static int run_restored(const Options *options, ManagerConfig *config) {
        Restorer restorer;
        int r;

        r = open_restorer(options, config->machine, &restorer);
        if (r)
                return r;
        r = run(options, &restorer, config);
        restorer_close(&restorer, options->with_front_end);
        return r;
}

static int restore(const Options *options, RootDir *machine) {
        Restorer restorer;
        bool whole;
        int r;

        r = open_restorer(options, machine, &restorer);
        if (r)
                return r;
        whole = !restorer.replay.corrupt && !restorer.replay.refused;
        restorer_close(&restorer, true);
        return whole ? 0 : -EIO;
}

/* ---- both */

static int run_on(const Options *options, const Identities *identities, Zygote *zygote, Leases *leases,
                RootDir *machine) {
        _cleanup_(root_dir_freep) RootDir *root = NULL;
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        ManagerConfig config;
        int r;

        r = make_event_loop(options, &event);
        if (r)
                return error_trace(r);
        r = root_dir_new("/", &root);
        if (r)
                return error_trace(r);

        config = (ManagerConfig){
                .event = event,
                .identities = identities,
                .zygote = zygote,
                .leases = leases,
                .root = root,
                .machine = machine,
                .require_cpuset = options->require_cpuset,
                .listening_path = options->socket,
                .distrust_tsc = options->distrust_tsc,
        };
        return run_restored(options, &config);
}

static int block_signals(void) {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGINT);
        signal(SIGPIPE, SIG_IGN); /* a runner's end of a pipe closes when it likes */
        return sigprocmask(SIG_BLOCK, &set, NULL) < 0 ? error_origin(-errno) : 0;
}

/* The zygote before the rest, so that runners inherit nothing of what this process does later. */
static int start(const Options *options, RootDir *machine, const char *runner_path, const char *count_path) {
        _cleanup_(topology_freep) Topology *topology = NULL;
        Zygote zygote = ZYGOTE_NULL;
        Identities identities;
        Leases leases;
        int r;

        identities_read(&identities);
        r = capabilities_limit();
        if (r)
                return error_trace(r);
        r = stray_adopt();
        if (r)
                return error_trace(r);
        r = keep_house(machine, &leases, &topology);
        if (r)
                return error_trace(r);
        r = zygote_start(runner_path, count_path, &zygote);
        if (r)
                return error_trace(r);
        r = block_signals();
        if (r == 0)
                r = run_on(options, &identities, &zygote, &leases, machine);
        zygote_stop(&zygote);
        return r;
}

static int serve_clients(const Options *options, RootDir *machine) {
        _cleanup_(freep) char *runner_path = NULL;
        _cleanup_(freep) char *count_path = NULL;

        if (programs_find("runner", "benchd-runner", &runner_path)) {
                fprintf(stderr, "benchd-launch: benchd-runner is not beside it: install benchd again\n");
                return -ENOENT;
        }
        if (programs_find_library("runner", "benchd-count.so", &count_path)) {
                fprintf(stderr, "benchd-launch: benchd-count.so is not beside it: install benchd again\n");
                return -ENOENT;
        }
        return start(options, machine, runner_path, count_path);
}

int main(int argc, char **argv) {
        _cleanup_(root_dir_freep) RootDir *machine = NULL;
        Options options;
        int r;

        error_set_sink(error_print);
        r = options_parse(argc, argv, &options);
        if (r)
                return r == OPTIONS_E_DONE ? EXIT_SUCCESS : EXIT_USAGE;
        r = root_dir_new(options.root ? options.root : "/", &machine);
        if (!r)
                r = options.restore ? restore(&options, machine) : serve_clients(&options, machine);
        return r ? EXIT_FAILURE : EXIT_SUCCESS;
}
