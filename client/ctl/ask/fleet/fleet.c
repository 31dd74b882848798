/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/fleet/fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>

#include "benchd/client.h"
#include "ctl/ask/fleet/hosts.h"
#include "ctl/ask/fleet/machine.h"
#include "ctl/ask/follow.h"
#include "ctl/ask/live-line.h"
#include "ctl/ask/run-seed.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/interrupt.h"
#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/fleet/pool.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/socket.h"
#include "util/time.h"

#define RUN_ID_MAX 33u
#define FILES_OWN  64u
#define FILES_EACH (1 + SOCKET_FDS_MAX)

#define CANCEL_PATIENCE_NS (10 * NS_PER_S) /* for the machines to report what is complete; Slurm kills after 30 s */

struct Fleet {
        const Settings *settings;
        Hosts hosts;
        FleetMachine *machines; /* one a host */
        uint64_t seed;
};

/* ---- opening */

/* Each command takes a moment to end; all of them take it at the same time. */
static void fleet_close(Fleet *fleet) {
        const size_t n = fleet->machines ? fleet->hosts.n : 0;

        for (size_t i = 0; i < n; i++)
                fleet_machine_hang_up(&fleet->machines[i]);
        for (size_t i = 0; i < n; i++)
                fleet_machine_clear(&fleet->machines[i]);
        free(fleet->machines);
        hosts_clear(&fleet->hosts);
}

/* Raises the limit of open files as far as it may be: each machine takes one, and the files of a request until they are sent. */
static int fleet_allow_files(const Fleet *fleet) {
        const rlim_t n = FILES_OWN + fleet->hosts.n * FILES_EACH, n_least = FILES_OWN + fleet->hosts.n;
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= n)
                return 0;
        limit.rlim_cur = n < limit.rlim_max ? n : limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
        if (limit.rlim_cur >= n_least)
                return 0;
        complain("%zu machines take %ju open files, and %ju are allowed.", fleet->hosts.n, (uintmax_t)n_least,
                        (uintmax_t)limit.rlim_cur);
        complain_hint("Raise the limit with 'ulimit -n'; where that is refused, in a new shell.");
        return EXIT_MACHINE;
}

static size_t min_machines(const Settings *settings) {
        return settings->min_machines ? strtoul(settings->min_machines, NULL, 10) : 0;
}

static int fleet_open(const Settings *settings, Fleet *fleet) {
        int r;

        *fleet = (Fleet){ .settings = settings };
        r = hosts_find(settings, &fleet->hosts);
        if (r)
                return r;
        if (fleet->hosts.n < min_machines(settings)) {
                complain("--min-machines=%zu needs as many machines, and %s names %zu.", min_machines(settings),
                                settings->host_source, fleet->hosts.n);
                return EXIT_USAGE;
        }
        fleet->machines = calloc(fleet->hosts.n, sizeof *fleet->machines);
        if (!fleet->machines || run_seed(settings, &fleet->seed) != 0) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        r = fleet_allow_files(fleet);
        for (size_t i = 0; r == 0 && i < fleet->hosts.n; i++)
                r = fleet_machine_open(&fleet->machines[i], settings, fleet->hosts.transport, fleet->hosts.names[i]);
        return r;
}

int fleet_use(const Settings *settings, FleetUse use, const void *subject) {
        _cleanup_(fleet_close) Fleet fleet = {};
        Output output;
        int r, r_close;

        r = output_open(settings, &output);
        if (r)
                return r;
        r = fleet_open(settings, &fleet);
        if (r == 0)
                r = use(settings, &fleet, &output, subject);
        r_close = output_close(&output);
        return r ? r : r_close;
}

/* ---- a run */

typedef struct FleetRound {
        Fleet *fleet;
        FleetAsk ask;
        const void *subject;
        const char *name;
        LiveLine line;
        uint64_t cancelled_ns; /* on the monotonic clock; 0: it is not */
} FleetRound;

static bool round_is_over(const FleetRound *round) {
        for (size_t i = 0; i < round->fleet->hosts.n; i++)
                if (!round->fleet->machines[i].state)
                        return false;
        return true;
}

/* The slowest unfinished machine determines how long the run takes. */
static void round_show(FleetRound *round) {
        const Fleet *fleet = round->fleet;
        const FleetMachine *slowest = NULL;
        char text[LIVE_LINE_MAX], left[UNIT_TEXT_MAX];
        size_t n_over = 0, n_measuring = 0;
        int n;

        if (!round->line.live)
                return;
        for (size_t i = 0; i < fleet->hosts.n; i++) {
                const FleetMachine *machine = &fleet->machines[i];

                n_over += machine->state != NULL;
                if (machine->state || machine->left_ns == 0)
                        continue;
                n_measuring++;
                slowest = !slowest || machine->left_ns > slowest->left_ns ? machine : slowest;
        }
        n = snprintf(text, sizeof text, "%zu of %zu machines done · %zu measuring", n_over, fleet->hosts.n,
                        n_measuring);
        if (slowest)
                snprintf(text + n, sizeof text - (size_t)n, " · %s: process %u of %u, %s left", slowest->name,
                                slowest->process, slowest->processes, unit_wait(slowest->left_ns, left));
        else
                snprintf(text + n, sizeof text - (size_t)n, " %s", round->name);
        live_line_show(&round->line, text);
}

/* The seed of one machine: a mix (SplitMix64's) of the run's and its name, so that it does not depend on the others. */
static uint64_t machine_seed(uint64_t seed, const char *name) {
        for (; *name; name++) {
                seed += 0x9e3779b97f4a7c15u + (uint8_t)*name;
                seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
                seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
                seed ^= seed >> 31;
        }
        return seed & INT64_MAX;
}

static void round_ask(FleetRound *round, FleetMachine *machine) {
        const Settings *settings = round->fleet->settings;
        char seed[24];
        int r;

        snprintf(seed, sizeof seed, "%" PRIu64, machine_seed(round->fleet->seed, machine->name));
        r = benchd_options_set(settings->options, "seed", seed);
        if (r == 0)
                r = fleet_machine_identify(machine);
        if (r == 0)
                r = round->ask(settings, machine->client, round->subject, &machine->id);
        if (r == 0)
                return;
        live_line_clear(&round->line);
        fleet_machine_fail(machine, "refused", "unsent", "Cannot send the request: %s.", benchd_error_string(r));
}

/* Goes on with a machine whose connection has something to do. */
static void round_turn(FleetRound *round, FleetMachine *machine) {
        bool told;

        if (benchd_client_ready(machine->client) && machine->id == 0)
                round_ask(round, machine);
        if (machine->state)
                return;
        told = fleet_machine_dispatch(machine, &round->line);
        if (!machine->state && benchd_client_ready(machine->client) && machine->id == 0)
                round_ask(round, machine);
        if (told)
                round_show(round);
}

/* Machines that measure report what is complete; the others have nothing to report. */
static void round_cancel(FleetRound *round) {
        round->cancelled_ns = time_monotonic_ns();
        live_line_clear(&round->line);
        complain("Cancelling… press Ctrl-C again to quit now.");
        for (size_t i = 0; i < round->fleet->hosts.n; i++) {
                FleetMachine *machine = &round->fleet->machines[i];

                if (machine->state)
                        continue;
                if (machine->id == 0 || benchd_client_cancel(machine->client, machine->id, NULL) != 0)
                        fleet_machine_fail(machine, "refused", "cancelled", "It was cancelled before it measured.");
        }
}

/* Milliseconds until the silent machines of a cancelled round are given up; -1: they are not. */
static int round_patience_ms(const FleetRound *round) {
        const uint64_t waited_ns = round->cancelled_ns ? time_monotonic_ns() - round->cancelled_ns : 0;

        if (!round->cancelled_ns)
                return -1;
        return waited_ns < CANCEL_PATIENCE_NS ? (int)((CANCEL_PATIENCE_NS - waited_ns) / NS_PER_MS) + 1 : 0;
}

/* A machine that is silent must not keep what the others have measured. */
static void round_give_up(FleetRound *round) {
        live_line_clear(&round->line);
        for (size_t i = 0; i < round->fleet->hosts.n; i++)
                if (!round->fleet->machines[i].state)
                        fleet_machine_lose(&round->fleet->machines[i], "It did not answer when the run was cancelled.");
}

static int round_wait(FleetRound *round, struct pollfd *fds) {
        const Fleet *fleet = round->fleet;
        const int patience_ms = round_patience_ms(round);

        for (size_t i = 0; i < fleet->hosts.n; i++) {
                const FleetMachine *machine = &fleet->machines[i];

                fds[i] = (struct pollfd){ .fd = -1 };
                if (!machine->state)
                        fds[i] = (struct pollfd){ .fd = benchd_client_fd(machine->client),
                                .events = benchd_client_poll_events(machine->client) };
        }
        fds[fleet->hosts.n] = (struct pollfd){ .fd = round->cancelled_ns ? -1 : interrupt_fd(), .events = POLLIN };
        if (patience_ms == 0)
                round_give_up(round);
        if (poll(fds, fleet->hosts.n + 1, patience_ms) >= 0 || errno == EINTR)
                return 0;
        complain("Cannot wait for the machines: %s.", benchd_error_string(-errno));
        return EXIT_MACHINE;
}

/* Greeted machines of an earlier round have nothing to say until they are asked, so they are asked first. */
static int round_run(FleetRound *round) {
        const size_t n = round->fleet->hosts.n;
        _cleanup_(freep) struct pollfd *fds = calloc(n + 1, sizeof *fds);
        int r = 0;

        if (!fds) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        for (size_t i = 0; i < n; i++)
                if (!round->fleet->machines[i].state && benchd_client_ready(round->fleet->machines[i].client))
                        round_ask(round, &round->fleet->machines[i]);
        while (r == 0 && !round_is_over(round)) {
                r = round_wait(round, fds);
                if (r == 0 && interrupt_came() && !round->cancelled_ns)
                        round_cancel(round);
                for (size_t i = 0; r == 0 && i < n; i++)
                        if (fds[i].revents && !round->fleet->machines[i].state)
                                round_turn(round, &round->fleet->machines[i]);
        }
        live_line_clear(&round->line);
        return r;
}

/* ---- the document */

static json_t *fleet_machines(const Fleet *fleet) {
        json_t *machines = json_array();

        for (size_t i = 0; machines && i < fleet->hosts.n; i++)
                if (json_array_append_new(machines, fleet_machine_json(&fleet->machines[i])) < 0) {
                        json_decref(machines);
                        return NULL;
                }
        return machines;
}

/* Returns 0 or a negative errno. */
static int fleet_document(const Fleet *fleet, uint64_t started_ns, json_t **ret_document) {
        const time_t started_s = (time_t)(started_ns / NS_PER_S);
        char run_id[RUN_ID_MAX], started_at[40], seconds[24];
        uint64_t random[2];
        FleetRun run = {
                .run_id = run_id,
                .seed = fleet->seed,
                .asked = fleet->hosts.n,
                .min_machines = min_machines(fleet->settings),
                .started_at = started_at,
        };
        struct tm fields;
        int r;

        if (getrandom(random, sizeof random, 0) != sizeof random || !gmtime_r(&started_s, &fields))
                return error_origin(-errno);
        snprintf(run_id, sizeof run_id, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
        strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &fields);
        snprintf(started_at, sizeof started_at, "%s.%03uZ", seconds, (unsigned)(started_ns % NS_PER_S / NS_PER_MS));
        run.machines = fleet_machines(fleet);
        if (!run.machines)
                return error_origin(-ENOMEM);
        r = fleet_pool(&run, ret_document);
        json_decref(run.machines);
        return error_trace(r);
}

/* True if a machine has a result, if only a part of one. */
static bool fleet_has_results(const Fleet *fleet) {
        for (size_t i = 0; i < fleet->hosts.n; i++)
                if (fleet->machines[i].result)
                        return true;
        return false;
}

/*
 * No machine measured, and each machine's reason was printed: no document. A module that cannot be loaded takes precedence over the first
 * reason.
 */
static int fleet_judge_refusals(const Fleet *fleet) {
        for (size_t i = 0; i < fleet->hosts.n; i++) {
                const char *code = json_text_at(fleet->machines[i].error, "code");

                if (code && complain_exit(code) == EXIT_BENCHMARK)
                        return EXIT_BENCHMARK;
        }
        return complain_exit(json_text_or(fleet->machines[0].error, "code", ""));
}

int fleet_measure(Fleet *fleet, Output *output, const char *name, FleetAsk ask, const void *subject) {
        FleetRound round = { .fleet = fleet,
                .ask = ask,
                .subject = subject,
                .name = name,
                .line = live_line(fleet->settings->quiet) };
        _cleanup_(json_decrefp) json_t *document = NULL;
        const uint64_t started_ns = time_realtime_ns();
        int r;

        for (size_t i = 0; i < fleet->hosts.n; i++)
                fleet_machine_begin(&fleet->machines[i]);
        r = round_run(&round);
        if (r)
                return r;
        if (!fleet_has_results(fleet))
                return round.cancelled_ns ? EXIT_CANCELLED : fleet_judge_refusals(fleet);
        if (fleet_document(fleet, started_ns, &document) != 0) {
                complain("Out of memory.");
                return EXIT_MACHINE;
        }
        r = output_print(output, SHOW_FLEET, document);
        if (r)
                return r;
        return round.cancelled_ns ? EXIT_CANCELLED : follow_judge_fleet(document, &fleet->settings->fail_on);
}
