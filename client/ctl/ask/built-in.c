/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/built-in.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/installed.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/nearest.h"
#include "util/text-stream.h"

struct BuiltIn {
        char path[PATH_MAX];
        EmbeddedSources *sources;
        char (*areas)[EMBEDDED_AREA_MAX];
        size_t n_areas;
};

static bool has_area(const BuiltIn *built_in, const char *name, size_t n_name) {
        for (size_t i = 0; i < built_in->n_areas; i++)
                if (strlen(built_in->areas[i]) == n_name && memcmp(built_in->areas[i], name, n_name) == 0)
                        return true;
        return false;
}

/* Several sources may have one area. */
static int find_areas(BuiltIn *built_in) {
        const EmbeddedSource *source;
        size_t n = 0;

        while (embedded_source_at(built_in->sources, n))
                n++;
        built_in->areas = calloc(n + 1, sizeof *built_in->areas);
        if (!built_in->areas)
                return error_origin(-ENOMEM);
        for (size_t i = 0; (source = embedded_source_at(built_in->sources, i)); i++) {
                char *area = built_in->areas[built_in->n_areas];

                if (embedded_source_area(source, area) && !has_area(built_in, area, strlen(area)))
                        built_in->n_areas++;
        }
        return 0;
}

int built_in_find(BuiltIn **ret_built_in) {
        _cleanup_(built_in_freep) BuiltIn *built_in = calloc(1, sizeof *built_in);
        int r;

        if (!built_in)
                return error_origin(-ENOMEM);
        r = installed_find(INSTALLED_SUITES, built_in->path);
        if (r == INSTALLED_E_MISSING)
                return BUILT_IN_E_MISSING;
        if (r)
                return error_trace(r);
        if (embedded_sources_read(built_in->path, &built_in->sources) == 0) { /* if not, loading it will report why */
                r = find_areas(built_in);
                if (r)
                        return error_trace(r);
        }
        *ret_built_in = take_pointer(built_in);
        return 0;
}

BuiltIn *built_in_free(BuiltIn *built_in) {
        if (!built_in)
                return NULL;
        embedded_sources_free(built_in->sources);
        free(built_in->areas);
        free(built_in);
        return NULL;
}

int built_in_complain(void) {
        complain("The built-in benchmarks were not built or not installed: %s is neither beside benchctl nor in %s.",
                        installed_name(INSTALLED_SUITES), BENCHD_SUITESDIR);
        complain_hint("Build them: meson configure build -Dsuites=enabled && ninja -C build");
        complain_hint("Or name a module of your own: benchctl run mybench.c");
        return EXIT_USAGE;
}

const char *built_in_path(const BuiltIn *built_in) {
        return built_in->path;
}

const EmbeddedSources *built_in_sources(const BuiltIn *built_in) {
        return built_in->sources;
}

const char *built_in_area_at(const BuiltIn *built_in, size_t index) {
        return index < built_in->n_areas ? built_in->areas[index] : NULL;
}

bool built_in_knows_areas(const BuiltIn *built_in) {
        return built_in->n_areas > 0;
}

bool built_in_has(const BuiltIn *built_in, const char *word) {
        return has_area(built_in, word, strcspn(word, "/"));
}

const char *built_in_nearest(const BuiltIn *built_in, const char *word) {
        Nearest nearest = { .word = word };

        for (size_t i = 0; i < built_in->n_areas; i++)
                nearest_offer(&nearest, built_in->areas[i]);
        return nearest.name;
}

char *built_in_areas(const BuiltIn *built_in) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        for (size_t i = 0; i < built_in->n_areas; i++)
                fprintf(out, "%s%s", i ? ", " : "", built_in->areas[i]);
        return built_in->n_areas > 0 ? text_stream_take(&text) : NULL;
}
