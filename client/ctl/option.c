/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/option.h"

#include <string.h>

#include "ctl/settings.h"
#include "util/cleanup.h"

#define FIELD(name) offsetof(Settings, name)

/* clang-format off */
static const Option options[] = {
        { "with", 0, "LIB.so", OPTION_LIST, VERB_MODULE, FIELD(with), "load a library before the module" },
        { "env", 0, "NAME=VALUE", OPTION_LIST, VERB_MODULE, FIELD(environment), "set a variable for the module" },
        { "format", 0, "FORMAT", OPTION_TEXT, VERB_ANY, FIELD(format), "table (default), json, or mark: Sestoft's columns" },
        { "scale", 0, "BENCHMARK", OPTION_TEXT, VERB_RESULT, FIELD(scale), "show all times as multiples of that one's" },
        { "output", 'o', "FILE", OPTION_TEXT, VERB_ANY, FIELD(output), "write the result there" },
        { "fail-on", 0, "slower", OPTION_TEXT, VERB_COMPARE, FIELD(fail_on), "exit with 1 if anything is slower" },
        { "since", 0, "TIME", OPTION_TEXT, VERB_HISTORY, FIELD(since), "submitted then or later: 2h, 3d, yesterday, 2026-05-01" },
        { "state", 0, "STATE", OPTION_TEXT, VERB_HISTORY, FIELD(state), "queued, running, done, failed, cancelled or lost" },
        { "limit", 0, "N", OPTION_TEXT, VERB_HISTORY, FIELD(limit), "the latest N (100)" },
        { "all-users", 0, NULL, OPTION_FLAG, VERB_HISTORY, FIELD(all_users), "those of other users too, if the daemon allows" },
        { "private", 0, NULL, OPTION_FLAG, VERB_PRIVATE, FIELD(private_daemon), "start a daemon of its own for this run" },
        { "socket", 0, "PATH", OPTION_TEXT, VERB_ANY, FIELD(socket), "reach the daemon there" },
        { "quiet", 'q', NULL, OPTION_FLAG, VERB_ANY, FIELD(quiet), "no progress line" },
        { "no-color", 0, NULL, OPTION_FLAG, VERB_ANY, FIELD(no_color), "no colour; so does NO_COLOR in the environment" },
        { "help", 'h', NULL, OPTION_FLAG, VERB_ANY, FIELD(help), "this text" },
        { "version", 'V', NULL, OPTION_FLAG, VERB_ANY, FIELD(version), "the version" },
        { "raw", 0, "FILE", OPTION_LATER, VERB_RUN, 0, NULL },
        { "columns", 0, "LIST", OPTION_LATER, VERB_RUN, 0, NULL },
        { "sort", 0, "KEY", OPTION_LATER, VERB_RUN, 0, NULL },
        { "open", 0, NULL, OPTION_LATER, VERB_RUN, 0, NULL },
        { "input", 0, "FILE", OPTION_LATER, VERB_RUN, 0, NULL },
        { "here", 0, NULL, OPTION_LATER, VERB_RUN, 0, NULL },
};
/* clang-format on */

const Option *option_at(size_t index) {
        return index < N_ELEMENTS(options) ? &options[index] : NULL;
}

const Option *option_find(const char *name, size_t n_name) {
        for (size_t i = 0; i < N_ELEMENTS(options); i++)
                if (strlen(options[i].name) == n_name && memcmp(options[i].name, name, n_name) == 0)
                        return &options[i];
        return NULL;
}

const Option *option_find_letter(char letter) {
        for (size_t i = 0; i < N_ELEMENTS(options); i++)
                if (options[i].letter == letter)
                        return &options[i];
        return NULL;
}
