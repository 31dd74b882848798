/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The machines of a run and their classes. A machine counts where its result is whole; the classes are those of machines that count,
 * in the order asked.
 *
 * If none is whole, since the whole run was cancelled, the incomplete ones are looked at: there is no number over them, but each
 * machine's own.
 *
 * A module that one machine cannot load has failed there, as one whose benchmark crashes has: such a machine is never left out.
 *
 * A machine whose daemon tells no class is a class of its own: brand and model are no proof that two machines are alike, and pooling
 * unlike ones is what classes are there to prevent.
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
        size_t class_index; /* FLEET_NO_CLASS: no machine that counts has its class */
} FleetMember;

typedef struct FleetClass {
        const char *name;  /* NULL: unknown */
        const char *brand; /* NULL: unknown */
        size_t n;          /* machines that count */
        size_t n_left_out; /* machines that are known to be of it, and do not count */
} FleetClass;

#define FLEET_NO_CLASS ((size_t)-1)

typedef struct FleetMembers {
        FleetMember *members;
        size_t n;
        FleetClass *classes;
        size_t n_classes;
        size_t n_counting;
        size_t n_unknown; /* machines that do not count, and whose class was never told */
        bool cancelled;   /* no result is whole, and those of cancelled machines are looked at in their place */
        const FleetMember *blamed; /* refused the module, which fails every benchmark of the run; NULL: none did */
} FleetMembers;

/* Reads the array @machines of a FleetRun. Returns 0 or a negative errno. */
int fleet_members_read(const json_t *machines, FleetMembers *ret_members);
void fleet_members_clear(FleetMembers *members);

/* The word of @member's state: "done", "partial", "lost" or "refused". */
const char *fleet_member_state(const FleetMember *member);

/* The id of @member's machine; NULL: it does not tell one. */
const char *fleet_member_id(const FleetMember *member);
