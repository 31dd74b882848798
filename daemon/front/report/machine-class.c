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

/* Hypervisors tell one brand of several processors: "AMD EPYC" is a Zen 3 and a Zen 5. */
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

/*
 * The kernel tells the memory that is left beside itself, and equal machines differ in it: two guests of one size, with the same
 * kernel, have 24,684,100 and 24,682,416 kB (tests/machines). It keeps 64 bytes for each page of 4 KiB, so 1/64 of all, and its image,
 * tables and firmware's share besides: 1.9 % of 24 GiB there, 8.5 % of the 512 MiB of guest-qemu. So memory counts as the next
 * size above that is a multiple of an eighth of its power of two. Sizes that are sold are such multiples, and what is told lies well
 * below one; a border at a 64th would go right through it.
 */
static uint64_t memory_sold(uint64_t bytes) {
        const uint64_t step = bytes < 8 ? 1 : (UINT64_C(1) << (63 - __builtin_clzll(bytes))) / 8;

        return (bytes + step - 1) / step * step;
}

static const char *read_memory(Arena *arena, const Benchd__Environment *environment) {
        if (!environment->has_memory_bytes)
                return NULL;
        return arena_format(arena, "%.5g GiB", (double)memory_sold(environment->memory_bytes) / (1u << 30));
}

static const char *read_kernel(Arena *arena, const Benchd__Environment *environment) {
        return environment->kernel;
}

static const MachineFact facts[] = {
        { "cpu", "the CPU", read_cpu },
        { "model", "the CPU's model", read_model },
        { "microcode", "its microcode", read_microcode },
        { "caches", "the size of the caches", read_caches },
        { "processors", "the number of processors", read_processors },
        { "memory", "the memory", read_memory },
        { "kernel", "the kernel", read_kernel },
};

const MachineFact *machine_class_fact_at(size_t index) {
        return index < N_ELEMENTS(facts) ? &facts[index] : NULL;
}

/* ---- the class */

char *machine_class(Arena *arena, const Benchd__Environment *environment) {
        const MachineFact *fact;
        struct sha256_ctx state;
        char key[DIGEST_KEY_BYTES];

        sha256_init(&state);
        for (size_t i = 0; (fact = machine_class_fact_at(i)); i++)
                digest_add_fact(&state, fact->name, fact->read(arena, environment));
        digest_key(&state, key);
        return arena_format(arena, "%s", key);
}
