/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * help, version: as words, for those who type them rather than --help and --version.
 */

#include <stdio.h>

#include "ctl/complain.h"
#include "ctl/exit.h"
#include "ctl/help.h"
#include "ctl/output.h"
#include "ctl/settings.h"
#include "ctl/verb.h"

int verb_help(const Settings *settings) {
        const WordList *words = &settings->arguments;
        const Verb *verb = words->n > 0 ? verb_find_typed(words->words[0]) : NULL;
        Settings refused = {};

        if (words->n > 0 && !verb) {
                settings_refuse_verb(&refused, words->words[0]);
                complain("%s.", refused.problem);
                complain_hint("'benchctl help' lists the commands.");
                return EXIT_USAGE;
        }
        help_print(verb, stdout);
        return output_check_stdout();
}

int verb_version(const Settings *settings) {
        printf("benchctl %s\n", BENCHD_VERSION);
        return output_check_stdout();
}
