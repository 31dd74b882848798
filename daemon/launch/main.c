/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchd-launch: the half of the daemon that touches the machine. It starts and watches runners, grants them SCHED_FIFO
 * window by window, and does nothing for benchd but the operations in ops/ops.h.
 */

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "launch/base/capabilities.h"
#include "launch/base/options.h"
#include "launch/base/programs.h"
#include "launch/base/say.h"
#include "launch/birth/birth.h"
#include "launch/birth/stray.h"
#include "launch/front.h"
#include "launch/launcher.h"
#include "launch/lease/equipment.h"
#include "launch/lease/lease.h"
#include "machine/topology.h"
#include "util/cleanup.h"
#include "util/end-signals.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/program-options.h"
#include "util/socket.h"

#define EXIT_USAGE 2

#define LAUNCH_DESCRIPTORS_MIN 256u
#define LAUNCH_DESCRIPTORS_OWN 416u /* of the launcher and its runners; the rest is for tickets */

#define STATE_DIRECTORY "/var/lib/benchd-launch"

DEFINE_CLEANUP(FrontDoor *, front_door_free)

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata) {
        return sd_event_exit(sd_event_source_get_event(source), 0);
}

/* A daemon for one client ends with it: a signal to the client's process group reaches this process too. */
static bool ends_with_client(const Options *options) {
        return options->until_eof && !isatty(STDIN_FILENO);
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
        for (size_t i = 0; i < END_SIGNALS_N && !ends_with_client(options); i++) {
                if (end_signals_ignore(end_signals[i]))
                        continue;
                r = sd_event_add_signal(event, NULL, end_signals[i], on_signal, NULL);
                if (r < 0)
                        return error_origin(r);
        }
        if (options->until_eof) {
                r = sd_event_add_io(event, NULL, STDIN_FILENO, EPOLLIN | EPOLLHUP, on_input, NULL);
                if (r == -EPERM)
                        fprintf(stderr, "benchd-launch: --until-eof needs a pipe or a terminal as standard input, not a "
                                        "file.\n");
                if (r < 0)
                        return error_origin(r);
        }
        r = sd_event_set_watchdog(event, true);
        if (r < 0)
                return error_origin(r);
        *ret_event = take_pointer(event);
        return 0;
}

/* The launcher, the zygote and the front-end keep to one core; the others are for runners. */
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

static void on_ready(Launcher *launcher, void *userdata) {
        puts("ready");
        fflush(stdout);
}

/* A kernel or a container may refuse a filter; the rest of the confinement holds all the same. */
static void limit_calls(const Options *options) {
        int r = capabilities_limit_calls(options->calls);

        if (r)
                say(SD_WARNING, "system calls are not limited: no filter for them can be set (%s)",
                                strerrordesc_np(-r));
}

/* ---- with a front-end of our own: it is a child, and the end of either is the end of both */

static void on_child_detached(Launcher *launcher, void *userdata) {
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

static int serve_child(LauncherConfig *config, Front *front) {
        _cleanup_(launcher_freep) Launcher *launcher = NULL;
        int r;

        config->front_pid = front->pid;
        config->ready = on_ready;
        config->detached = on_child_detached;
        config->userdata = config->event;
        r = launcher_new(config, &launcher);
        if (r)
                return error_trace(r);
        r = launcher_attach(launcher, fd_take(&front->fd));
        if (r)
                return error_trace(r);
        r = sd_event_loop(config->event);
        front_stop(front); /* before its connection closes, which the front-end would take for the launcher's death */
        return r;
}

/* A list of @first and @rest, which ends with NULL; the strings stay theirs. NULL where there is no memory. */
static char **prepend(const char *first, char **rest) {
        size_t n = 0;
        char **list;

        while (rest[n])
                n++;
        list = reallocarray(NULL, n + 2, sizeof *list);
        if (!list)
                return NULL;
        list[0] = (char *)first;
        memcpy(list + 1, rest, (n + 1) * sizeof *rest);
        return list;
}

/* The command line of benchd, to be freed by its caller alone. NULL where there is no memory. */
static char **front_command(const Options *options) {
        _cleanup_(freep) char **rest = NULL;

        if (!ends_with_client(options))
                return prepend(program_name(PROGRAM_FRONT), options->front_arguments);
        rest = prepend("--until-launch", options->front_arguments);
        return rest ? prepend(program_name(PROGRAM_FRONT), rest) : NULL;
}

static int run_with_front_end(const Options *options, int program_fd, LauncherConfig *config) {
        _cleanup_(fd_closep) int clients_fd = -1;
        _cleanup_(freep) char **argv = NULL;
        Front front = FRONT_NULL;
        int r;

        argv = front_command(options);
        if (!argv)
                return error_origin(-ENOMEM);
        r = listen_for_clients(options, &clients_fd);
        if (r)
                return r;
        r = front_start(program_fd, argv, config->identities, clients_fd, &front);
        if (r == 0) {
                limit_calls(options);
                r = serve_child(config, &front);
        }
        unlink(options->socket);
        front_stop(&front);
        return r;
}

/* ---- as a service: benchd is another service, and connects through the door */

static void on_visitor_ready(Launcher *launcher, void *userdata) {
}

static void on_visitor_detached(Launcher *launcher, void *userdata) {
}

static int run_as_service(const Options *options, LauncherConfig *config) {
        _cleanup_(launcher_freep) Launcher *launcher = NULL;
        _cleanup_(front_door_freep) FrontDoor *door = NULL;
        int fd, r;

        r = front_door_find(&fd);
        if (r) {
                fprintf(stderr, "benchd-launch: systemd passed no socket named `launch`. Start benchd-launch.socket; by hand, use "
                                "--with-front-end.\n");
                return error_fold(r);
        }
        limit_calls(options);
        config->front_pid = -1;
        config->ready = on_visitor_ready;
        config->detached = on_visitor_detached;
        r = launcher_new(config, &launcher);
        if (r)
                return error_trace(r);
        r = front_door_new(config->event, fd, config->identities, launcher, &door);
        if (r)
                return error_trace(r);
        sd_notify(0, "READY=1");
        return sd_event_loop(config->event);
}

/* ---- both */

/*
 * Outside benchd's reach. A daemon that is not installed keeps the key beside its socket, where its next start finds
 * it.
 */
static int key_path(const Options *options, char **ret_path) {
        const char *state = getenv("STATE_DIRECTORY");
        char *path;
        int n;

        if (options->key)
                n = asprintf(&path, "%s", options->key);
        else if (options->with_front_end)
                n = asprintf(&path, "%s.key", options->socket);
        else
                n = asprintf(&path, "%s/voucher.key", state ? state : STATE_DIRECTORY);
        if (n < 0)
                return error_origin(-ENOMEM);
        *ret_path = path;
        return 0;
}

static size_t count_ticket_files(void) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return 0;
        return limit.rlim_cur > 2 * LAUNCH_DESCRIPTORS_OWN ? limit.rlim_cur - LAUNCH_DESCRIPTORS_OWN
                                                           : limit.rlim_cur / 2;
}

static int run_on(const Options *options, int front_fd, const Identities *identities, Zygote *zygote, Leases *leases,
                Equipment *equipment) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(freep) char *key = NULL;
        LauncherConfig config;
        int r;

        r = key_path(options, &key);
        if (!r)
                r = make_event_loop(options, &event);
        if (!r)
                r = equipment_complete(equipment, event, leases, zygote);
        if (r)
                return error_trace(r);
        config = (LauncherConfig){
                .event = event,
                .identities = identities,
                .zygote = zygote,
                .leases = leases,
                .equipment = equipment,
                .require_cpuset = options->require_cpuset,
                .ticket_files = count_ticket_files(),
                .listening_path = options->socket,
                .key_path = key,
                .distrust_tsc = options->distrust_tsc,
                .without_probes = options->without_probes,
                .calls = options->calls,
        };
        r = options->with_front_end ? run_with_front_end(options, front_fd, &config) : run_as_service(options, &config);
        equipment_rest(equipment);
        return r;
}

static int block_signals(void) {
        sigset_t set;

        end_signals_fill(&set);
        signal(SIGPIPE, SIG_IGN); /* a runner may close its end of a pipe at any time */
        return sigprocmask(SIG_BLOCK, &set, NULL) < 0 ? error_origin(-errno) : 0;
}

/* The programs that this command line needs, opened before any right is given up; -1: not needed. */
typedef struct OpenPrograms {
        int front_fd;
        BirthPrograms birth;
} OpenPrograms;

static int open_program(Program program, int *ret_fd) {
        int r = program_open(program, ret_fd);

        if (r == PROGRAMS_E_MISSING)
                fprintf(stderr, "benchd-launch: %s is missing. Install benchd again, or build it: ninja -C build\n",
                                program_name(program));
        else if (r)
                fprintf(stderr, "benchd-launch: %s cannot be opened: %s\n", program_name(program), strerror(-r));
        return error_fold(r);
}

/* Opens a program that reads a plan, so its build must match. benchd checks its build itself. */
static int open_runner(Program program, int *ret_fd) {
        char words[BUILD_WORDS_MAX];
        int r;

        r = open_program(program, ret_fd);
        if (!r)
                r = program_check(program, *ret_fd, words);
        if (r == PROGRAMS_E_OTHER_BUILD)
                fprintf(stderr, "benchd-launch: %s. Install benchd again, or build it: ninja -C build\n", words);
        return error_fold(r);
}

static int open_programs(const Options *options, OpenPrograms *ret_programs) {
        OpenPrograms programs = { .front_fd = -1 };
        int r;

        r = open_runner(PROGRAM_RUNNER, &programs.birth.runner_fd);
        if (!r)
                r = open_program(PROGRAM_COUNT, &programs.birth.count_fd);
        if (!r)
                r = open_runner(PROGRAM_INSPECT, &programs.birth.inspect_fd);
        if (!r && options->with_front_end)
                r = open_program(PROGRAM_FRONT, &programs.front_fd);
        *ret_programs = programs;
        return r;
}

/*
 * The directory of runners that have no file system of their own: beside the socket of a daemon that is not installed. Absolute, since a
 * module may change its working directory.
 */
static int work_path(const Options *options, char **ret_path) {
        _cleanup_(freep) char *here = NULL;
        const char *socket = options->socket;

        if (!options->with_front_end) {
                *ret_path = NULL;
                return 0;
        }
        if (*socket == '/')
                return asprintf(ret_path, "%s.work", socket) < 0 ? error_origin(-ENOMEM) : 0;
        here = get_current_dir_name();
        if (!here)
                return error_origin(-errno);
        return asprintf(ret_path, "%s/%s.work", here, socket) < 0 ? error_origin(-ENOMEM) : 0;
}

/* The zygote starts first, so that runners inherit nothing that this process does later; both limit their rights. */
static int serve_clients(const Options *options, Equipment *equipment) {
        _cleanup_(topology_freep) Topology *topology = NULL;
        _cleanup_(freep) char *work = NULL;
        Zygote zygote = ZYGOTE_NULL;
        OpenPrograms programs;
        Identities identities;
        Leases leases;
        int r;

        r = open_programs(options, &programs);
        if (r)
                return r;
        identities_read(&identities);
        r = stray_adopt();
        if (r)
                return error_trace(r);
        r = keep_house(equipment->machine, &leases, &topology);
        if (r)
                return error_trace(r);
        r = work_path(options, &work);
        if (r)
                return error_trace(r);
        r = zygote_start(&(ZygoteConfig){ .programs = &programs.birth, .work = work }, &zygote);
        if (r)
                return error_trace(r);
        r = capabilities_limit(false);
        if (!r)
                r = block_signals();
        if (r == 0)
                r = run_on(options, programs.front_fd, &identities, &zygote, &leases, equipment);
        zygote_stop(&zygote);
        return r;
}

/* Raises the soft limit to the hard one. A runner moves its own descriptors out of the way, above 100. */
static int raise_descriptors(void) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return error_origin(-errno);
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
                return error_origin(-errno);
        if (limit.rlim_max >= LAUNCH_DESCRIPTORS_MIN)
                return 0;
        fprintf(stderr,
                        "benchd-launch: the limit of open files is %ju, and the daemon needs %u. Raise it with 'ulimit -n 1024'; where that "
                        "is refused, in a new shell.\n",
                        (uintmax_t)limit.rlim_max, LAUNCH_DESCRIPTORS_MIN);
        return -EMFILE;
}

/* Opening the equipment has already restored. */
static int tell_restored(const Equipment *equipment) {
        const OpsReplay *replay = &equipment->restorer.replay;

        return replay->absent || replay->corrupt || replay->refused || equipment->restorer.runs_left ? -EIO : 0;
}

int main(int argc, char **argv) {
        Equipment equipment;
        Options options;
        int r;

        error_set_sink(error_print);
        r = options_parse(argc, argv, &options);
        if (r)
                return r == PROGRAM_OPTIONS_E_DONE ? EXIT_SUCCESS : EXIT_USAGE;
        if (raise_descriptors() || equipment_open(&options, &equipment))
                return EXIT_FAILURE;
        r = options.restore ? tell_restored(&equipment) : serve_clients(&options, &equipment);
        equipment_close(&equipment);
        return r ? EXIT_FAILURE : EXIT_SUCCESS;
}
