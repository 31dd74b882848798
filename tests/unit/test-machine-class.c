/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Machines of one kind have one class, and each fact that sets two kinds apart sets their classes and keys apart. */

#include "front/report/machine-class.h"

#include <sched.h>

#include "arena.h"
#include "front/report/comparability.h"
#include "front/report/environment.h"
#include "machine.h"
#include "machine/machine-facts.h"
#include "machine/topology.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static const EnvironmentHost host = { .kernel = "Linux 6.1 x86_64" };

static OpsMachine make_machine(void) {
        return (OpsMachine){
                .brand = "A CPU",
                .microcode = "0x12",
                .family = 25,
                .model = 1,
                .stepping = 2,
                .processors = 16,
                .memory_bytes = 33554432000,
                .caches = { { .level = 1, .kind = CACHE_DATA, .size_bytes = 32768 },
                                { .level = 3, .kind = CACHE_UNIFIED, .size_bytes = 32 * MIB } },
                .n_caches = 2,
        };
}

static Benchd__Environment *environment_of(const OpsMachine *machine) {
        Benchd__Environment *environment = environment_build(arena, &host, machine, NULL, NAN);

        assert_non_null(environment);
        return environment;
}

static const char *class_of(const OpsMachine *machine) {
        return environment_of(machine)->machine->class_;
}

static const char *key_of(const OpsMachine *machine) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;

        result.environment = environment_of(machine);
        return comparability_key(arena, &result);
}

/* ---- captured machines */

static unsigned number_of(const char *text, const char *key) {
        char value[32];

        machine_facts_find(text, key, value, sizeof value);
        return atoi(value);
}

static void read_caches(const Machine *machine, OpsMachine *facts) {
        _cleanup_(freep) TopologyCache *caches = NULL;
        cpu_set_t first = {};
        size_t n;

        CPU_SET(0, &first);
        assert_int_equal(topology_caches_read(machine->root, &first, &caches, &n), 0);
        for (size_t i = 0; i < n; i++)
                facts->caches[facts->n_caches++] = (OpsCache){ caches[i].level, caches[i].kind, caches[i].size_bytes };
}

/* By the files of a machine of tests/machines; the processor as /proc/cpuinfo tells it. */
static OpsMachine captured(const char *name) {
        _cleanup_(machine_freep) Machine *machine = machine_lay(name);
        OpsMachine facts = { .processors = 2 };
        MachineFacts read;
        char text[4096];

        assert_int_equal(root_dir_read(machine->root, "proc/cpuinfo", text, sizeof text), 0);
        machine_facts_find(text, "model name", facts.brand, sizeof facts.brand);
        facts.family = number_of(text, "cpu family");
        facts.model = number_of(text, "model");
        facts.stepping = number_of(text, "stepping");
        assert_int_equal(machine_facts_read(machine->root, 0, &read), 0);
        snprintf(facts.microcode, sizeof facts.microcode, "%s", read.microcode);
        facts.memory_bytes = read.memory_bytes;
        read_caches(machine, &facts);
        return facts;
}

TEST(two_processors_of_one_brand_and_microcode_are_two_classes) {
        OpsMachine zen_3 = captured("guest-firecracker-zen3.txt"), zen_5 = captured("guest-firecracker.txt");
        const char *class;

        assert_int_equal(zen_3.family, 25);
        assert_int_equal(zen_5.family, 26);
        assert_string_equal(zen_3.brand, zen_5.brand);
        assert_string_equal(zen_3.microcode, zen_5.microcode);
        assert_string_not_equal(class_of(&zen_3), class_of(&zen_5));
        assert_string_not_equal(key_of(&zen_3), key_of(&zen_5));

        /* Their memory has one size, though the kernel tells another number of kB. */
        assert_int_not_equal(zen_3.memory_bytes, zen_5.memory_bytes);
        class = class_of(&zen_5);
        zen_5.memory_bytes = zen_3.memory_bytes;
        assert_string_equal(class_of(&zen_5), class);
}

/* ---- each fact */

TEST(equal_machines_have_one_class_whatever_their_name_id_and_settings) {
        OpsMachine machine = make_machine(), other = make_machine();
        EnvironmentHost named = host;

        snprintf(named.machine.id, sizeof named.machine.id, "%s", "00112233445566778899aabbccddeeff");
        snprintf(named.machine.name, sizeof named.machine.name, "%s", "node-7");
        strcpy(other.governor, "powersave");
        strcpy(other.hypervisor, "kvm");
        other.n_hidden_cores = 1;
        assert_int_equal(strlen(class_of(&machine)), 16);
        assert_string_equal(class_of(&machine), class_of(&other));
        assert_string_equal(class_of(&machine), environment_build(arena, &named, &machine, NULL, 3)->machine->class_);
}

TEST(each_fact_is_in_class_and_key) {
        const OpsMachine usual = make_machine();
        OpsMachine rows[] = { usual, usual, usual, usual, usual, usual, usual, usual, usual, usual };

        strcpy(rows[0].brand, "B CPU");
        strcpy(rows[1].microcode, "0x13");
        rows[2].family = 26;
        rows[3].model = 2;
        rows[4].stepping = 1;
        rows[5].caches[1].size_bytes = 96 * MIB;
        rows[6].n_caches = 1;
        rows[7].caches[0].kind = CACHE_INSTRUCTION;
        rows[8].processors = 8;
        rows[9].memory_bytes *= 2;
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                assert_string_not_equal(class_of(&rows[i]), class_of(&usual));
                assert_string_not_equal(key_of(&rows[i]), key_of(&usual));
        }
}

TEST(the_kernel_is_in_the_class) {
        const OpsMachine machine = make_machine();
        EnvironmentHost other = host;

        strcpy(other.kernel, "Linux 6.2 x86_64");
        assert_string_not_equal(class_of(&machine),
                        environment_build(arena, &other, &machine, NULL, 0)->machine->class_);
}

static const char *memory_of(uint64_t bytes) {
        Benchd__Environment environment = BENCHD__ENVIRONMENT__INIT;

        environment.has_memory_bytes = true;
        environment.memory_bytes = bytes;
        return machine_class_fact(CONDITION_MEMORY, arena, &environment);
}

/* Any size that is sold, less 1/64 for the pages' own table and up to 2 % more, is that size again. */
TEST(memory_counts_as_it_is_sold) {
        static const unsigned sold_gib[] = { 1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
                1024, 1536, 2048 };
        char expected[32];

        for (size_t i = 0; i < N_ELEMENTS(sold_gib); i++)
                for (unsigned per_mille = 0; per_mille <= 36; per_mille++) {
                        const uint64_t told = sold_gib[i] * GIB / 1000 * (1000 - per_mille);

                        snprintf(expected, sizeof expected, "%u GiB", sold_gib[i]);
                        assert_string_equal(memory_of(told), expected);
                        assert_string_equal(memory_of(told - 5 * MIB), expected);
                }
        assert_string_equal(memory_of(0), "0 GiB");
        assert_string_equal(memory_of(7), memory_of(7));
        assert_non_null(memory_of(UINT64_MAX));
}

TEST(a_stored_result_that_tells_nothing_has_a_class_all_the_same) {
        Benchd__Environment nothing = BENCHD__ENVIRONMENT__INIT, of_empty_cpu = nothing;
        Benchd__Cache cache = BENCHD__CACHE__INIT, *caches[] = { &cache };
        Benchd__Cpu cpu = BENCHD__CPU__INIT;

        cpu.caches = caches;
        cpu.n_caches = 1;
        of_empty_cpu.cpu = &cpu;
        assert_int_equal(strlen(machine_class(arena, &nothing)), 16);
        assert_int_equal(strlen(machine_class(arena, &of_empty_cpu)), 16);
}

TEST(there_is_no_class_before_the_launcher_has_told_of_the_machine) {
        const Benchd__Machine *machine = environment_build(arena, &host, NULL, NULL, 0)->machine;

        assert_null(machine->class_);
        assert_null(machine->id);
        assert_null(machine->name);
}
