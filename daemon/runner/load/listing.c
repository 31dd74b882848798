/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "runner/load/listing.h"

#include <benchd/bench.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/load/module.h"
#include "runner/watch/report.h"

static void listing_text(char text[static LISTING_TEXT_MAX], const char *from) {
        snprintf(text, LISTING_TEXT_MAX, "%s", from ? from : "");
}

static void listing_axes(ListingEntry *entry, const struct bench_args *args) {
        for (size_t i = 0; i < BENCH_AXES_MAX; i++) {
                if (args->axes[i].name)
                        module_axis_list(&args->axes[i], &entry->axes[entry->n_axes++]);
        }
}

static void listing_threads(ListingEntry *entry, const struct bench_thread_counts *threads) {
        for (size_t i = 0; i < BENCH_THREADS_MAX; i++)
                if (threads->counts[i] > 0)
                        entry->threads[entry->n_threads++] = threads->counts[i];
        if (entry->n_threads == 0)
                entry->threads[entry->n_threads++] = 1;
}

static void listing_entry(const Module *module, const struct bench_descriptor *descriptor, ListingEntry *entry) {
        const struct bench_options *options = &descriptor->options;
        const struct bench_area *area;

        module_area(descriptor, entry->area);
        area = module_find_area(module, entry->area);
        snprintf(entry->name, sizeof entry->name, "%s", descriptor->name);
        listing_text(entry->title, options->title ? options->title : descriptor->name);
        listing_text(entry->about, options->about);
        listing_axes(entry, &options->args);
        listing_threads(entry, &options->threads);
        entry->hidden = (options->hidden ? LISTING_HIDDEN_ITSELF : 0) |
                        (area && area->options.hidden ? LISTING_HIDDEN_AREA : 0);
        entry->reference = options->reference;
        entry->iterations = options->iterations;
        entry->min_time_ns = options->min_time_ns;
        entry->samples = options->samples;
        entry->processes = options->processes;
        entry->warmup_ms = options->warmup_ms;
        entry->resets = options->reset != NULL;
        entry->cpus = options->cpus <= RUNNER_THREADS_MAX ? options->cpus : 0; /* too many are refused later */
        snprintf(entry->method, sizeof entry->method, "%s", options->method ? options->method : "");
}

/* Compilers order a section freely; readers expect the order of the file. */
static int compare_places(const void *a, const void *b) {
        const struct bench_descriptor *x = *(struct bench_descriptor *const *)a,
                                      *y = *(struct bench_descriptor *const *)b;
        int order = strcmp(x->file, y->file);

        return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* A row is identified by area, name and arguments, and a run finds its benchmark by area and name. */
static bool listing_refuse_equal(const ListingBlock *block, struct bench_descriptor *const *sorted, size_t n,
                BlockHead *head) {
        for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < i; k++) {
                        const ListingEntry *entry = &block->entries[i];

                        if (strcmp(entry->name, block->entries[k].name) != 0 ||
                                        strcmp(entry->area, block->entries[k].area) != 0)
                                continue;
                        report_end(head, RUNNER_END_BAD_DESCRIPTOR,
                                        "%s/%s is there twice, by %.150s:%u and %.150s:%u: give one of them another "
                                        "name or .area",
                                        entry->area, entry->name, sorted[k]->file, sorted[k]->line, sorted[i]->file,
                                        sorted[i]->line);
                        return true;
                }
        return false;
}

static bool listing_refuse_equal_threads(const ListingBlock *block, BlockHead *head) {
        for (const ListingEntry *entry = block->entries; entry < block->entries + block->n_entries; entry++)
                for (uint32_t i = 0; i < entry->n_threads; i++)
                        for (uint32_t k = 0; k < i; k++) {
                                if (entry->threads[k] != entry->threads[i])
                                        continue;
                                report_end(head, RUNNER_END_BAD_DESCRIPTOR,
                                                "%s/%s threads=%u is there twice: each count of BENCH_THREADS makes a "
                                                "separate row",
                                                entry->area, entry->name, entry->threads[i]);
                                return true;
                        }
        return false;
}

static bool listing_refuse_cpus(const ListingBlock *block, struct bench_descriptor *const *sorted, BlockHead *head) {
        for (uint32_t i = 0; i < block->n_entries; i++) {
                if (sorted[i]->options.cpus <= RUNNER_THREADS_MAX)
                        continue;
                report_end(head, RUNNER_END_BAD_DESCRIPTOR, "%s/%s: .cpus is %" PRIu32 ", of at most %u",
                                block->entries[i].area, block->entries[i].name, sorted[i]->options.cpus,
                                RUNNER_THREADS_MAX);
                return true;
        }
        return false;
}

/* True of a hidden area that no benchmark names: those meant to be hidden would run. */
static bool listing_refuse_empty_areas(const Module *module, const ListingBlock *block, BlockHead *head) {
        for (struct bench_area **area = module->tables->areas; area < module->tables->areas_end; area++) {
                bool found = !(*area)->options.hidden;

                for (uint32_t i = 0; !found && i < block->n_entries; i++)
                        found = strcmp(block->entries[i].area, (*area)->name) == 0;
                if (found)
                        continue;
                report_end(head, RUNNER_END_BAD_DESCRIPTOR,
                                "BENCH_AREA(%.100s, .hidden = 1) hides no benchmark: give each that belongs to it .area = "
                                "\"%.100s\"",
                                (*area)->name, (*area)->name);
                return true;
        }
        return false;
}

void listing_run(const Module *module, ListingBlock *block) {
        struct bench_descriptor *sorted[LISTING_ENTRIES_MAX];
        size_t n = module->tables->descriptors_end - module->tables->descriptors;

        memcpy(sorted, module->tables->descriptors, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_places);

        listing_text(block->compiler, module->tables->compiler);
        block->optimized = module->tables->optimized;
        for (size_t i = 0; i < n; i++)
                listing_entry(module, sorted[i], &block->entries[block->n_entries++]);
        if (listing_refuse_equal(block, sorted, n, &block->head) || listing_refuse_equal_threads(block, &block->head) ||
                        listing_refuse_cpus(block, sorted, &block->head) ||
                        listing_refuse_empty_areas(module, block, &block->head))
                return;
        report_end(&block->head, RUNNER_END_COMPLETE, "%s", "");
}
