/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Prints what a module registers, one line a thing, as the runner would find it: through dlopen() and the one symbol.
 */

#define BENCH_NO_MODULE
#include <benchd/bench.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *text(const char *string) {
        return string ? string : "-";
}

static void print_value(const struct bench_axis *axis, uint32_t i) {
        if (axis->kind == BENCH_AXIS_REALS)
                printf("%g", axis->reals[i]);
        else if (axis->kind == BENCH_AXIS_TEXTS)
                printf("%s", axis->texts[i]);
        else
                printf("%" PRId64, axis->values[i]);
}

static void print_axes(const struct bench_args *args) {
        for (size_t i = 0; i < BENCH_AXES_MAX; i++) {
                const struct bench_axis *axis = &args->axes[i];

                if (!axis->name)
                        continue;
                printf(" %s=", axis->name);
                if (axis->n_values == 0)
                        printf("%" PRId64 "..%" PRId64 "%c%" PRId64, axis->first, axis->last,
                                        axis->kind == BENCH_AXIS_LINEAR ? '+' : '*', axis->factor);
                for (uint32_t j = 0; j < axis->n_values; j++) {
                        fputs(j ? "," : "", stdout);
                        print_value(axis, j);
                }
        }
}

static void print_descriptor(const struct bench_descriptor *descriptor) {
        const struct bench_options *o = &descriptor->options;

        printf("bench %s size=%d run=%d file=%s title=%s about=%s area=%s", descriptor->name,
                        descriptor->size == sizeof *descriptor, descriptor->run != NULL, text(descriptor->file),
                        text(o->title), text(o->about), text(o->area));
        printf(" ops=%" PRIu64 " hidden=%u reference=%u functions=%d%d%d iterations=%" PRIu64
               " samples=%u processes=%u",
                        o->ops, o->hidden, o->reference, o->setup != NULL, o->teardown != NULL, o->reset != NULL,
                        o->iterations, o->samples, o->processes);
        printf(" min_time_ns=%" PRIu64 " warmup_ms=%u prime=%u method=%s cpus=%u threads=%u,%u,%u,%u", o->min_time_ns,
                        o->warmup_ms, o->prime, text(o->method), o->cpus, o->threads.counts[0], o->threads.counts[1],
                        o->threads.counts[2], o->threads.counts[3]);
        print_axes(&o->args);
        putchar('\n');
}

int main(int argc, char **argv) {
        const struct bench_module *module;
        void *library;

        if (argc != 2)
                return 2;
        library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
                fprintf(stderr, "%s\n", dlerror());
                return 1;
        }
        module = dlsym(library, "benchd_module");
        if (!module || dlsym(library, "__start_benchd_descriptors"))
                return 1;

        printf("module abi=%u size=%d optimized=%u\n", module->abi, module->size == sizeof *module, module->optimized);
        for (struct bench_area **area = module->areas; area < module->areas_end; area++)
                printf("area %s size=%d about=%s hidden=%u\n", (*area)->name, (*area)->size == sizeof **area,
                                text((*area)->options.about), (*area)->options.hidden);
        for (struct bench_descriptor **d = module->descriptors; d < module->descriptors_end; d++)
                print_descriptor(*d);
        return 0;
}
