/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One machine of a run on several: its connection, and how far its part of the run is.
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
        const char *name;      /* as it was typed */
        benchd_client *client; /* NULL: there never was one */
        bool gone;             /* its connection is over, for the runs that follow too */
        uint64_t id;           /* of the request; 0: it was not asked yet */
        uint64_t identity_id;  /* of the question who it is */
        json_t *identity;      /* its id, name and class; NULL: it did not tell yet */
        uint64_t left_ns;      /* as it estimates; 0: it does not measure */
        uint32_t process;      /* that it measures now, of all */
        uint32_t processes;
        const char *state; /* "done", "partial", "lost" or "refused"; NULL: it is under way */
        json_t *error;     /* { code, message }; NULL: none */
        json_t *result;    /* NULL: none */
        json_t *failures; /* the benchmarks that failed, as told one by one: of a result, which may not come; NULL: none */
} FleetMachine;

/* Reaches out to @host, without waiting; one that cannot be reached has a state. Returns 0 or, having said so, an exit code. */
int fleet_machine_open(FleetMachine *machine, const Settings *settings, Transport transport, const char *host);

/* Begins the end of its connection without waiting for it, as fleet_machine_clear() does. */
void fleet_machine_hang_up(FleetMachine *machine);
void fleet_machine_clear(FleetMachine *machine);

/* Forgets the run before. A machine that is gone stays so. */
void fleet_machine_begin(FleetMachine *machine);

/* Asks who it is, if it did not tell yet: a machine that is lost has a class too. Returns as the library does. */
int fleet_machine_identify(FleetMachine *machine);

/* Reads what it says; words for the user stand where @line was. True if it told how far it is. */
bool fleet_machine_dispatch(FleetMachine *machine, LiveLine *line);

/* Ends its part of the run as @state, static, for the error @code and the sentence of @format, which the user is told. */
__attribute__((format(printf, 4, 5))) void fleet_machine_fail(FleetMachine *machine, const char *state,
                const char *code, const char *format, ...);

/* Ends its part as lost, for the reason in @sentence, and hangs up. */
void fleet_machine_lose(FleetMachine *machine, const char *sentence);

/* { name, id, machine_name, machine_class, state, error, result, failures }, a new reference; NULL where memory ran out. */
json_t *fleet_machine_json(const FleetMachine *machine);
