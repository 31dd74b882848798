/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One machine of a run on several: its connection, and the progress of its part of the run.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ctl/ask/fleet/transport.h"

typedef struct LiveLine LiveLine;
typedef struct benchd_client benchd_client;
typedef struct json_t json_t;

typedef struct FleetMachine {
        const Settings *settings;
        Transport transport;
        const char *name;      /* as typed */
        benchd_client *client; /* NULL: never connected */
        bool gone;             /* disconnected; later runs skip it, too */
        uint64_t id;           /* of the request; 0: not sent yet */
        uint64_t identity_id;  /* of the request for its identity */
        json_t *identity;      /* its id, name and class; NULL: not received yet */
        uint64_t left_ns;      /* by its own estimate; 0: not measuring */
        uint32_t process;      /* the current one, of `processes` */
        uint32_t processes;
        const char *state; /* "done", "partial", "lost" or "refused"; NULL: under way */
        json_t *error;     /* { code, message }; NULL: none */
        json_t *result;    /* NULL: none */
        json_t *failures;  /* benchmarks reported as failed so far, since a result may never come; NULL: none */
} FleetMachine;

/* Connects to @host without waiting; an unreachable machine gets a state. Returns 0, or an exit code after printing the error. */
int fleet_machine_open(FleetMachine *machine, const Settings *settings, Transport transport, const char *host);

/* Begins to close its connection, without waiting as fleet_machine_clear() does. */
void fleet_machine_hang_up(FleetMachine *machine);
void fleet_machine_clear(FleetMachine *machine);

/* Forgets the previous run. A disconnected machine stays disconnected. */
void fleet_machine_begin(FleetMachine *machine);

/*
 * Asks for its identity, if still unknown: a machine that is lost later needs a class, too. Returns as the library
 * does.
 */
int fleet_machine_identify(FleetMachine *machine);

/* Handles its pending events; clears @line before it prints anything. True if any came. */
bool fleet_machine_dispatch(FleetMachine *machine, LiveLine *line);

/* Ends its part of the run as @state (static) with the error @code and the sentence @format, which it prints. */
__attribute__((format(printf, 4, 5))) void fleet_machine_fail(FleetMachine *machine, const char *state,
                const char *code, const char *format, ...);

/* Ends its part as lost, for the reason in @sentence, and disconnects. */
void fleet_machine_lose(FleetMachine *machine, const char *sentence);

/* { name, id, machine_name, machine_class, state, error, result, failures }, a new reference; NULL if memory ran out. */
json_t *fleet_machine_json(const FleetMachine *machine);
