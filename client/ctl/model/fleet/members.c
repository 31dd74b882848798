/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/fleet/members.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/fleet-row.h"
#include "util/error.h"

const char *fleet_member_state(const FleetMember *member) {
        const char *state = json_text_at(member->machine, "state");

        return state ? state : "lost";
}

const char *fleet_member_id(const FleetMember *member) {
        return json_text_at(member->result, "environment.machine.id");
}

/* A class from the result itself comes before the one that was copied out of it. */
static const char *class_name(const FleetMember *member) {
        const char *name = json_text_at(member->result, "environment.machine.class");

        return name ? name : json_text_at(member->machine, "machine_class");
}

static size_t find_class(const FleetMembers *members, const char *name) {
        for (size_t i = 0; name && i < members->n_classes; i++)
                if (members->classes[i].name && strcmp(members->classes[i].name, name) == 0)
                        return i;
        return FLEET_NO_CLASS;
}

static void classify(FleetMembers *members, FleetMember *member) {
        const char *name = class_name(member);

        member->class_index = find_class(members, name);
        if (member->class_index == FLEET_NO_CLASS) {
                member->class_index = members->n_classes++;
                members->classes[member->class_index] = (FleetClass){
                        .name = name,
                        .brand = json_text_at(member->result, "environment.cpu.brand"),
                };
        }
        members->classes[member->class_index].n++;
}

static void classify_left_out(FleetMembers *members, FleetMember *member) {
        const char *name = class_name(member);

        member->class_index = find_class(members, name);
        if (member->class_index != FLEET_NO_CLASS)
                members->classes[member->class_index].n_left_out++;
        members->n_unknown += !name;
}

static FleetMember member_of(const json_t *machine) {
        FleetMember member = {
                .name = json_text_or(machine, "name", ""),
                .machine = machine,
                .result = json_at(machine, "result"),
        };

        member.counts = member.result && strcmp(fleet_member_state(&member), "done") == 0;
        return member;
}

static void look_at_cancelled(FleetMembers *members) {
        for (size_t i = 0; i < members->n; i++) {
                FleetMember *member = &members->members[i];

                member->counts = member->result && strcmp(fleet_member_state(member), "partial") == 0;
                members->cancelled |= member->counts;
        }
}

int fleet_members_read(const json_t *machines, FleetMembers *ret_members) {
        FleetMembers members = { .n = json_array_size(machines) };

        members.members = calloc(members.n + 1, sizeof *members.members);
        members.classes = calloc(members.n + 1, sizeof *members.classes);
        if (!members.members || !members.classes) {
                fleet_members_clear(&members);
                return error_origin(-ENOMEM);
        }
        for (size_t i = 0; i < members.n; i++) {
                members.members[i] = member_of(json_array_get(machines, i));
                members.n_counting += members.members[i].counts;
        }
        if (members.n_counting == 0)
                look_at_cancelled(&members);
        for (size_t i = 0; i < members.n; i++)
                if (members.members[i].counts)
                        classify(&members, &members.members[i]);
        for (size_t i = 0; i < members.n && !members.blamed; i++)
                if (fleet_refuses_module(members.members[i].machine))
                        members.blamed = &members.members[i];
        for (size_t i = 0; i < members.n; i++)
                if (!members.members[i].counts)
                        classify_left_out(&members, &members.members[i]);
        *ret_members = members;
        return 0;
}

void fleet_members_clear(FleetMembers *members) {
        free(members->members);
        free(members->classes);
        *members = (FleetMembers){};
}
