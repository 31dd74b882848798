/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/listing.h"

#include <string.h>

#include "front/base/message.h"
#include "front/plan/chosen.h"
#include "ops/arguments.h"
#include "util/error.h"

/* Writes the @n values of @axis into the list of their kind. */
static int fill_argument(Arena *arena, const ListingAxis *axis, size_t n, Benchd__Argument *argument) {
        void *list = arena_zero(arena, n * sizeof(uint64_t));

        if (!list)
                return error_origin(-ENOMEM);
        if (axis->kind == ARGUMENT_REAL) {
                argument->n_reals = n;
                argument->reals = memcpy(list, axis->reals, n * sizeof *axis->reals);
        } else if (axis->kind == ARGUMENT_TEXT) {
                argument->n_texts = n;
                argument->texts = list;
                for (size_t i = 0; i < n; i++)
                        argument->texts[i] = arena_text(arena, axis->texts[i]);
        } else {
                argument->n_values = n;
                argument->values = list;
                for (size_t i = 0; i < n; i++)
                        argument->values[i] = arguments_axis_value(axis, i).integer;
        }
        return 0;
}

static int build_argument(Arena *arena, const ListingAxis *axis, Benchd__Argument **ret_argument) {
        Benchd__Argument *argument = message_new(arena, Benchd__Argument, benchd__argument);

        if (!argument)
                return error_origin(-ENOMEM);
        argument->name = arena_text(arena, axis->name);
        *ret_argument = argument;
        return error_trace(fill_argument(arena, axis, arguments_axis_count(axis), argument));
}

static int build_arguments(Arena *arena, const ListingEntry *entry, Benchd__BenchmarkInfo *info) {
        info->args = arena_zero(arena, RUNNER_ARGS_MAX * sizeof *info->args);
        if (!info->args)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < entry->n_axes; i++) {
                int r = build_argument(arena, &entry->axes[i], &info->args[i]);

                if (r)
                        return error_trace(r);
                info->n_args++;
        }
        return 0;
}

static int build_info(Arena *arena, const ListingEntry *entry, Benchd__BenchmarkInfo **ret_info) {
        Benchd__BenchmarkInfo *info = message_new(arena, Benchd__BenchmarkInfo, benchd__benchmark_info);

        if (!info)
                return error_origin(-ENOMEM);
        info->area = arena_text(arena, entry->area);
        info->name = arena_text(arena, entry->name);
        info->title = arena_text(arena, entry->title);
        info->about = arena_text(arena, entry->about);
        if (entry->cpus > 0)
                message_set(info, cpus, entry->cpus);
        info->method = *entry->method ? arena_text(arena, entry->method) : NULL;
        message_set(info, hidden, entry->hidden != 0);
        info->threads = arena_zero(arena, LISTING_THREADS_MAX * sizeof *info->threads);
        if (!info->threads)
                return error_origin(-ENOMEM);
        memcpy(info->threads, entry->threads, entry->n_threads * sizeof *info->threads);
        info->n_threads = entry->n_threads;
        *ret_info = info;
        return error_trace(build_arguments(arena, entry, info));
}

int listing_build(Arena *arena, const ListingBlock *block, const Chosen *chosen, Benchd__Listing **ret_listing) {
        Benchd__Listing *listing = message_new(arena, Benchd__Listing, benchd__listing);
        ArenaList warnings = {};

        if (!listing)
                return error_origin(-ENOMEM);
        listing->benchmarks = arena_zero(arena, LISTING_ENTRIES_MAX * sizeof *listing->benchmarks);
        if (!listing->benchmarks)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < block->n_entries; i++) {
                int r;

                if (chosen_count(chosen, i) == 0)
                        continue;
                r = build_info(arena, &block->entries[i], &listing->benchmarks[listing->n_benchmarks]);
                if (r)
                        return error_trace(r);
                listing->n_benchmarks++;
        }
        if (chosen_unmatched(chosen))
                arena_list_add(&warnings, arena, CHOSEN_UNMATCHED_WARNING, "", chosen_unmatched(chosen));
        listing->warnings = warnings.texts;
        listing->n_warnings = warnings.n;
        *ret_listing = listing;
        return error_trace(arena_check(arena));
}
