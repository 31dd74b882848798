/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * benchctl: asks the daemon to measure, and shows its answers. It holds no privilege and times nothing.
 */

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/app/complete.h"
#include "ctl/app/help.h"
#include "ctl/app/settings.h"
#include "ctl/app/verbs.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/interrupt.h"
#include "ctl/model/fail-on.h"
#include "ctl/show/output.h"
#include "util/cleanup.h"

static int usage(const Settings *settings) {
        complain("%s.", settings->problem);
        if (*settings->hint)
                complain_hint("%s", settings->hint);
        if (settings->verb)
                complain_hint("'benchctl %s --help' lists its options.", settings->verb->name);
        else
                complain_hint("'benchctl --help' lists the commands.");
        return EXIT_USAGE;
}

/* The commands that one types first. */
static int usage_without_verb(void) {
        complain("no command was given. benchctl measures how long code takes:");
        complain_hint("benchctl run                     measure what the operations of this machine cost");
        complain_hint("benchctl list                    list these built-in benchmarks");
        complain_hint("benchctl run mybench.c           compile and measure benchmarks of your own");
        complain_hint("benchctl compare old.c new.c     measure two versions in turns; modules (x.so) too");
        complain_hint("'benchctl help' lists all commands; --private needs no daemon.");
        return EXIT_USAGE;
}

static int run(const Settings *settings) {
        int r;

        r = interrupt_install();
        if (r) {
                complain("Cannot catch signals: %s.", benchd_error_string(r));
                return EXIT_MACHINE;
        }
        if (!settings->version && !settings->help)
                return settings->verb->run(settings);
        if (settings->version)
                printf("benchctl %s\n", BENCHD_VERSION);
        else
                help_print(settings->verb, stdout);
        return output_check_stdout();
}

/* No file that is opened later takes the place of a closed stdin, stdout or stderr. Writing to what fills it fails. */
static void fill_closed_fds(void) {
        int fd;

        do
                fd = open("/dev/null", O_RDONLY);
        while (fd >= 0 && fd <= STDERR_FILENO);
        if (fd >= 0)
                close(fd);
}

/* True if the words have --bisect, or a beginning of it, also where they could not be read: a usage error is not a bad commit. */
static bool is_bisecting(char **argv) {
        for (char **word = argv; *word && strcmp(*word, "--") != 0; word++)
                if (strncmp(*word, "--bi", strlen("--bi")) == 0)
                        return true;
        return false;
}

static int bisect_exit(int code) {
        const int r = fail_on_bisect_exit(code);

        if (r == EXIT_BISECT_SKIP)
                complain("This commit does not tell (125): 'git bisect run' skips it.");
        else if (r == EXIT_BISECT_STOP)
                complain("No commit would tell (128): 'git bisect run' stops.");
        return r;
}

static int start(int argc, char **argv) {
        _cleanup_(settings_clear) Settings settings = {};
        int r;

        setlocale(LC_CTYPE, ""); /* decides whether the terminal shows more than ASCII */
        fill_closed_fds();
        if (argc > 1 && strcmp(argv[1], "--complete") == 0) {
                complete((const char *const *)argv + 2, stdout);
                return EXIT_DONE;
        }
        r = settings_parse(&settings, (const char *const *)argv);
        if (r == SETTINGS_E_USAGE)
                return usage(&settings);
        if (r == SETTINGS_E_NO_VERB)
                return usage_without_verb();
        if (r) {
                complain("Cannot start: %s.", benchd_error_string(r));
                return EXIT_MACHINE;
        }
        return run(&settings);
}

int main(int argc, char **argv) {
        const int r = start(argc, argv);

        return is_bisecting(argv) ? bisect_exit(r) : r;
}
