/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The environment of a run is told as it was; what must be equal for comparing is in the key, and nothing else is. */

#include "front/report/environment.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "arena.h"
#include "front/report/comparability.h"
#include "front/report/result.h"
#include "ops/block.h"
#include "util/remove-tree.h"
#include "util/root-dir.h"

static SampleBlock blocks[2];
static const EnvironmentHost host = { .system = "Debian",
        .kernel = "Linux 6.1 x86_64",
        .libc = "glibc 2.36",
        .huge_pages = "madvise" };

static OpsMachine make_machine(void) {
        OpsMachine machine = { .brand = "A CPU", .microcode = "0x12", .n_cpus = 2, .invariant_tsc = 1, .n_caches = 1 };

        machine.caches[0] = (OpsCache){ .level = 1, .kind = 1, .size_bytes = 32768 };
        machine.cpus[0] = (OpsCpu){ .cpu = 1 };
        machine.cpus[1] = (OpsCpu){ .cpu = 3, .calibrated = 1, .clock = { .hz = 2e9, .quantum_ticks = 26 } };
        return machine;
}

TEST(the_worst_of_all_outcomes_is_told) {
        OpsEnded ended[] = {
                { .cpu = 3,
                                .scheduler = OPS_OUTCOME_APPLIED,
                                .affinity = OPS_OUTCOME_APPLIED,
                                .memory = OPS_OUTCOME_UNSUPPORTED },
                { .cpu = 3,
                                .scheduler = OPS_OUTCOME_DENIED,
                                .affinity = OPS_OUTCOME_APPLIED,
                                .memory = OPS_OUTCOME_APPLIED },
                { .cpu = 3, .scheduler = OPS_OUTCOME_APPLIED, .affinity = OPS_OUTCOME_ALREADY },
                { .cpu = -1, .scheduler = 77 },
        };
        Benchd__Environment *environment;
        OpsMachine machine = make_machine();
        MachineControls controls = {};

        blocks[0].memory_lock = OPS_OUTCOME_APPLIED;
        blocks[1].memory_lock = OPS_OUTCOME_DENIED;

        CPU_SET(3, &ended[0].cpus);
        for (size_t i = 0; i < N_ELEMENTS(ended); i++)
                machine_controls_add(&controls, &ended[i], &blocks[i % 2]);
        environment = environment_build(arena, &host, &machine, &controls, NAN);
        assert_non_null(environment);
        assert_int_equal(environment->scheduler, BENCHD__ENVIRONMENT__SCHEDULER__OTHER);
        assert_int_equal(environment->isolation, BENCHD__ENVIRONMENT__ISOLATION__AFFINITY);
        assert_int_equal(environment->n_controls, 5);
        assert_string_equal(environment->controls[0]->name, "scheduler");
        assert_int_equal(environment->controls[0]->outcome, BENCHD__CONTROL__OUTCOME__DENIED);
        assert_string_equal(environment->controls[0]->is, "other");
        assert_int_equal(environment->controls[1]->outcome, BENCHD__CONTROL__OUTCOME__APPLIED);
        assert_string_equal(environment->controls[1]->is, "one cpu");
        assert_int_equal(environment->controls[2]->outcome, BENCHD__CONTROL__OUTCOME__UNSUPPORTED);
        assert_string_equal(environment->controls[3]->name, "memory lock");
        assert_int_equal(environment->controls[3]->outcome, BENCHD__CONTROL__OUTCOME__DENIED);
        assert_string_equal(environment->controls[4]->name, "huge pages");
        assert_string_equal(environment->controls[4]->is, "madvise");
        assert_int_equal(environment->n_cpus, 1);
        assert_int_equal(environment->cpus[0], 3);
        assert_false(environment->has_load);
        assert_null(environment->hypervisor);
        assert_true(environment->tsc->hz == 2e9 && environment->tsc->quantum_ticks == 26);
        assert_string_equal(environment->cpu->caches[0]->kind, "data");
}

TEST(a_module_that_stays_in_its_place_is_told_whichever_side_it_is) {
        static const SampleBlock moved = { .image_state = IMAGE_FREE }, stays = { .image_state = IMAGE_FIXED_DATA };
        static const SampleBlock unasked = { .image_state = IMAGE_AS_LINKED };
        OpsMachine machine = make_machine();
        Benchd__Environment *environment;
        MachineControls controls = {};

        machine_controls_add_image(&controls, 0, &unasked);
        assert_int_equal(environment_build(arena, &host, &machine, &controls, NAN)->n_controls, 0);
        machine_controls_add_image(&controls, 0, &moved);
        environment = environment_build(arena, &host, &machine, &controls, NAN);
        assert_string_equal(environment->controls[0]->name, "code offset");
        assert_int_equal(environment->controls[0]->outcome, BENCHD__CONTROL__OUTCOME__APPLIED);
        machine_controls_add_image(&controls, 1, &stays);
        environment = environment_build(arena, &host, &machine, &controls, NAN);
        assert_int_equal(environment->controls[0]->outcome, BENCHD__CONTROL__OUTCOME__UNSUPPORTED);
        assert_string_equal(environment->controls[0]->is, "as linked");
        assert_int_equal(controls.image_states[0], IMAGE_FREE);
        assert_int_equal(controls.image_states[1], IMAGE_FIXED_DATA);
}

TEST(a_module_with_two_of_the_four_places_is_told) {
        static const struct {
                SampleBlock sides[2];
                const char *is;
        } rows[] = {
                { { { .image_state = IMAGE_FREE }, { .image_state = IMAGE_FREE } }, "random within a cache line" },
                { { { .image_state = IMAGE_FREE_CODE_32 }, { .image_state = IMAGE_FREE } },
                                "random within a cache line, by 32 bytes" },
                { { { .image_state = IMAGE_FREE }, { .image_state = IMAGE_FREE_DATA_32 } },
                                "random within a cache line, by 32 bytes" },
                { { { .image_state = IMAGE_FREE_DATA_32 }, { .image_state = IMAGE_FIXED_CODE } }, "as linked" },
        };
        OpsMachine machine = make_machine();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                MachineControls controls = {};

                for (uint32_t side = 0; side < 2; side++)
                        machine_controls_add_image(&controls, side, &rows[i].sides[side]);
                assert_string_equal(environment_build(arena, &host, &machine, &controls, NAN)->controls[0]->is,
                                rows[i].is);
        }
}

TEST(a_process_with_cpus_for_its_own_threads_is_not_pinned_to_one) {
        SampleBlock *block = calloc(1, sizeof *block);
        const OpsMachine machine = make_machine();
        OpsEnded ended = { .affinity = OPS_OUTCOME_APPLIED };

        assert_non_null(block);
        block->n_threads = 1;
        for (int n = 1; n <= 2; n++) {
                MachineControls controls = {};

                CPU_SET(n, &ended.cpus);
                machine_controls_add(&controls, &ended, block);
                assert_string_equal(environment_build(arena, &host, &machine, &controls, NAN)->controls[0]->is,
                                n == 1 ? "one cpu" : "its cpus");
        }
        free(block);
}

TEST(what_was_not_wanted_is_told_as_omitted) {
        OpsEnded ended = {
                .scheduler = OPS_OUTCOME_OMITTED,
                .affinity = OPS_OUTCOME_OMITTED,
                .memory = OPS_OUTCOME_OMITTED,
        };
        Benchd__Environment *environment;
        OpsMachine machine = make_machine();
        MachineControls controls = {};

        machine_controls_add(&controls, &ended, &(SampleBlock){});
        environment = environment_build(arena, &host, &machine, &controls, NAN);
        assert_non_null(environment);
        assert_int_equal(environment->scheduler, BENCHD__ENVIRONMENT__SCHEDULER__OTHER);
        assert_int_equal(environment->isolation, BENCHD__ENVIRONMENT__ISOLATION__NONE);
        assert_int_equal(environment->n_controls, 4); /* the last is huge pages, which nobody omits */
        for (size_t i = 0; i < 3; i++) {
                assert_int_equal(environment->controls[i]->outcome, BENCHD__CONTROL__OUTCOME__OMITTED);
                assert_string_equal(environment->controls[i]->is, environment->controls[i]->was);
        }
}

TEST(the_housekeeping_cpu_is_named_where_it_was_lent) {
        OpsMachine machine = make_machine();
        Benchd__Environment *environment;
        MachineControls controls = {};

        CPU_SET(3, &controls.cpus);
        assert_int_equal(machine_controls_shared_cpu(&controls, &machine), -1);
        CPU_SET(0, &controls.cpus);
        assert_int_equal(machine_controls_shared_cpu(&controls, &machine), 0);
        environment = environment_build(arena, &host, &machine, &controls, NAN);
        assert_non_null(environment);
        assert_int_equal(environment->n_cpus, 2);
        assert_int_equal(environment->cpus[0], 0);
        assert_int_equal(environment->cpus[1], 3);
}

TEST(a_status_names_all_cpus_and_no_control) {
        OpsMachine machine = make_machine();
        Benchd__Environment *environment;

        environment = environment_build(arena, &host, &machine, NULL, 0.5);
        assert_int_equal(environment->n_cpus, 2);
        assert_int_equal(environment->n_controls, 0);
        assert_false(environment->has_scheduler);
        assert_true(environment->load == 0.5);
        environment = environment_build(arena, &host, NULL, NULL, 0.5);
        assert_null(environment->cpu);
        assert_string_equal(environment->kernel, "Linux 6.1 x86_64");
}

TEST(a_load_above_the_number_of_processors_is_told) {
        OpsMachine machine = make_machine();
        ArenaList warnings = {};

        machine.processors = 2;
        environment_warn(arena, environment_build(arena, &host, &machine, NULL, 2), &warnings);
        environment_warn(arena, environment_build(arena, &host, NULL, NULL, 14), &warnings);
        assert_int_equal(warnings.n, 0);
        environment_warn(arena, environment_build(arena, &host, &machine, NULL, 14.2), &warnings);
        assert_int_equal(warnings.n, 1);
        assert_non_null(strstr(warnings.texts[0], "a load of 14 on 2 processors"));
}

TEST(memory_that_programs_wait_for_is_told) {
        Benchd__Environment *environment = environment_build(arena, &host, NULL, NULL, 0);
        ArenaList warnings = {};

        environment->has_memory_stall = true;
        environment->memory_stall = 0.01;
        environment_warn(arena, environment, &warnings);
        assert_int_equal(warnings.n, 0);
        environment->memory_stall = 0.12;
        environment_warn(arena, environment, &warnings);
        assert_int_equal(warnings.n, 1);
        assert_non_null(strstr(warnings.texts[0], "in 12 % of the last 10 s"));
}

TEST(a_battery_is_told) {
        Benchd__Environment *environment = environment_build(arena, &host, NULL, NULL, 0);
        ArenaList warnings = {};

        environment->power_source = (char *)"mains";
        environment_warn(arena, environment, &warnings);
        assert_int_equal(warnings.n, 0);
        environment->power_source = (char *)"battery";
        environment_warn(arena, environment, &warnings);
        assert_int_equal(warnings.n, 1);
        assert_non_null(strstr(warnings.texts[0], "from a battery"));
}

TEST(cores_that_the_topology_hides_are_told_in_a_line_each) {
        OpsMachine machine = make_machine();
        Benchd__Environment *environment;
        ArenaList warnings = {};

        environment = environment_build(arena, &host, &machine, NULL, 0);
        environment_warn(arena, environment, &warnings);
        assert_int_equal(environment->n_hidden_cores, 0);
        assert_int_equal(warnings.n, 0);

        machine.n_hidden_cores = 2;
        CPU_SET(2, &machine.hidden_cores[0]);
        CPU_SET(3, &machine.hidden_cores[0]);
        CPU_SET(0, &machine.hidden_cores[1]);
        CPU_SET(5, &machine.hidden_cores[1]);
        environment = environment_build(arena, &host, &machine, NULL, 0);
        environment_warn(arena, environment, &warnings);
        assert_int_equal(environment->n_hidden_cores, 2);
        assert_string_equal(environment->hidden_cores[1], "0,5");
        assert_int_equal(warnings.n, 2);
        assert_string_equal(warnings.texts[0], "CPUs 2-3 share a core, though the topology does not say so");
}

static const char *method = "benchd";
static uint32_t fixed_layout = 0;

static char *key_of(Benchd__Environment *environment, const char *of_method) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;

        result.environment = environment;
        result.method = (char *)of_method;
        return comparability_key(arena, &result);
}

static char *key_with_pages(const char *pages) {
        OpsMachine machine = make_machine();
        MachineControls controls = { .affinity = OPS_OUTCOME_APPLIED };
        EnvironmentHost here = host;

        snprintf(here.huge_pages, sizeof here.huge_pages, "%s", pages);
        return key_of(environment_build(arena, &here, &machine, &controls, 0), "benchd");
}

static char *key_with(const char *brand, const char *kernel, uint32_t scheduler, double load) {
        OpsMachine machine = make_machine();
        MachineControls controls = { .scheduler = scheduler,
                .affinity = OPS_OUTCOME_APPLIED,
                .random_layout = fixed_layout ? 0 : OPS_OUTCOME_ALREADY,
                .fixed_layout = fixed_layout };
        EnvironmentHost here = host;

        snprintf(machine.brand, sizeof machine.brand, "%s", brand);
        snprintf(here.kernel, sizeof here.kernel, "%s", kernel);
        return key_of(environment_build(arena, &here, &machine, &controls, load), method);
}

static char *method_with(const char *name, const Benchd__RunRequest *run) {
        PlanBenchmark benchmark = { .method = method_find(name) };
        const Plan plan = { .benchmarks = &benchmark, .n_benchmarks = 1 };

        return result_method(arena, &plan, run);
}

TEST(the_key_changes_with_what_spoils_comparing_and_only_then) {
        const char *key = key_with("A", "6.1", OPS_OUTCOME_APPLIED, 0);
        Benchd__RunRequest run = BENCHD__RUN_REQUEST__INIT;

        assert_int_equal(strlen(key), 16);
        assert_string_equal(key, key_with("A", "6.1", OPS_OUTCOME_APPLIED, 3));
        assert_string_not_equal(key, key_with("B", "6.1", OPS_OUTCOME_APPLIED, 0));
        assert_string_not_equal(key, key_with("A", "6.2", OPS_OUTCOME_APPLIED, 0));
        assert_string_not_equal(key, key_with("A", "6.1", OPS_OUTCOME_DENIED, 0));
        assert_string_not_equal(key_with_pages("always"), key_with_pages("never"));
        fixed_layout = OPS_OUTCOME_ALREADY;
        assert_string_not_equal(key, key_with("A", "6.1", OPS_OUTCOME_APPLIED, 0));
        fixed_layout = 0;
        run.trace = run.has_trace = run.has_cold = 1;
        run.cpus_per_run = run.has_cpus_per_run = 1;
        method = method_with("", &run);
        assert_string_equal(key, key_with("A", "6.1", OPS_OUTCOME_APPLIED, 0));
        run.cold = 1;
        method = method_with("", &run);
        assert_string_equal(method, "benchd cold");
        assert_string_not_equal(key, key_with("A", "6.1", OPS_OUTCOME_APPLIED, 0));
        run.cpus_per_run = 2;
        assert_string_equal(method_with("", &run), "benchd cpus-per-run=2 cold");
        run.no_prime = run.has_no_prime = 1;
        assert_string_equal(method_with("measureit", &run), "measureit unprimed");
        method = method_with("mark7", &run);
        assert_string_equal(method, "mark7");
        assert_string_not_equal(key, key_with("A", "6.1", OPS_OUTCOME_APPLIED, 0));
}

TEST(addresses_are_told_as_they_were_and_as_they_are) {
        static const struct {
                MachineControls controls;
                Benchd__Control__Outcome outcome;
                const char *is;
        } rows[] = {
                { { .random_layout = OPS_OUTCOME_ALREADY }, BENCHD__CONTROL__OUTCOME__ALREADY, "random" },
                { { .random_layout = OPS_OUTCOME_OVERRIDDEN }, BENCHD__CONTROL__OUTCOME__OVERRIDDEN, "fixed" },
                { { .fixed_layout = OPS_OUTCOME_APPLIED }, BENCHD__CONTROL__OUTCOME__APPLIED, "fixed" },
                { { .fixed_layout = OPS_OUTCOME_DENIED }, BENCHD__CONTROL__OUTCOME__DENIED, "random" },
        };
        OpsMachine machine = make_machine();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const Benchd__Environment *environment =
                                environment_build(arena, &host, &machine, &rows[i].controls, 0);

                assert_int_equal(environment->n_controls, 2);
                assert_string_equal(environment->controls[0]->name, "aslr");
                assert_int_equal(environment->controls[0]->outcome, rows[i].outcome);
                assert_string_equal(environment->controls[0]->is, rows[i].is);
        }
}

TEST(a_control_that_was_never_tried_is_not_told) {
        OpsMachine machine = make_machine();
        MachineControls never = {}, pinned = { .affinity = OPS_OUTCOME_DENIED };
        const Benchd__Environment *environment;

        environment = environment_build(arena, &host, &machine, &never, 0);
        assert_false(environment->has_scheduler);
        assert_false(environment->has_isolation);
        assert_int_equal(environment->n_controls, 0);

        environment = environment_build(arena, &host, &machine, &pinned, 0);
        assert_false(environment->has_scheduler);
        assert_true(environment->has_isolation);
        assert_int_equal(environment->isolation, BENCHD__ENVIRONMENT__ISOLATION__NONE);
        assert_int_equal(environment->n_controls, 2);
}

TEST(a_verdict_counts_what_gave_numbers) {
        assert_int_equal(result_verdict(&(MeasurementCount){ .measured = 2 }, false), BENCHD__RUN_RESULT__VERDICT__FIT);
        assert_int_equal(result_verdict(&(MeasurementCount){ .measured = 2, .failed = 1 }, false),
                        BENCHD__RUN_RESULT__VERDICT__PARTIAL);
        assert_int_equal(result_verdict(&(MeasurementCount){ .failed = 1 }, false),
                        BENCHD__RUN_RESULT__VERDICT__FAILED);
        assert_int_equal(result_verdict(&(MeasurementCount){ .measured = 2 }, true),
                        BENCHD__RUN_RESULT__VERDICT__PARTIAL);
}

static void write_file(const char *directory, const char *name, const char *text) {
        char path[256];
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", directory, name);
        file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
}

/* A directory of supplies; each is its files, as many as are named. */
typedef struct Supplies {
        struct {
                const char *name, *type, *online, *status, *scope;
        } rows[3];
        const char *source;
} Supplies;

static void write_supplies(const char *directory, const Supplies *supplies) {
        for (size_t i = 0; i < N_ELEMENTS(supplies->rows) && supplies->rows[i].name; i++) {
                const char *const files[][2] = { { "type", supplies->rows[i].type },
                        { "online", supplies->rows[i].online }, { "status", supplies->rows[i].status },
                        { "scope", supplies->rows[i].scope } };
                char path[256];

                snprintf(path, sizeof path, "%s/sys/class/power_supply/%s", directory, supplies->rows[i].name);
                assert_int_equal(mkdir(path, 0700), 0);
                for (size_t file = 0; file < N_ELEMENTS(files); file++) {
                        snprintf(path, sizeof path, "sys/class/power_supply/%s/%s", supplies->rows[i].name,
                                        files[file][0]);
                        if (files[file][1])
                                write_file(directory, path, files[file][1]);
                }
        }
}

TEST(the_source_of_power_is_what_the_supplies_say) {
        static const Supplies cases[] = {
                { {}, NULL },
                { { { "AC", "Mains\n", "1\n" } }, "mains" },
                { { { "AC", "Mains\n", "1\n" }, { "BAT0", "Battery\n", NULL, "Charging\n" } }, "mains" },
                { { { "AC", "Mains\n", "0\n" }, { "BAT0", "Battery\n", NULL, "Discharging\n" } }, "battery" },
                { { { "AC", "Mains\n", "0\n" }, { "BAT0", "Battery\n", NULL, "Full\n" } }, "battery" },
                { { { "BAT0", "Battery\n", NULL, "Discharging\n" } }, "battery" },
                { { { "BAT0", "Battery\n", NULL, "Full\n" } }, NULL },
                { { { "ucsi", "USB\n", "1\n" }, { "AC", "Mains\n", "0\n" }, { "BAT0", "Battery\n", NULL, "Full\n" } },
                                "mains" },
                { { { "mouse", "Battery\n", NULL, "Discharging\n", "Device\n" }, { "AC", "Mains\n", "1\n" } },
                                "mains" },
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                static const char *const made[] = { "sys", "sys/class", "sys/class/power_supply" };
                char directory[] = "benchd-test-XXXXXX", path[256];
                RootDir *root;
                const char *source;

                assert_non_null(mkdtemp(directory));
                for (size_t at = 0; at < N_ELEMENTS(made); at++) {
                        snprintf(path, sizeof path, "%s/%s", directory, made[at]);
                        assert_int_equal(mkdir(path, 0700), 0);
                }
                write_supplies(directory, &cases[i]);
                assert_int_equal(root_dir_new(directory, &root), 0);
                source = environment_read_power_source(root);
                if (cases[i].source)
                        assert_string_equal(source, cases[i].source);
                else
                        assert_null(source);
                root_dir_free(root);
                assert_int_equal(remove_tree(AT_FDCWD, directory), 0);
        }
}

TEST(the_host_is_read_below_its_root) {
        char directory[] = "benchd-test-XXXXXX", path[256];
        static const char *const made[] = { "proc/loadavg", "proc/pressure/memory", "etc/os-release", "proc/pressure",
                "proc", "etc", "" };
        RootDir *root;
        EnvironmentHost read;

        assert_non_null(mkdtemp(directory));
        for (size_t i = 5; i > 2; i--) {
                snprintf(path, sizeof path, "%s/%s", directory, made[i]);
                assert_int_equal(mkdir(path, 0700), 0);
        }
        write_file(directory, "proc/loadavg", "0.25 0.10 0.05 1/123 4567\n");
        write_file(directory, "etc/os-release", "NAME=x\nPRETTY_NAME=\"Some System 12\"\nID=x\n");
        assert_int_equal(root_dir_new(directory, &root), 0);
        environment_read_host(root, "node-7", &read);
        assert_string_equal(read.machine.name, "node-7");
        assert_string_equal(read.system, "Some System 12");
        assert_true(environment_read_load(root) == 0.25);
        write_file(directory, "proc/loadavg", "none");
        assert_true(isnan(environment_read_load(root)));
        assert_true(isnan(environment_read_memory_stall(root)));
        write_file(directory, "proc/pressure/memory",
                        "some avg10=12.50 avg60=3.00 avg300=1.00 total=99\nfull avg10=1.00\n");
        assert_true(environment_read_memory_stall(root) == 0.125);
        write_file(directory, "proc/pressure/memory", "none");
        assert_true(isnan(environment_read_memory_stall(root)));
        root_dir_free(root);
        for (size_t i = 0; i < N_ELEMENTS(made); i++) {
                snprintf(path, sizeof path, "%s/%s", directory, made[i]);
                assert_int_equal(remove(path), 0);
        }
}
