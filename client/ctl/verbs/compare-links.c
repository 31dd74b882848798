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

#define LINKS       20u /* by default: one for each process */
#define LINKS_QUICK 4u

/*
 * Each process of a comparison runs another link of the sources, so that the interval covers the places that the linker gives to functions:
 * these alone set builds of equal code apart by more than the interval of one build.
 */
static uint32_t count_links(const Settings *settings) {
        const char *processes = settings_given(settings, "processes");
        unsigned long n = LINKS;

        if (settings->links)
                return strtoul(settings->links, NULL, 10);
        if (processes)
                n = strtoul(processes, NULL, 10);
        else if (settings_given(settings, "quick"))
                n = LINKS_QUICK;
        return n < 1 ? 1 : n < MODULE_LINKS_MAX ? n : MODULE_LINKS_MAX;
}

int compare_links_choose(const Settings *settings, const char *path, unsigned side, CompileLinks *ret_links) {
        CompileLinks links = { .n = 1, .side = side };
        char typed[32];
        int r;

        if (module_parts_are_built(path)) {
                links.n = count_links(settings);
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
