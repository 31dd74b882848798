/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/load/abi.h"

#include <benchd/bench.h>

#include <string.h>

#include "runner/load/own-memory.h"
#include "runner/watch/report.h"

/* Sizes at the freeze of the ABI. */
#define ABI_MODULE_BYTES     56u
#define ABI_DESCRIPTOR_BYTES 1104u
#define ABI_AREA_BYTES       32u

static uint32_t size_of(const void *sized) {
        return *(const uint32_t *)sized;
}

void **abi_widen(const void *const *from, size_t n, size_t size) {
        const size_t stride = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
        const size_t head = (n * sizeof(void *) + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
        char *memory = own_memory_new(head + n * stride);
        void **to = (void **)memory;

        if (!memory)
                return NULL;
        for (size_t i = 0; i < n; i++) {
                to[i] = memory + head + i * stride;
                memcpy(to[i], from[i], size_of(from[i]) < size ? size_of(from[i]) : size);
        }
        return to;
}

static bool abi_check_number(const struct bench_module *tables, BlockHead *head) {
        if (tables->abi != BENCH_ABI) {
                report_end(head, RUNNER_END_ABI, "it has ABI %u, this benchd has ABI %u", tables->abi, BENCH_ABI);
                return false;
        }
        if (tables->size < ABI_MODULE_BYTES) {
                report_end(head, RUNNER_END_ABI, "tables of %u bytes, not %u or more", tables->size, ABI_MODULE_BYTES);
                return false;
        }
        if (tables->revision > BENCH_REVISION)
                report_end(head, RUNNER_END_ABI,
                                "with a later one, of revision %u, than this benchd's, of %u: or update benchd",
                                tables->revision, BENCH_REVISION);
        return tables->revision <= BENCH_REVISION;
}

/* True if all structs of a table are as large as when the ABI was frozen, at least. */
static bool abi_check_sizes(const void *const *table, size_t n, uint32_t least, const char *what, BlockHead *head) {
        for (size_t i = 0; i < n; i++) {
                if (size_of(table[i]) >= least)
                        continue;
                report_end(head, RUNNER_END_ABI, "%s of %u bytes, not %u or more", what, size_of(table[i]), least);
                return false;
        }
        return true;
}

static bool abi_is_uniform(const void *const *table, size_t n, size_t size) {
        for (size_t i = 0; i < n; i++)
                if (size_of(table[i]) != size)
                        return false;
        return true;
}

/* Returns the table, or copies if its structs are not of @size bytes; NULL if there is no memory. */
static void *abi_adopt_table(const void *table, size_t n, size_t size) {
        return abi_is_uniform(table, n, size) ? (void *)table : abi_widen(table, n, size);
}

static const struct bench_module *abi_copy(const struct bench_module *tables, size_t n_descriptors, size_t n_areas) {
        struct bench_module *copy = own_memory_new(sizeof *copy);

        if (!copy)
                return NULL;
        memcpy(copy, tables, tables->size < sizeof *copy ? tables->size : sizeof *copy);
        copy->descriptors = abi_adopt_table(tables->descriptors, n_descriptors, sizeof(struct bench_descriptor));
        copy->areas = abi_adopt_table(tables->areas, n_areas, sizeof(struct bench_area));
        if ((n_descriptors > 0 && !copy->descriptors) || (n_areas > 0 && !copy->areas))
                return NULL;
        copy->descriptors_end = copy->descriptors + n_descriptors;
        copy->areas_end = copy->areas + n_areas;
        return copy;
}

const struct bench_module *abi_adopt(const struct bench_module *tables, BlockHead *head) {
        const struct bench_module *copy;
        size_t n_descriptors, n_areas;

        if (!abi_check_number(tables, head))
                return NULL;
        n_descriptors = tables->descriptors_end - tables->descriptors;
        n_areas = tables->areas_end - tables->areas;
        if (n_descriptors > LISTING_ENTRIES_MAX || n_areas > LISTING_ENTRIES_MAX) {
                report_end(head, RUNNER_END_BAD_DESCRIPTOR, "it holds %zu benchmarks in %zu areas, of at most %u",
                                n_descriptors, n_areas, LISTING_ENTRIES_MAX);
                return NULL;
        }
        if (!abi_check_sizes((const void *const *)tables->descriptors, n_descriptors, ABI_DESCRIPTOR_BYTES,
                            "a descriptor", head) ||
                        !abi_check_sizes((const void *const *)tables->areas, n_areas, ABI_AREA_BYTES, "an area", head))
                return NULL;
        copy = abi_copy(tables, n_descriptors, n_areas);
        if (!copy)
                report_end(head, RUNNER_END_INTERNAL, "no memory for its tables");
        return copy;
}
