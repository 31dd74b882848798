/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/fleet/machine.h"

#include <jansson.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/ask/live-line.h"
#include "ctl/base/complain.h"
#include "ctl/base/json-path.h"
#include "ctl/model/fleet/match.h"
#include "ctl/model/fleet/pool.h"
#include "ctl/model/result.h"
#include "lib/event.h"
#include "util/cleanup.h"

DEFINE_CLEANUP(benchd_config *, benchd_config_free)
DEFINE_CLEANUP(benchd_event *, benchd_event_free)

void fleet_machine_fail(FleetMachine *machine, const char *state, const char *code, const char *format, ...) {
        _cleanup_(freep) char *message = NULL;
        va_list arguments;
        int n;

        va_start(arguments, format);
        n = vasprintf(&message, format, arguments);
        va_end(arguments);
        message = n < 0 ? NULL : message;
        machine->state = state;
        json_decref(machine->error);
        machine->error = json_pack("{s:s, s:s?}", "code", code, "message", message);
        complain("%s: %s", machine->name, message ? message : code);
}

/* ---- the connection */

/* The sentences of a single machine; the document has the first. */
static void machine_refused(FleetMachine *machine, int r) {
        char text[TRANSPORT_PROBLEM_MAX];

        (void)transport_refused(machine->settings, machine->transport, machine->name, r, machine->client, text);
        machine->state = "refused";
        machine->error = json_pack("{s:s, s:s}", "code", "unreachable", "message", text);
        fleet_machine_hang_up(machine);
}

int fleet_machine_open(FleetMachine *machine, const Settings *settings, Transport transport, const char *host) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        int r;

        *machine = (FleetMachine){ .settings = settings, .transport = transport, .name = host };
        r = connection_config_new(&config);
        if (r == 0)
                r = transport_configure(settings, transport, host, config);
        if (r)
                return r;
        r = benchd_client_begin(config, &machine->client);
        if (r)
                machine_refused(machine, r);
        return 0;
}

void fleet_machine_hang_up(FleetMachine *machine) {
        machine->gone = true;
        if (machine->client)
                benchd_client_hang_up(machine->client);
}

void fleet_machine_clear(FleetMachine *machine) {
        benchd_client_free(machine->client);
        json_decref(machine->identity);
        json_decref(machine->error);
        json_decref(machine->result);
        json_decref(machine->failures);
        *machine = (FleetMachine){};
}

void fleet_machine_begin(FleetMachine *machine) {
        if (machine->gone)
                return;
        json_decref(machine->error);
        json_decref(machine->result);
        json_decref(machine->failures);
        machine->error = machine->result = machine->failures = NULL;
        machine->state = NULL;
        machine->id = machine->left_ns = 0;
}

int fleet_machine_identify(FleetMachine *machine) {
        return machine->identity ? 0 : benchd_client_status(machine->client, &machine->identity_id);
}

void fleet_machine_lose(FleetMachine *machine, const char *sentence) {
        fleet_machine_fail(machine, "lost", "lost", "%s", sentence);
        fleet_machine_hang_up(machine);
}

static void machine_disconnected(FleetMachine *machine, int r) {
        char sentence[160];

        if (!benchd_client_ready(machine->client)) {
                machine_refused(machine, r);
                return;
        }
        snprintf(sentence, sizeof sentence, "Lost the daemon: %s.", benchd_error_string(r));
        fleet_machine_lose(machine, sentence);
}

/* ---- events */

static void machine_take_error(FleetMachine *machine, const benchd_event *event) {
        _cleanup_(freep) char *options = transport_options(machine->settings, machine->transport, machine->name);

        machine->state = "refused";
        machine->error = json_pack("{s:s, s:s}", "code", benchd_event_error_code(event), "message",
                        benchd_event_error_message(event));
        (void)complain_event_at(machine->name, event, options);
}

/* A benchmark that failed is held against the machine's class though the machine may be lost before its result comes. */
static void machine_take_benchmark(FleetMachine *machine, const benchd_event *event) {
        const json_t *row = event_json(event);

        if (!fleet_row_failed(row))
                return;
        if (!machine->failures)
                machine->failures = json_array();
        (void)json_array_append_new(machine->failures,
                        json_join(json_pick(row, "area", "name", "args", "threads", "side", NULL),
                                        json_pack("{s:s?, s:s?}", "code", row_failure(row), "message",
                                                        json_text_at(row, "failed.message"))));
}

/* Request 0: the daemon could not read one. */
static void machine_take(FleetMachine *machine, const benchd_event *event, LiveLine *line) {
        const uint64_t id = benchd_event_request(event);

        if (benchd_event_type(event) == BENCHD_EVENT_PROGRESS) {
                const benchd_progress *progress = benchd_event_progress(event);

                machine->left_ns = strcmp(progress->stage, "measuring") == 0 ? progress->left_ns : 0;
                machine->processes = progress->processes;
                machine->process = progress->process + (progress->process < progress->processes);
        }
        if (benchd_event_type(event) == BENCHD_EVENT_STATUS && id == machine->identity_id) {
                json_decref(machine->identity);
                machine->identity = json_incref((json_t *)json_at(event_json(event), "environment.machine"));
        }
        if (benchd_event_type(event) == BENCHD_EVENT_BENCHMARK && id == machine->id)
                machine_take_benchmark(machine, event);
        if (machine->state || !benchd_event_last(event) || (id != machine->id && id != 0))
                return;
        live_line_clear(line);
        if (benchd_event_type(event) == BENCHD_EVENT_RESULT) {
                machine->result = json_incref(event_json(event));
                machine->state = fleet_result_is_whole(machine->result) ? "done" : "partial";
        } else if (benchd_event_type(event) == BENCHD_EVENT_ERROR)
                machine_take_error(machine, event);
        else
                fleet_machine_fail(machine, "refused", "protocol", "The daemon ended the run without a result.");
}

bool fleet_machine_dispatch(FleetMachine *machine, LiveLine *line) {
        const int r = benchd_client_dispatch(machine->client);
        bool told = false;

        for (;;) {
                _cleanup_(benchd_event_freep) benchd_event *event = benchd_client_pop_event(machine->client);

                if (!event)
                        break;
                machine_take(machine, event, line);
                told = true;
        }
        if (r && !machine->state) {
                live_line_clear(line);
                machine_disconnected(machine, r);
        }
        return told;
}

/* ---- the document */

json_t *fleet_machine_json(const FleetMachine *machine) {
        const json_t *of_result = json_at(machine->result, "environment.machine");
        const json_t *identity = of_result ? of_result : machine->identity;

        return json_pack("{s:s, s:s?, s:s?, s:s?, s:s, s:O?, s:O?, s:o}", "name", machine->name, "id",
                        json_text_at(identity, "id"), "machine_name", json_text_at(identity, "name"), "machine_class",
                        json_text_at(identity, "class"), "state", machine->state, "error", machine->error, "result",
                        machine->result, "failures",
                        machine->failures && !machine->result ? json_incref(machine->failures) : json_array());
}
