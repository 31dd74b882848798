/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/lease/describe.h"

#include <stdio.h>
#include <unistd.h>

#include "launch/lease/lease.h"
#include "machine/machine-facts.h"
#include "util/error.h"

static void describe_processor(const MachineProcessor *processor, OpsMachine *machine) {
        snprintf(machine->brand, sizeof machine->brand, "%s", processor->brand);
        snprintf(machine->hypervisor, sizeof machine->hypervisor, "%s",
                        processor->hypervisor ? processor->hypervisor : "");
        machine->family = processor->family;
        machine->model = processor->model;
        machine->stepping = processor->stepping;
        machine->invariant_tsc = processor->invariant_tsc;
        machine->n_caches = processor->n_caches;
        for (size_t i = 0; i < processor->n_caches; i++)
                machine->caches[i] = (OpsCache){
                        .level = processor->caches[i].level,
                        .kind = processor->caches[i].kind,
                        .size_bytes = processor->caches[i].size_bytes,
                };
}

static OpsCpu describe_cpu(const Lease *lease, const OpsMachine *before) {
        for (uint32_t i = 0; lease->calibrated && i < before->n_cpus; i++)
                if ((int)before->cpus[i].cpu == lease->cpu)
                        return before->cpus[i];
        return (OpsCpu){ .cpu = lease->cpu };
}

void describe_cpus(const Leases *leases, OpsMachine *machine) {
        const OpsMachine before = *machine;

        machine->processors = sysconf(_SC_NPROCESSORS_ONLN);
        machine->housekeeping = leases->housekeeping;
        machine->n_cpus = 0;
        for (size_t i = 0; i < leases->n_leases && i < OPS_CPUS_MAX; i++)
                machine->cpus[machine->n_cpus++] = describe_cpu(&leases->leases[i], &before);
        machine->n_hidden_cores = topology_hidden_cores(&leases->hidden, leases->topology, machine->hidden_cores,
                        OPS_HIDDEN_CORES_MAX);
}

int describe_machine(RootDir *root, const Leases *leases, bool privileged, OpsMachine *ret_machine) {
        OpsMachine machine = { .privileged = privileged };
        MachineFacts facts;
        MachineProcessor processor;
        int r;

        r = machine_facts_read(root, leases->leases[0].cpu, &facts);
        if (r)
                return error_trace(r);
        snprintf(machine.microcode, sizeof machine.microcode, "%s", facts.microcode);
        snprintf(machine.governor, sizeof machine.governor, "%s", facts.governor);
        machine.memory_bytes = facts.memory_bytes;
        machine.kernel_trusts_tsc = facts.trusts_tsc;

        r = machine_processor_read(&processor);
        if (r < 0)
                return error_trace(r);
        if (r == 0)
                describe_processor(&processor, &machine);
        describe_cpus(leases, &machine);
        *ret_machine = machine;
        return 0;
}

OpsCpu *describe_find_cpu(OpsMachine *machine, int cpu) {
        for (uint32_t i = 0; i < machine->n_cpus; i++)
                if ((int)machine->cpus[i].cpu == cpu)
                        return &machine->cpus[i];
        return NULL;
}
