/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/clock-step.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/json-path.h"
#include "util/time.h"

double clock_step_of(const json_t *result, const json_t *row) {
        const json_t *processes = json_at(row, "processes");
        const char *clock = json_text_at(row, "clock");
        double ticks, hz, operations = 1, step = 0;
        const json_t *process;

        if ((clock && strcmp(clock, "wall") != 0) || json_flag_at(row, "manual_time") ||
                        !json_number_at(result, "environment.tsc.quantum_ticks", &ticks) ||
                        !json_number_at(result, "environment.tsc.hz", &hz) || hz <= 0)
                return 0;
        (void)json_number_at(row, "ops_per_iteration", &operations);
        json_each(i, process, processes) {
                double median_ns, iterations;

                if (json_number_at(process, "median_ns", &median_ns) && median_ns > 0 &&
                                json_number_at(process, "iterations", &iterations) && iterations > 0)
                        step = fmax(step, ticks / hz * (double)NS_PER_S / (iterations * operations * median_ns));
        }
        return step;
}
