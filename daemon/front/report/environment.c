/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/environment.h"

#include <dirent.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "front/base/message.h"
#include "front/base/text.h"
#include "front/report/clock-report.h"
#include "front/report/machine-class.h"
#include "ops/block.h"
#include "util/amount.h"
#include "util/cpu-list.h"
#include "util/error.h"
#include "util/root-dir.h"
#include "words/control.h"

#define POWER_SUPPLIES        "sys/class/power_supply"
#define ENVIRONMENT_STALL_MAX 0.01 /* of the time: less is a moment */

/* ---- the host */

/* The value of PRETTY_NAME, without its quotes. */
static void os_release_name(const char *text, char ret_name[static ENVIRONMENT_HOST_TEXT_MAX]) {
        static const char key[] = "PRETTY_NAME=";
        const char *line = text;

        while (line && strncmp(line, key, strlen(key)) != 0) {
                line = strchr(line, '\n');
                line = line ? line + 1 : NULL;
        }
        if (!line)
                return;
        line += strlen(key);
        line += strspn(line, "\"'");
        snprintf(ret_name, ENVIRONMENT_HOST_TEXT_MAX, "%.*s", (int)strcspn(line, "\"'\n"), line);
}

/* The word in brackets, of a line such as "always [madvise] never". */
static void host_read_huge_pages(RootDir *root, char ret_word[static ENVIRONMENT_HOST_TEXT_MAX]) {
        char text[ENVIRONMENT_HOST_TEXT_MAX], *word;

        if (root_dir_read_line(root, "sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text) != 0)
                return;
        word = strchr(text, '[');
        if (word)
                snprintf(ret_word, ENVIRONMENT_HOST_TEXT_MAX, "%.*s", (int)strcspn(word + 1, "]"), word + 1);
}

void environment_read_host(RootDir *root, const char *machine_name, EnvironmentHost *ret_host) {
        EnvironmentHost host = { .system = "Linux" };
        struct utsname name;
        char text[4096];

        if (root_dir_read(root, "etc/os-release", text, sizeof text) == 0 ||
                        root_dir_read(root, "usr/lib/os-release", text, sizeof text) == 0)
                os_release_name(text, host.system);
        if (uname(&name) == 0)
                snprintf(host.kernel, sizeof host.kernel, "%s %s %s", name.sysname, name.release, name.machine);
        snprintf(host.libc, sizeof host.libc, "glibc %s", gnu_get_libc_version());
        host_read_huge_pages(root, host.huge_pages);
        machine_identity_read(root, machine_name, &host.machine);
        *ret_host = host;
}

double environment_read_load(RootDir *root) {
        char text[128], *end;
        double load;

        if (root_dir_read_line(root, "proc/loadavg", text, sizeof text) != 0)
                return NAN;
        load = strtod(text, &end);
        return end > text ? load : NAN;
}

double environment_read_memory_stall(RootDir *root) {
        static const char start[] = "some avg10=";
        char text[128], *end;
        double percent;

        if (root_dir_read_line(root, "proc/pressure/memory", text, sizeof text) != 0 ||
                        strncmp(text, start, strlen(start)) != 0)
                return NAN;
        percent = strtod(text + strlen(start), &end);
        return end > text + strlen(start) ? percent / 100 : NAN;
}

/* ---- power */

typedef struct Power {
        bool from_outside; /* a supply from outside is on */
        bool has_outside;
        bool has_battery;
        bool discharges;
} Power;

static bool supply_says(RootDir *root, const char *supply, const char *file, const char *wanted) {
        char path[512], text[64];

        snprintf(path, sizeof path, POWER_SUPPLIES "/%.200s/%s", supply, file);
        return root_dir_read_line(root, path, text, sizeof text) == 0 && strcmp(text, wanted) == 0;
}

/* A mouse has a battery too, which is that of a device. */
static void power_add(Power *power, RootDir *root, const char *supply) {
        if (supply_says(root, supply, "type", "Battery") && !supply_says(root, supply, "scope", "Device")) {
                power->has_battery = true;
                power->discharges |= supply_says(root, supply, "status", "Discharging");
        } else if (supply_says(root, supply, "type", "Mains") || supply_says(root, supply, "type", "USB")) {
                power->has_outside = true;
                power->from_outside |= supply_says(root, supply, "online", "1");
        }
}

const char *environment_read_power_source(RootDir *root) {
        int fd = openat(root_dir_fd(root), POWER_SUPPLIES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *supplies = fd < 0 ? NULL : fdopendir(fd);
        const struct dirent *entry;
        Power power = {};

        while (supplies && (entry = readdir(supplies)))
                if (*entry->d_name != '.')
                        power_add(&power, root, entry->d_name);
        if (supplies)
                closedir(supplies);
        else if (fd >= 0)
                close(fd);
        if (power.has_battery && (power.discharges || (power.has_outside && !power.from_outside)))
                return "battery";
        return power.from_outside ? "mains" : NULL;
}

/* ---- as a message */

static bool outcome_holds(uint32_t outcome) {
        return outcome == OPS_OUTCOME_APPLIED || outcome == OPS_OUTCOME_ALREADY;
}

typedef struct ControlRow {
        ControlKind kind;
        size_t offset; /* the outcome's, in MachineControls */
        const char *was;
        const char *wanted;
        const char *partly; /* it is, where it was overridden; NULL: as it was */
} ControlRow;

static const ControlRow control_rows[] = {
        { CONTROL_SCHEDULER, offsetof(MachineControls, scheduler), "other", "fifo" },
        { CONTROL_AFFINITY, offsetof(MachineControls, affinity), "any", "one cpu" },
        { CONTROL_MEMORY, offsetof(MachineControls, memory), "any node", "the cpu's node" },
        { CONTROL_MEMORY_LOCK, offsetof(MachineControls, memory_lock), "unlocked", "code locked after set-up" },
        { CONTROL_CPUSET, offsetof(MachineControls, cpuset), "the daemon's", "its own" },
        { CONTROL_NAMESPACES, offsetof(MachineControls, namespaces), "the daemon's", "its own",
                        "its own, but the daemon's processes are seen: part of /proc is covered here" },
        { CONTROL_RUN_GROUP, offsetof(MachineControls, run_group), "the daemon's", "its own, killed as one" },
        { CONTROL_ASLR, offsetof(MachineControls, random_layout), "fixed", "random" },
        { CONTROL_ASLR, offsetof(MachineControls, fixed_layout), "random", "fixed" },
        { CONTROL_ASLR, offsetof(MachineControls, common_layout), "random", "one draw for both sides" },
};

static int add_control(Arena *arena, const char *name, uint32_t outcome, const char *was, const char *is,
                Benchd__Environment *environment) {
        Benchd__Control *control = message_new(arena, Benchd__Control, benchd__control);

        if (!control)
                return error_origin(-ENOMEM);
        control->name = arena_text(arena, name);
        message_set(control, outcome, (Benchd__Control__Outcome)outcome);
        control->was = arena_text(arena, outcome == OPS_OUTCOME_ALREADY ? is : was);
        control->is = arena_text(arena, is);
        environment->controls[environment->n_controls++] = control;
        return 0;
}

static int add_code_offset(Arena *arena, const MachineControls *controls, Benchd__Environment *environment) {
        static const char was[] = "as linked";
        const char *is = outcome_holds(controls->code_offset) ? "random within a cache line" : was;

        if (controls->code_offset == 0)
                return 0;
        for (size_t i = 0; i < RUNNER_SIDES_MAX && is != was; i++)
                if (controls->image_states[i] != IMAGE_FREE && sample_image_is_moved(controls->image_states[i]))
                        is = "random within a cache line, by 32 bytes";
        return error_trace(add_control(arena, control_name(CONTROL_CODE_OFFSET), controls->code_offset, was, is,
                        environment));
}

static const char *control_is(const ControlRow *row, const MachineControls *controls, uint32_t outcome) {
        if (outcome == OPS_OUTCOME_OVERRIDDEN && row->partly)
                return row->partly;
        if (!outcome_holds(outcome))
                return row->was;
        return controls->own_cpus && row->offset == offsetof(MachineControls, affinity) ? "its cpus" : row->wanted;
}

/* A stack size that was requested. */
static int add_stack(Arena *arena, const MachineControls *controls, Benchd__Environment *environment) {
        char was[AMOUNT_TEXT_MAX], is[AMOUNT_TEXT_MAX];

        if (controls->stack == 0)
                return 0;
        return error_trace(add_control(arena, control_name(CONTROL_STACK), controls->stack,
                        amount_bytes(RUNNER_STACK_BYTES, 4, was), amount_bytes(controls->stack_bytes, 4, is),
                        environment));
}

/* The limits of a run, in words for a user who reaches them. */
static int add_bounds(Arena *arena, const MachineControls *controls, Benchd__Environment *environment) {
        char bytes[AMOUNT_TEXT_MAX], memory[64] = "none", tasks[32] = "none";
        int r = 0;

        if (outcome_holds(controls->memory_bound))
                snprintf(memory, sizeof memory, "%s", amount_bytes(controls->memory_max_bytes, 4, bytes));
        else if (controls->address_space_max_bytes)
                snprintf(memory, sizeof memory, "%s of address space for each process",
                                amount_bytes(controls->address_space_max_bytes, 4, bytes));
        if (outcome_holds(controls->tasks_bound))
                snprintf(tasks, sizeof tasks, "%" PRIu64 " processes and threads", controls->tasks_max);
        if (controls->memory_bound)
                r = add_control(arena, control_name(CONTROL_MEMORY_LIMIT), controls->memory_bound, "none", memory,
                                environment);
        if (!r && controls->tasks_bound)
                r = add_control(arena, control_name(CONTROL_PROCESS_LIMIT), controls->tasks_bound, "none", tasks,
                                environment);
        return error_trace(r);
}

/* A run in memory has no such control, as none before this one had. */
static int add_directory(Arena *arena, const MachineControls *controls, Benchd__Environment *environment) {
        if (!controls->directory)
                return 0;
        return error_trace(add_control(arena, control_name(CONTROL_DIRECTORY), OPS_OUTCOME_APPLIED, "in memory",
                        controls->directory, environment));
}

/* One for all: each name has one control. */
static int add_seen(Arena *arena, const MachineControls *controls, Benchd__Environment *environment) {
        const char *seen = controls->n_seen > 0 ? controls->seen[0] : NULL;

        if (!seen)
                return 0;
        for (size_t i = 1; seen && i < controls->n_seen; i++)
                seen = arena_format(arena, "%s, %s", seen, controls->seen[i]);
        return seen ? error_trace(add_control(arena, control_name(CONTROL_SEE), OPS_OUTCOME_APPLIED, "nothing else",
                                      seen, environment))
                    : error_origin(-ENOMEM);
}

/* Huge pages stay as a program finds them without benchd, and are reported. */
static int add_huge_pages(Arena *arena, const EnvironmentHost *host, Benchd__Environment *environment) {
        if (!host->huge_pages[0])
                return error_trace(add_control(arena, control_name(CONTROL_HUGE_PAGES), OPS_OUTCOME_UNSUPPORTED,
                                "never", "never", environment));
        return error_trace(add_control(arena, control_name(CONTROL_HUGE_PAGES), OPS_OUTCOME_ALREADY, host->huge_pages,
                        host->huge_pages, environment));
}

static int add_machine_controls(Arena *arena, const MachineControls *controls, Benchd__Environment *environment) {
        for (uint32_t i = 0; i < controls->n_controls; i++) {
                const OpsControl *control = &controls->controls[i];
                int r;

                r = add_control(arena, control->name, control->outcome, control->was, control->is, environment);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

static int build_controls(Arena *arena, const EnvironmentHost *host, const MachineControls *controls,
                Benchd__Environment *environment) {
        environment->controls = arena_zero(arena,
                        (N_ELEMENTS(control_rows) + 6 + OPS_CONTROLS_MAX) * sizeof *environment->controls);
        if (!environment->controls)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < N_ELEMENTS(control_rows); i++) {
                const ControlRow *row = &control_rows[i];
                uint32_t outcome = *(const uint32_t *)((const char *)controls + row->offset);
                int r;

                if (outcome == 0)
                        continue;
                r = add_control(arena, control_name(row->kind), outcome, row->was, control_is(row, controls, outcome),
                                environment);
                if (r)
                        return error_trace(r);
        }
        if (add_code_offset(arena, controls, environment) || add_stack(arena, controls, environment))
                return error_origin(-ENOMEM);
        if (environment->n_controls == 0)
                return 0;
        if (add_bounds(arena, controls, environment) || add_directory(arena, controls, environment) ||
                        add_seen(arena, controls, environment) || add_huge_pages(arena, host, environment))
                return error_origin(-ENOMEM);
        return error_trace(add_machine_controls(arena, controls, environment));
}

static int build_caches(Arena *arena, const OpsMachine *machine, Benchd__Cpu *cpu) {
        static const char *const kinds[] = { "", "data", "instruction", "unified" };

        cpu->caches = arena_zero(arena, OPS_CACHES_MAX * sizeof *cpu->caches);
        if (!cpu->caches)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < machine->n_caches; i++) {
                const OpsCache *of = &machine->caches[i];
                Benchd__Cache *cache = message_new(arena, Benchd__Cache, benchd__cache);

                if (!cache)
                        return error_origin(-ENOMEM);
                message_set(cache, level, of->level);
                if (of->kind >= 1 && of->kind < N_ELEMENTS(kinds))
                        cache->kind = arena_text(arena, kinds[of->kind]);
                message_set(cache, size_bytes, of->size_bytes);
                cpu->caches[cpu->n_caches++] = cache;
        }
        return 0;
}

static int build_cpu(Arena *arena, const OpsMachine *machine, Benchd__Environment *environment) {
        Benchd__Cpu *cpu = message_new(arena, Benchd__Cpu, benchd__cpu);

        if (!cpu)
                return error_origin(-ENOMEM);
        cpu->brand = arena_text(arena, machine->brand);
        cpu->microcode = machine->microcode[0] ? arena_text(arena, machine->microcode) : NULL;
        message_set(cpu, family, machine->family);
        message_set(cpu, model, machine->model);
        message_set(cpu, stepping, machine->stepping);
        environment->cpu = cpu;
        return error_trace(build_caches(arena, machine, cpu));
}

static int build_cpus(Arena *arena, const OpsMachine *machine, const MachineControls *controls,
                Benchd__Environment *environment) {
        environment->cpus = arena_zero(arena, OPS_CPUS_MAX * sizeof *environment->cpus);
        if (!environment->cpus)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; !controls && i < machine->n_cpus; i++)
                environment->cpus[environment->n_cpus++] = machine->cpus[i].cpu;
        for (int cpu = 0; controls && cpu < CPU_SETSIZE && environment->n_cpus < OPS_CPUS_MAX; cpu++)
                if (CPU_ISSET(cpu, &controls->cpus))
                        environment->cpus[environment->n_cpus++] = cpu;
        return 0;
}

static int build_hidden_cores(Arena *arena, const OpsMachine *machine, Benchd__Environment *environment) {
        char list[ENVIRONMENT_HOST_TEXT_MAX];
        ArenaList lists = {};

        for (uint32_t i = 0; i < machine->n_hidden_cores; i++) {
                cpu_list_format(&machine->hidden_cores[i], list, sizeof list);
                arena_list_add(&lists, arena, "%s", list);
        }
        environment->hidden_cores = lists.texts;
        environment->n_hidden_cores = lists.n;
        return error_trace(arena_check(arena));
}

static int build_machine(Arena *arena, const OpsMachine *machine, const MachineControls *controls,
                Benchd__Environment *environment) {
        int r;

        message_set(environment, memory_bytes, machine->memory_bytes);
        message_set(environment, processors, machine->processors);
        environment->hypervisor = machine->hypervisor[0] ? arena_text(arena, machine->hypervisor) : NULL;
        environment->governor = machine->governor[0] ? arena_text(arena, machine->governor) : NULL;
        r = build_cpus(arena, machine, controls, environment);
        if (r == 0)
                r = build_cpu(arena, machine, environment);
        if (r == 0)
                r = build_hidden_cores(arena, machine, environment);
        if (r)
                return error_trace(r);
        environment->tsc = clock_report_build(arena, machine, environment->n_cpus > 0 ? (int)environment->cpus[0] : -1);
        return environment->tsc ? 0 : error_origin(-ENOMEM);
}

/* The class comes last, of the facts that the environment has by then. */
static int build_identity(Arena *arena, const EnvironmentHost *host, Benchd__Environment *environment) {
        Benchd__Machine *machine = message_new(arena, Benchd__Machine, benchd__machine);

        if (!machine)
                return error_origin(-ENOMEM);
        machine->id = host->machine.id[0] ? arena_text(arena, host->machine.id) : NULL;
        machine->name = host->machine.name[0] ? arena_text(arena, host->machine.name) : NULL;
        machine->class_ = environment->cpu ? machine_class(arena, environment) : NULL;
        environment->machine = machine;
        return error_trace(arena_check(arena));
}

/* Affinity is the least; the launcher told any stronger isolation. */
static Benchd__Environment__Isolation isolation_of(const MachineControls *controls) {
        if (!outcome_holds(controls->affinity))
                return BENCHD__ENVIRONMENT__ISOLATION__NONE;
        if (controls->isolation)
                return (Benchd__Environment__Isolation)controls->isolation;
        return BENCHD__ENVIRONMENT__ISOLATION__AFFINITY;
}

/* The governor during the run, rather than when the daemon started. */
static void build_governor(Arena *arena, const MachineControls *controls, Benchd__Environment *environment) {
        const OpsControl *control = machine_controls_find(controls, "governor");

        if (control && control->outcome != OPS_OUTCOME_UNSUPPORTED && !control->cpu_off && control->is[0])
                environment->governor = arena_text(arena, control->is);
}

static int build_control_summary(Arena *arena, const EnvironmentHost *host, const MachineControls *controls,
                Benchd__Environment *environment) {
        if (controls->affinity)
                message_set(environment, isolation, isolation_of(controls));
        if (controls->scheduler)
                message_set(environment, scheduler,
                                outcome_holds(controls->scheduler) ? BENCHD__ENVIRONMENT__SCHEDULER__FIFO
                                                                   : BENCHD__ENVIRONMENT__SCHEDULER__OTHER);
        build_governor(arena, controls, environment);
        return error_trace(build_controls(arena, host, controls, environment));
}

void environment_warn(Arena *arena, const Benchd__Environment *environment, ArenaList *warnings) {
        for (size_t i = 0; i < environment->n_hidden_cores; i++)
                arena_list_add(warnings, arena, "CPUs %s share a core, though the topology does not say so",
                                environment->hidden_cores[i]);
        if (environment->has_load && environment->has_processors && environment->load > environment->processors)
                arena_list_add(warnings, arena,
                                "the machine is busy: a load of %.2g on %" PRIu32
                                " processor%s. Other programs use caches and memory beside what is measured: end them, or "
                                "measure later",
                                environment->load, environment->processors, environment->processors == 1 ? "" : "s");
        if (environment->has_memory_stall && environment->memory_stall > ENVIRONMENT_STALL_MAX)
                arena_list_add(warnings, arena,
                                "memory is short: programs waited for it in %.2g %% of the last 10 s, and pages may be taken "
                                "within a sample. End other programs, or use less",
                                100 * environment->memory_stall);
        if (environment->power_source && strcmp(environment->power_source, "battery") == 0)
                arena_list_add(warnings, arena,
                                "the power comes from a battery, for which firmware lowers the frequency: plug the machine in");
}

Benchd__Environment *environment_build(Arena *arena, const EnvironmentHost *host, const OpsMachine *machine,
                const MachineControls *controls, double load) {
        Benchd__Environment *environment = message_new(arena, Benchd__Environment, benchd__environment);

        if (!environment)
                return NULL;
        environment->system = arena_text(arena, host->system);
        environment->kernel = arena_text(arena, host->kernel);
        environment->libc = arena_text(arena, host->libc);
        message_set_finite(environment, load, load);
        if (machine && build_machine(arena, machine, controls, environment))
                return NULL;
        if (build_identity(arena, host, environment))
                return NULL;
        if (controls && build_control_summary(arena, host, controls, environment))
                return NULL;
        return environment;
}
