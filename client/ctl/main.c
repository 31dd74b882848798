/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchctl: asks the daemon to measure, and shows its answers. It holds no privilege and times nothing.
 */

#include <locale.h>
#include <stdio.h>

#include "benchd/client.h"
#include "ctl/complain.h"
#include "ctl/exit.h"
#include "ctl/interrupt.h"
#include "ctl/settings.h"
#include "ctl/verb.h"
#include "util/cleanup.h"

static int usage(const Settings *settings) {
        complain("%s.", settings->problem);
        if (settings->verb)
                complain_hint("'benchctl %s --help' lists its options.", settings->verb->name);
        else
                complain_hint("'benchctl --help' lists the commands.");
        return EXIT_USAGE;
}

static int run(const Settings *settings) {
        int r;

        if (settings->version) {
                printf("benchctl %s\n", BENCHD_VERSION);
                return EXIT_DONE;
        }
        if (settings->help) {
                settings_print_help(settings->verb, stdout);
                return EXIT_DONE;
        }
        r = interrupt_install();
        if (r) {
                complain("Cannot catch signals: %s.", benchd_error_string(r));
                return EXIT_MACHINE;
        }
        return settings->verb->run(settings);
}

int main(int argc, char **argv) {
        _cleanup_(settings_clear) Settings settings;
        int r;

        setlocale(LC_CTYPE, ""); /* tells whether the terminal shows more than ASCII */
        r = settings_parse(&settings, (const char *const *)argv);
        if (r == SETTINGS_E_USAGE)
                return usage(&settings);
        if (r) {
                complain("Cannot start: %s.", benchd_error_string(r));
                return EXIT_MACHINE;
        }
        return run(&settings);
}
