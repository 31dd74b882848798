/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Topologies of the machines of tests/machines. */

#include "machine.h"
#include "machine/topology.h"

static inline Topology *read_machine(const char *name) {
        _cleanup_(machine_freep) Machine *machine = machine_lay(name);
        Topology *topology;

        assert_int_equal(topology_read(machine->root, &topology), 0);
        return topology;
}
