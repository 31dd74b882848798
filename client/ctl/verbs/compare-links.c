/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/verbs/compare-links.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchd/client.h"
#include "ctl/ask/compile.h"
#include "ctl/ask/module-parts.h"
#include "ctl/ask/run-seed.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/model/settings.h"
#include "util/module-links.h"

#define LINKS       32u /* by default: one for each pair of processes that there may be */
#define LINKS_QUICK 4u
#define LINKS_ROUND 8u /* for each of several rounds, while there are as many */

/*
 * Each process of a comparison runs another link of the sources, so that the interval covers the places that the linker gives to functions:
 * these alone set builds of equal code apart by more than the interval of one build.
 */
static uint32_t count_links(const Settings *settings) {
        const char *fixed = settings_given(settings, "processes"), *most = settings_given(settings, "max-processes");
        const char *processes = fixed ? fixed : most;
        unsigned long n = LINKS;

        if (settings->links)
                return strtoul(settings->links, NULL, 10);
        if (processes)
                n = strtoul(processes, NULL, 10);
        else if (settings_given(settings, "quick"))
                n = LINKS_QUICK;
        return n < 1 ? 1 : n < MODULE_LINKS_MAX ? n : MODULE_LINKS_MAX;
}

/* Each round has links of its own, so there are as many for each: process k of round i runs number k × rounds + i. */
static uint32_t count_links_of_rounds(const Settings *settings) {
        const char *typed = settings_given(settings, "rounds");
        const uint32_t n = count_links(settings), n_rounds = typed ? strtoul(typed, NULL, 10) : 1;
        const uint32_t most = n_rounds > 0 ? MODULE_LINKS_MAX / n_rounds : 0;
        uint32_t each = n < LINKS_ROUND ? n : LINKS_ROUND;

        if (most == 0 || n_rounds == 1 || n == 1)
                return n;
        if (settings->links)
                each = (n + n_rounds - 1) / n_rounds;
        return n_rounds * (each < most ? each : most);
}

int compare_links_choose(const Settings *settings, const char *path, unsigned side, CompileLinks *ret_links) {
        CompileLinks links = { .n = 1, .side = side };
        char typed[32];
        int r;

        if (module_parts_are_built(path)) {
                links.n = count_links_of_rounds(settings);
                r = run_seed(settings, &links.seed);
                snprintf(typed, sizeof typed, "%" PRIu64, links.seed);
                if (r == 0)
                        r = benchd_options_set(settings->options, "seed", typed);
                if (r) {
                        complain("Cannot draw a seed: %s.", benchd_error_string(r));
                        return EXIT_MACHINE;
                }
        }
        *ret_links = links;
        return 0;
}
