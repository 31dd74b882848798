/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/scale.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/model/columns.h"
#include "ctl/model/log-time.h"
#include "ctl/model/times.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

/* "area/name/arg=value", as the daemon writes it. Returns NULL if memory ran out. */
static char *path_of(const json_t *benchmark) {
        _cleanup_(text_stream_clear) TextStream path = {};

        row_print_path(benchmark, text_stream_open(&path));
        return text_stream_take(&path);
}

/* True if @path is @name, or goes on after it with arguments. */
static bool begins_with(const char *path, const char *name) {
        const size_t n = strlen(name);

        return strncmp(path, name, n) == 0 && (path[n] == '\0' || (path[n] == '/' && strchr(path + n, '=')));
}

/* An empty @name means the marked benchmarks. */
static bool is_called(const json_t *benchmark, const char *path, const char *name) {
        if (!*name)
                return json_flag_at(benchmark, "reference");
        return begins_with(strchr(path, '/') + 1, name) || (strchr(name, '/') && begins_with(path, name));
}

/* Finds the one of several of a name that is marked, or the only one. Returns 0, E_NONE, E_SEVERAL, or a negative errno. */
static int find_yardstick(const json_t *result, const char *name, Times *times) {
        const char *headline = columns_headline(result);
        size_t n = 0, n_marked = 0;
        const json_t *benchmark;

        result_each_row(i, benchmark, result) {
                _cleanup_(freep) char *path = path_of(benchmark);
                LogTime time = { .half = NAN };
                double ns;

                if (!path)
                        return error_origin(-ENOMEM);
                if (n_marked > 0 || !is_called(benchmark, path, name) || !json_number_at(benchmark, headline, &ns) ||
                                !(ns > 0))
                        continue;
                n++;
                n_marked += json_flag_at(benchmark, "reference");
                (void)log_time_of(json_at(benchmark, "time_ns"), &time);
                times->yardstick = benchmark;
                times->yardstick_ns = ns;
                times->yardstick_half = time.half;
        }
        if (n == 0)
                return SCALE_E_NONE;
        return n > 1 && n_marked == 0 ? SCALE_E_SEVERAL : 0;
}

int scale_find(Times *times, const json_t *result, const char *name) {
        Times scaled = *times;
        int r;

        if (!name && !json_text_at(result, "reference"))
                return 0;
        r = find_yardstick(result, name ? name : "", &scaled);
        if (r > 0)
                return name ? r : 0;
        if (r)
                return error_trace(r);
        *times = scaled;
        return 0;
}

void scale_print(const Times *times, const char *before, const char *after, FILE *out) {
        _cleanup_(freep) char *path = times_are_scaled(times) ? path_of(times->yardstick) : NULL;
        char text[UNIT_TEXT_MAX];

        if (path)
                fprintf(out, "%sScaled where %s = 1.0 (%s = 1.0 units)%s", before, strchr(path, '/') + 1,
                                unit_time_in(times->unit, times->yardstick_ns, text), after);
}
