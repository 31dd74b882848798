/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/options.h"

#include <getopt.h>
#include <stdlib.h>

#include "front/base/config.h"
#include "util/cleanup.h"
#include "util/program-options.h"

static const char *take_config(const char *value, void *field) {
        Options *options = field;

        options->config_path = value;
        options->config_is_named = true;
        return NULL;
}

static const char *take_check(const char *value, void *field) {
        ((Options *)field)->check_config = true;
        return value ? take_config(value, field) : NULL;
}

static const ProgramOption rows[] = {
        { "launch", "PATH", offsetof(Options, launch_path), NULL, "Connects to benchd-launch at PATH." },
        { "state", "DIR", offsetof(Options, state_path), NULL,
                        "Keeps history and modules in DIR, by default in $STATE_DIRECTORY. systemd sets that to "
                        "_/var/lib/benchd_. Without either, the history ends with the daemon and no module is kept." },
        { "config", "FILE", 0, take_config,
                        "Reads the configuration from FILE and FILE.d/*.conf, by default from " CONFIG_FILE_PATH "." },
        { "alone", NULL, offsetof(Options, alone), NULL,
                        "Serves one user: the limits that keep users from each other do not hold. *benchctl --private* "
                        "starts it so. A process may take 24 h, core time has no limit, and no place is kept for root." },
        { "until-launch", NULL, offsetof(Options, until_launch), NULL,
                        "Ends when benchd-launch, which started it, says so; SIGTERM, SIGINT and SIGHUP from others end "
                        "nothing. *benchd-launch --until-eof* sets it." },
        { "check-config", "[FILE]", 0, take_check,
                        "Prints each option of the configuration with its value and its source, or each line that is "
                        "wrong, and ends. See *benchd.conf*(5)." },
        { "system-calls", "WORD", offsetof(Options, calls), call_filter_take,
                        "For tests: the fate of system calls that benchd, or its receivers, do not need: refuse, trap or "
                        "allow. The words are those of *benchd-launch*(8)." },
};

const ProgramOptions program_options = {
        .name = "benchd",
        .head = "benchd: measures benchmarks for its clients. Type benchctl to use it.\n"
                "\n"
                "Started by systemd or by benchd-launch --with-front-end, with two descriptors passed as\n"
                "LISTEN_FDS and named in LISTEN_FDNAMES:\n"
                "\n"
                "  clients                  the listening unix stream socket\n"
                "  launch                   a connected unix seqpacket socket to benchd-launch, unless --launch names one\n",
        .tail = "",
        .rows = rows,
        .n = N_ELEMENTS(rows),
};

int options_parse(int argc, char **argv, Options *ret_options) {
        Options options = { .config_path = CONFIG_FILE_PATH, .state_path = getenv("STATE_DIRECTORY") };
        int r;

        r = program_options_parse(&program_options, argc, argv, &options);
        if (r)
                return r;
        if (options.check_config && !options.config_is_named && argc - optind == 1) /* --check-config FILE */
                take_config(argv[optind++], &options);
        if (optind < argc)
                return program_options_refuse(&program_options,
                                "'%s' is an argument, and none are taken. Type benchctl to use it.", argv[optind]);
        *ret_options = options;
        return 0;
}
