/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/machine-class.h"

#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <string.h>

#include "front/base/digest.h"
#include "util/amount.h"
#include "util/cleanup.h"

/* ---- facts */

static const char *read_cpu(Arena *arena, const Benchd__Environment *environment) {
        return environment->cpu ? environment->cpu->brand : NULL;
}

/* Hypervisors report the same brand for several processors: "AMD EPYC" is a Zen 3 and a Zen 5. */
static const char *read_model(Arena *arena, const Benchd__Environment *environment) {
        const Benchd__Cpu *cpu = environment->cpu;

        if (!cpu || !cpu->has_family)
                return NULL;
        return arena_format(arena, "family %" PRIu32 ", model %" PRIu32 ", stepping %" PRIu32, cpu->family, cpu->model,
                        cpu->stepping);
}

static const char *read_microcode(Arena *arena, const Benchd__Environment *environment) {
        return environment->cpu ? environment->cpu->microcode : NULL;
}

/* "L1 data 32 KiB, L3 16 MiB" */
static const char *read_caches(Arena *arena, const Benchd__Environment *environment) {
        const Benchd__Cpu *cpu = environment->cpu;
        const char *text = NULL;

        for (size_t i = 0; cpu && i < cpu->n_caches; i++) {
                const Benchd__Cache *cache = cpu->caches[i];
                const bool unified = !cache->kind || strcmp(cache->kind, "unified") == 0;
                char size[AMOUNT_TEXT_MAX];

                text = arena_format(arena, "%s%sL%" PRIu32 "%s%s %s", text ? text : "", text ? ", " : "", cache->level,
                                unified ? "" : " ", unified ? "" : cache->kind,
                                amount_bytes(cache->size_bytes, 4, size));
        }
        return text;
}

static const char *read_processors(Arena *arena, const Benchd__Environment *environment) {
        return environment->has_processors ? arena_format(arena, "%" PRIu32, environment->processors) : NULL;
}

static const char *read_memory(Arena *arena, const Benchd__Environment *environment) {
        if (!environment->has_memory_bytes)
                return NULL;
        return arena_format(arena, "%.5g GiB", (double)condition_memory_bytes(environment->memory_bytes) / (1u << 30));
}

static const char *read_kernel(Arena *arena, const Benchd__Environment *environment) {
        return environment->kernel;
}

static const char *(*const readers[_CONDITION_KIND_N])(Arena *arena, const Benchd__Environment *environment) = {
        [CONDITION_CPU] = read_cpu,
        [CONDITION_MODEL] = read_model,
        [CONDITION_MICROCODE] = read_microcode,
        [CONDITION_CACHES] = read_caches,
        [CONDITION_PROCESSORS] = read_processors,
        [CONDITION_MEMORY] = read_memory,
        [CONDITION_KERNEL] = read_kernel,
};

const char *machine_class_fact(ConditionKind kind, Arena *arena, const Benchd__Environment *environment) {
        return readers[kind](arena, environment);
}

/* ---- the class */

char *machine_class(Arena *arena, const Benchd__Environment *environment) {
        struct sha256_ctx state;
        char key[DIGEST_KEY_BYTES];

        sha256_init(&state);
        for (ConditionKind i = CONDITION_CPU; i < _CONDITION_KIND_N; i++)
                digest_add_fact(&state, condition_name(i), machine_class_fact(i, arena, environment));
        digest_key(&state, key);
        return arena_format(arena, "%s", key);
}
