/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/machine-controls.h"

#include <stdio.h>
#include <string.h>

#include "front/base/message.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

#define WORDS_MAX 256u

bool outcome_is_worse(uint32_t b, uint32_t a) {
        static const uint8_t badness[] = {
                [OPS_OUTCOME_ALREADY] = 1,
                [OPS_OUTCOME_APPLIED] = 2,
                [OPS_OUTCOME_UNSUPPORTED] = 3,
                [OPS_OUTCOME_OVERRIDDEN] = 4,
                [OPS_OUTCOME_DENIED] = 5,
                [OPS_OUTCOME_OMITTED] = 6,
        };

        if (b >= N_ELEMENTS(badness))
                return false;
        return a >= N_ELEMENTS(badness) || badness[b] > badness[a];
}

const OpsControl *machine_controls_find(const MachineControls *of, const char *name) {
        for (uint32_t i = 0; i < of->n_controls; i++)
                if (strcmp(of->controls[i].name, name) == 0)
                        return &of->controls[i];
        return NULL;
}

static void controls_note(MachineControls *of, const OpsControl *control) {
        OpsControl *known = (OpsControl *)machine_controls_find(of, control->name);

        if (!known && of->n_controls < OPS_CONTROLS_MAX)
                of->controls[of->n_controls++] = *control;
        else if (known && outcome_is_worse(control->outcome, known->outcome))
                *known = *control;
}

void machine_controls_add(MachineControls *of, const OpsEnded *ended) {
        for (uint32_t i = 0; i < ended->n_controls; i++)
                controls_note(of, &ended->controls[i]);
        if (ended->isolation > of->isolation && ended->isolation <= OPS_ISOLATION_NONE)
                of->isolation = ended->isolation;
        of->shared_caches |= ended->shared_caches;
        CPU_OR(&of->lost, &of->lost, &ended->lost);
        if (ended->affinity == OPS_OUTCOME_OVERRIDDEN && CPU_COUNT(&ended->lost) == 0)
                CPU_OR(&of->left, &of->left, &ended->cpus);
}

/* ---- in words */

/* The names of those with @outcome, a comma between any two; an empty text if there are none. */
static const char *names_of(const MachineControls *of, uint32_t outcome, char words[static WORDS_MAX]) {
        size_t n = 0;

        words[0] = 0;
        for (uint32_t i = 0; i < of->n_controls && n < WORDS_MAX; i++)
                if (of->controls[i].outcome == outcome)
                        n += snprintf(words + n, WORDS_MAX - n, "%s%s", n > 0 ? ", " : "", of->controls[i].name);
        return words;
}

static void warn_of_caches(uint32_t levels, Arena *arena, TextList *warnings) {
        for (unsigned level = 1; level < 32; level++)
                if (levels & 1u << level)
                        text_list_add(warnings, arena,
                                        "its CPUs share an L%u cache with what else was measured meanwhile", level);
}

bool machine_controls_tell_cpus(const MachineControls *of) {
        return CPU_COUNT(&of->lost) + CPU_COUNT(&of->left) > 0;
}

static void warn_of_cpus(const MachineControls *of, Arena *arena, TextList *warnings) {
        const struct {
                const cpu_set_t *cpus;
                const char *text;
        } rows[] = {
                { &of->lost, "CPU %s was switched off while a runner measured on it: the rest ran on other CPUs" },
                { &of->left, "a runner did not stay on its CPU %s: the module left it, or another program moved it" },
        };
        char list[WORDS_MAX];

        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (CPU_COUNT(rows[i].cpus) > 0 && cpu_list_format(rows[i].cpus, list, sizeof list) < sizeof list)
                        text_list_add(warnings, arena, rows[i].text, list);
}

/* What could not be read since its CPU is off is told with that CPU. */
static void warn_of_overridden(const MachineControls *of, Arena *arena, TextList *warnings) {
        for (uint32_t i = 0; i < of->n_controls; i++)
                if (of->controls[i].outcome == OPS_OUTCOME_OVERRIDDEN && !of->controls[i].cpu_off)
                        text_list_add(warnings, arena,
                                        "%s was set and reads '%s': clamped by the kernel, or changed by another program",
                                        of->controls[i].name, of->controls[i].is);
}

void machine_controls_warn(const MachineControls *of, Arena *arena, TextList *warnings) {
        char words[WORDS_MAX];

        warn_of_cpus(of, arena, warnings);
        if (names_of(of, OPS_OUTCOME_DENIED, words)[0])
                text_list_add(warnings, arena, "the machine is as it was found, since it could not be changed, in: %s",
                                words);
        warn_of_overridden(of, arena, warnings);
        warn_of_caches(of->shared_caches, arena, warnings);
}

void replay_warn(const OpsReplay *replay, Arena *arena, TextList *warnings) {
        if (replay->absent)
                text_list_add(warnings, arena,
                                "there is no place for a restore journal, so nothing of the machine is changed for a run");
        if (replay->corrupt)
                text_list_add(warnings, arena,
                                "the restore journal of a daemon that was killed was damaged: what that had changed is not "
                                "put back");
        if (replay->foreign > 0)
                text_list_add(warnings, arena,
                                "%u values that a killed daemon had changed are somebody else's now: left alone",
                                replay->foreign);
        if (replay->refused > 0)
                text_list_add(warnings, arena, "%u values that a killed daemon had changed could not be put back",
                                replay->refused);
}
