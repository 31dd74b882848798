/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "inspect/descriptors.h"

#include <benchd/bench.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/image.h"
#include "ops/sample-block.h"
#include "util/cleanup.h"
#include "util/error.h"

/* A pointer within the file is the address that the loader would add its base to. */
static uint64_t address_of(const void *pointer) {
        return (uintptr_t)pointer;
}

/* The bytes of a descriptor that every revision has: up to the area. */
#define DESCRIPTOR_LEAST (offsetof(struct bench_descriptor, options.area) + sizeof(const char *))

static bool name_is_valid(const char *name) {
        return name && *name && strlen(name) < RUNNER_NAME_MAX;
}

static bool descriptor_read(const Image *image, uint64_t address, Descriptor *ret_descriptor) {
        const void *place = image_at(image, address, DESCRIPTOR_LEAST);
        const char *name, *file, *area;
        struct bench_descriptor own = {};

        if (!place)
                return false;
        memcpy(&own, place, DESCRIPTOR_LEAST);
        name = image_text(image, address_of(own.name));
        file = image_text(image, address_of(own.file));
        area = own.options.area ? image_text(image, address_of(own.options.area)) : NULL;
        if (own.size < DESCRIPTOR_LEAST || !name_is_valid(name) || !file || (own.options.area && !name_is_valid(area)))
                return false;
        *ret_descriptor = (Descriptor){
                .file = file,
                .title = own.options.title ? image_text(image, address_of(own.options.title)) : NULL,
                .about = own.options.about ? image_text(image, address_of(own.options.about)) : NULL,
                .line = own.line,
                .body = address_of((void *)own.run),
        };
        snprintf(ret_descriptor->name, sizeof ret_descriptor->name, "%s", name);
        if (area)
                snprintf(ret_descriptor->area, sizeof ret_descriptor->area, "%s", area);
        else
                runner_plan_area_of_file(file, ret_descriptor->area);
        return true;
}

static int compare_places(const void *a, const void *b) {
        const Descriptor *x = a, *y = b;
        const int order = strcmp(x->file, y->file);

        return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Those whose @n addresses stand at @pointers, which nothing aligns. */
static int descriptors_read_rows(const Image *image, const uint8_t *pointers, size_t n, Descriptors *descriptors) {
        descriptors->rows = calloc(n, sizeof *descriptors->rows);
        if (!descriptors->rows)
                return error_origin(-ENOMEM);
        for (; descriptors->n < n; descriptors->n++) {
                uint64_t address;

                memcpy(&address, pointers + descriptors->n * sizeof address, sizeof address);
                if (!descriptor_read(image, address, &descriptors->rows[descriptors->n]))
                        return DESCRIPTORS_E_BROKEN;
        }
        return 0;
}

int descriptors_read(const Image *image, Descriptors *ret_descriptors) {
        struct bench_module tables;
        const uint8_t *pointers;
        const void *place;
        uint64_t address;
        size_t n_bytes;
        int r;

        *ret_descriptors = (Descriptors){};
        if (!image_find_export(image, "benchd_module", &address))
                return DESCRIPTORS_E_NONE;
        place = image_at(image, address, sizeof tables);
        if (!place)
                return DESCRIPTORS_E_BROKEN;
        memcpy(&tables, place, sizeof tables);
        if (tables.abi != BENCH_ABI)
                return DESCRIPTORS_E_BROKEN;
        ret_descriptors->compiler = image_text(image, address_of(tables.compiler));
        ret_descriptors->optimized = tables.optimized;
        n_bytes = address_of(tables.descriptors_end) - address_of(tables.descriptors);
        if (n_bytes == 0)
                return DESCRIPTORS_E_NONE;
        if (n_bytes % sizeof(uint64_t) || n_bytes / sizeof(uint64_t) > LISTING_ENTRIES_MAX)
                return DESCRIPTORS_E_BROKEN;
        pointers = image_at(image, address_of(tables.descriptors), n_bytes);
        if (!pointers)
                return DESCRIPTORS_E_BROKEN;
        r = descriptors_read_rows(image, pointers, n_bytes / sizeof(uint64_t), ret_descriptors);
        if (r)
                return error_trace(r);
        qsort(ret_descriptors->rows, ret_descriptors->n, sizeof *ret_descriptors->rows, compare_places);
        return 0;
}

void descriptors_clear(Descriptors *descriptors) {
        free(descriptors->rows);
        *descriptors = (Descriptors){};
}
