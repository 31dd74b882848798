/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The machines of a run and their classes. A machine counts if its result is complete; the classes are the classes of counting machines, in
 * the order of the request.
 *
 * If no result is complete, since the whole run was cancelled, the incomplete results are used: each machine has its own numbers, but there
 * is no number over machines.
 *
 * A module that a machine cannot load has failed there, like a benchmark that crashes: that machine is never left out.
 *
 * A machine with an unknown class forms a separate class: brand and model do not prove that two machines are alike, and classes exist to
 * prevent pooling unlike ones.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct json_t json_t;

/* All texts and objects are borrowed. */
typedef struct FleetMember {
        const char *name; /* as typed */
        const json_t *machine;
        const json_t *result; /* NULL: none */
        bool counts;
        size_t class_index; /* FLEET_NO_CLASS: no counting machine has its class */
} FleetMember;

typedef struct FleetClass {
        const char *name;  /* NULL: unknown */
        const char *brand; /* NULL: unknown */
        size_t n;          /* machines that count */
        size_t n_left_out; /* machines known to be of this class that do not count */
} FleetClass;

#define FLEET_NO_CLASS ((size_t)-1)

typedef struct FleetMembers {
        FleetMember *members;
        size_t n;
        FleetClass *classes;
        size_t n_classes;
        size_t n_counting;
        size_t n_unknown;          /* machines that do not count and whose class is unknown */
        bool cancelled;            /* no result is complete: the results of cancelled machines are used instead */
        const FleetMember *blamed; /* refused the module, which makes every benchmark fail; NULL: none */
} FleetMembers;

/* Reads the array @machines of a FleetRun. Returns 0 or a negative errno. */
int fleet_members_read(const json_t *machines, FleetMembers *ret_members);
void fleet_members_clear(FleetMembers *members);

/* The word of @member's state: "done", "partial", "lost" or "refused". */
const char *fleet_member_state(const FleetMember *member);

/* The id of @member's machine; NULL: unknown. */
const char *fleet_member_id(const FleetMember *member);
