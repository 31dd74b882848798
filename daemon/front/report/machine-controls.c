/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/machine-controls.h"

#include <stdio.h>
#include <string.h>

#include "front/base/text.h"
#include "ops/block.h"
#include "util/amount.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "words/control.h"

#define WORDS_MAX 256u

/* ---- adding */

/* The worse of two outcomes, each an OpsOutcome or 0. */
static uint32_t outcome_worse(uint32_t a, uint32_t b) {
        static const uint8_t badness[] = {
                [OPS_OUTCOME_ALREADY] = 1,
                [OPS_OUTCOME_APPLIED] = 2,
                [OPS_OUTCOME_UNSUPPORTED] = 3,
                [OPS_OUTCOME_OVERRIDDEN] = 4,
                [OPS_OUTCOME_DENIED] = 5,
                [OPS_OUTCOME_OMITTED] = 6,
        };

        if (b >= N_ELEMENTS(badness))
                return a;
        return a >= N_ELEMENTS(badness) || badness[b] > badness[a] ? b : a;
}

const OpsControl *machine_controls_find(const MachineControls *controls, const char *name) {
        for (uint32_t i = 0; i < controls->n_controls; i++)
                if (strcmp(controls->controls[i].name, name) == 0)
                        return &controls->controls[i];
        return NULL;
}

static void controls_note(MachineControls *controls, const OpsControl *control) {
        OpsControl *known = (OpsControl *)machine_controls_find(controls, control->name);

        if (!known && controls->n_controls < OPS_CONTROLS_MAX)
                controls->controls[controls->n_controls++] = *control;
        else if (known && outcome_worse(known->outcome, control->outcome) != known->outcome)
                *known = *control;
}

void machine_controls_add(MachineControls *controls, const OpsEnded *ended, const SampleBlock *block) {
        controls->scheduler = outcome_worse(controls->scheduler, ended->scheduler);
        controls->affinity = outcome_worse(controls->affinity, ended->affinity);
        controls->own_cpus |= (uint32_t)CPU_COUNT(&ended->cpus) > block->n_threads && block->n_threads > 0;
        controls->memory = outcome_worse(controls->memory, ended->memory);
        controls->memory_lock = outcome_worse(controls->memory_lock, block->memory_lock);
        controls->random_layout = outcome_worse(controls->random_layout, ended->random_layout);
        controls->stack = outcome_worse(controls->stack, ended->stack);
        controls->stack_bytes = ended->stack_bytes;
        controls->fixed_layout = outcome_worse(controls->fixed_layout, ended->fixed_layout);
        controls->common_layout = outcome_worse(controls->common_layout, ended->common_layout);
        controls->cpuset = outcome_worse(controls->cpuset, ended->cpuset);
        controls->namespaces = outcome_worse(controls->namespaces, ended->namespaces);
        controls->run_group = outcome_worse(controls->run_group, ended->run_group);
        controls->adopted_affinity = outcome_worse(controls->adopted_affinity, ended->adopted_affinity);
        controls->adopted_group = outcome_worse(controls->adopted_group, ended->adopted_group);
        controls->memory_bound = outcome_worse(controls->memory_bound, ended->memory_bound);
        controls->tasks_bound = outcome_worse(controls->tasks_bound, ended->tasks_bound);
        controls->memory_max_bytes = ended->memory_max_bytes;
        controls->address_space_max_bytes = ended->address_space_max_bytes;
        controls->tasks_max = ended->tasks_max;
        for (uint32_t i = 0; i < ended->n_controls; i++)
                controls_note(controls, &ended->controls[i]);
        if (ended->isolation > controls->isolation && ended->isolation <= OPS_ISOLATION_NONE)
                controls->isolation = ended->isolation;
        controls->shared_caches |= ended->shared_caches;
        CPU_OR(&controls->cpus, &controls->cpus, &ended->cpus);
        CPU_OR(&controls->lost, &controls->lost, &ended->lost);
        if (ended->affinity == OPS_OUTCOME_OVERRIDDEN && CPU_COUNT(&ended->lost) == 0)
                CPU_OR(&controls->left, &controls->left, &ended->cpus);
}

void machine_controls_add_image(MachineControls *controls, uint32_t side, const SampleBlock *block) {
        uint32_t outcome = sample_image_is_moved(block->image_state) ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_UNSUPPORTED;

        if (block->image_state == IMAGE_AS_LINKED)
                return;
        controls->code_offset = outcome_worse(controls->code_offset, outcome);
        controls->image_states[side] = block->image_state;
}

int machine_controls_shared_cpu(const MachineControls *controls, const OpsMachine *machine) {
        int cpu = machine->housekeeping;

        return cpu < CPU_SETSIZE && CPU_ISSET(cpu, &controls->cpus) ? cpu : -1;
}

bool machine_controls_lost_a_cpu(const MachineControls *controls) {
        return CPU_COUNT(&controls->lost) + CPU_COUNT(&controls->left) > 0;
}

/* ---- in words */

const char *machine_controls_outcome_name(uint32_t outcome) {
        static const char *const names[] = {
                [OPS_OUTCOME_APPLIED] = "applied",
                [OPS_OUTCOME_ALREADY] = "already",
                [OPS_OUTCOME_UNSUPPORTED] = "unsupported",
                [OPS_OUTCOME_DENIED] = "denied",
                [OPS_OUTCOME_OVERRIDDEN] = "overridden",
                [OPS_OUTCOME_OMITTED] = "omitted",
        };

        return outcome < N_ELEMENTS(names) && names[outcome] ? names[outcome] : "unknown";
}

static bool is_tuning(const OpsControl *control) {
        return strcmp(control->name, control_name(CONTROL_TUNING)) == 0;
}

/* The names of the controls with @outcome, separated by commas; an empty text if there are none. That of tuning has words of its own. */
static const char *names_of(const MachineControls *controls, uint32_t outcome, char words[static WORDS_MAX]) {
        size_t n = 0;

        words[0] = 0;
        for (uint32_t i = 0; i < controls->n_controls && n < WORDS_MAX; i++)
                if (controls->controls[i].outcome == outcome && !is_tuning(&controls->controls[i]))
                        n += snprintf(words + n, WORDS_MAX - n, "%s%s", n > 0 ? ", " : "", controls->controls[i].name);
        return words;
}

static void warn_of_caches(uint32_t levels, Arena *arena, ArenaList *warnings) {
        for (unsigned level = 1; level < 32; level++)
                if (levels & 1u << level)
                        arena_list_add(warnings, arena,
                                        "its CPUs share an L%u cache with other runs that were measured meanwhile",
                                        level);
}

static void warn_of_cpus(const MachineControls *controls, Arena *arena, ArenaList *warnings) {
        const struct {
                const cpu_set_t *cpus;
                const char *text;
        } rows[] = {
                { &controls->lost,
                                "CPU %s was switched off while a runner measured on it: the rest ran on other CPUs" },
                { &controls->left, "a runner did not stay on its CPU %s: the module left it, or another program moved "
                                   "it" },
        };
        char list[WORDS_MAX];

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (CPU_COUNT(rows[i].cpus) > 0 && cpu_list_format(rows[i].cpus, list, sizeof list) < sizeof list)
                        arena_list_add(warnings, arena, rows[i].text, list);
}

/* A control of a CPU that is off could not be read; the CPU's own warning covers it. */
static void warn_of_overridden(const MachineControls *controls, Arena *arena, ArenaList *warnings) {
        for (uint32_t i = 0; i < controls->n_controls; i++)
                if (controls->controls[i].outcome == OPS_OUTCOME_OVERRIDDEN && !controls->controls[i].cpu_off)
                        arena_list_add(warnings, arena,
                                        "%s was set and reads '%s': clamped by the kernel, or changed by another "
                                        "program",
                                        controls->controls[i].name, controls->controls[i].is);
}

static void warn_of_tuning(const MachineControls *controls, Arena *arena, ArenaList *warnings) {
        for (uint32_t i = 0; i < controls->n_controls; i++)
                if (is_tuning(&controls->controls[i]) && controls->controls[i].outcome != OPS_OUTCOME_ALREADY)
                        arena_list_add(warnings, arena, "the machine's settings were left as they are (%s%s%s)",
                                        controls->controls[i].is, controls->controls[i].was[0] ? ", " : "",
                                        controls->controls[i].was);
}

void machine_controls_warn(const MachineControls *controls, Arena *arena, ArenaList *warnings) {
        char words[WORDS_MAX], stack[AMOUNT_TEXT_MAX];

        if (controls->stack == OPS_OUTCOME_DENIED)
                arena_list_add(warnings, arena,
                                "the stack is smaller than --stack: %s is the daemon's own hard limit (ulimit -Hs, or LimitSTACK= "
                                "of benchd-launch.service)",
                                amount_bytes(controls->stack_bytes, 4, stack));
        warn_of_cpus(controls, arena, warnings);
        warn_of_tuning(controls, arena, warnings);
        if (names_of(controls, OPS_OUTCOME_DENIED, words)[0])
                arena_list_add(warnings, arena, "settings that could not be changed, and are left as found: %s", words);
        warn_of_overridden(controls, arena, warnings);
        warn_of_caches(controls->shared_caches, arena, warnings);
}

void machine_controls_warn_replay(const OpsReplay *replay, Arena *arena, ArenaList *warnings) {
        if (replay->absent)
                arena_list_add(warnings, arena, "no place for a restore journal: runs leave the machine as it is");
        if (replay->corrupt)
                arena_list_add(warnings, arena,
                                "the restore journal of a killed daemon was damaged: not all of its changes of the "
                                "machine are undone");
        if (replay->foreign > 0)
                arena_list_add(warnings, arena,
                                "%u values changed by a killed daemon were changed again since, by other programs: "
                                "left as they are",
                                replay->foreign);
        if (replay->refused > 0)
                arena_list_add(warnings, arena, "%u values changed by a killed daemon could not be restored",
                                replay->refused);
}
