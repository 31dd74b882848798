/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/time/inputs.h"

#include <benchd/bench.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/load/own-memory.h"
#include "runner/watch/report.h"
#include "util/error.h"

#define INPUTS_CACHE_BYTES (256u << 10) /* if libc does not know the second-level cache */
#define INPUTS_MAX         (1u << 20)

struct Inputs {
        struct bench_inputs_wish wish;
        char *memory;
        size_t n_memory;
        uint32_t max;
};

static uint32_t inputs_fit(size_t size) {
        long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
        size_t fit = (cache > 0 ? (size_t)cache : INPUTS_CACHE_BYTES) / 2 / size;

        if (fit == 0)
                return 1;
        return fit < INPUTS_MAX ? fit : INPUTS_MAX;
}

int inputs_new(const struct bench_inputs_wish *wish, Inputs **ret_inputs) {
        uint32_t max = inputs_fit(wish->size);
        size_t n_memory = max * wish->size;
        Inputs *inputs;
        char *memory;

        memory = mmap(NULL, n_memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
                return error_origin(-errno);
        inputs = own_memory_new(sizeof *inputs);
        if (!inputs) {
                munmap(memory, n_memory);
                return error_origin(-ENOMEM);
        }
        *inputs = (Inputs){ .wish = *wish, .memory = memory, .n_memory = n_memory, .max = max };
        *ret_inputs = inputs;
        return 0;
}

Inputs *inputs_free(Inputs *inputs) {
        if (!inputs)
                return NULL;
        munmap(inputs->memory, inputs->n_memory);
        own_memory_free(inputs, sizeof *inputs);
        return NULL;
}

uint32_t inputs_max(const Inputs *inputs) {
        return inputs->max;
}

void inputs_fill(const Inputs *inputs, struct bench *b, uint64_t n) {
        for (uint64_t i = 0; i < n; i++)
                inputs->wish.fill(inputs->memory + i * inputs->wish.size, i, inputs->wish.ctx);
        b->input = inputs->memory;
        b->input_bytes = inputs->wish.size;
}

void inputs_drop(const Inputs *inputs, uint64_t n) {
        if (!inputs->wish.drop)
                return;
        for (uint64_t i = 0; i < n; i++)
                inputs->wish.drop(inputs->memory + i * inputs->wish.size, inputs->wish.ctx);
}

bool inputs_are_overdrawn(const Inputs *inputs, const struct bench *b, uint64_t n) {
        return (uintptr_t)b->input > (uintptr_t)inputs->memory + n * inputs->wish.size;
}

bool input_file_link(int fd, const char *name) {
        char target[32];

        snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
        return symlink(target, name) == 0;
}

bool input_files_link(const RunnerPlan *plan, int fd, BlockHead *head) {
        for (uint32_t i = 0; i < plan->n_inputs; i++) {
                if (input_file_link(fd + (int)i, plan->input_names[i]))
                        continue;
                report_end(head, RUNNER_END_INTERNAL, "the input %.64s: %s", plan->input_names[i], strerror(errno));
                return false;
        }
        return true;
}
