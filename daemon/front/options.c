/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "front/base/config.h"

static const char help[] =
                "benchd: measures benchmarks for its clients. Type benchctl to use it.\n"
                "\n"
                "Started by systemd or by benchd-launch --with-front-end, with two descriptors passed as\n"
                "LISTEN_FDS and named in LISTEN_FDNAMES:\n"
                "\n"
                "  clients                the listening unix stream socket\n"
                "  launch                 a connected unix seqpacket socket to benchd-launch, unless --launch names one\n"
                "\n"
                "  --launch=PATH          connects to benchd-launch there\n"
                "  --state=DIR            keeps history and modules there (default: $STATE_DIRECTORY; else in memory)\n"
                "  --config=FILE          is configured by FILE and FILE.d/*.conf (default: " CONFIG_FILE_PATH ")\n"
                "  --alone                serves one user: limits between users do not hold\n"
                "  --until-launch         ends when benchd-launch, which started it, ends it; of others SIGTERM, SIGINT and\n"
                "                         SIGHUP end nothing\n"
                "  --check-config[=FILE]  prints the configuration and its files, or its faults, and ends\n"
                "  --system-calls=WORD    for tests: refuse what the daemon needs no call for (the default), trap it, or\n"
                "                         allow all\n"
                "  --help                 this text\n"
                "  --version              the version\n";

static int usage(void) {
        fprintf(stderr, "        'benchd --help' lists its options.\n");
        return OPTIONS_E_USAGE;
}

static int parse_one(int option, Options *options) {
        switch (option) {
        case 'l':
                options->launch_path = optarg;
                return 0;
        case 's':
                options->state_path = optarg;
                return 0;
        case 'k':
                options->check_config = true;
                if (!optarg)
                        return 0;
                /* fall through */
        case 'c':
                options->config_path = optarg;
                options->config_is_named = true;
                return 0;
        case 'S':
                if (call_filter_parse(optarg, &options->calls))
                        return 0;
                fprintf(stderr, "benchd: --system-calls is refuse, trap or allow\n");
                return usage();
        case 'a':
                options->alone = true;
                return 0;
        case 'u':
                options->until_launch = true;
                return 0;
        case 'h':
                fputs(help, stdout);
                return OPTIONS_E_DONE;
        case 'v':
                puts("benchd " BENCHD_VERSION);
                return OPTIONS_E_DONE;
        default:
                return usage(); /* getopt has named the option */
        }
}

int options_parse(int argc, char **argv, Options *ret_options) {
        static const struct option table[] = {
                { "launch", required_argument, NULL, 'l' },
                { "state", required_argument, NULL, 's' },
                { "config", required_argument, NULL, 'c' },
                { "alone", no_argument, NULL, 'a' },
                { "until-launch", no_argument, NULL, 'u' },
                { "check-config", optional_argument, NULL, 'k' },
                { "system-calls", required_argument, NULL, 'S' },
                { "help", no_argument, NULL, 'h' },
                { "version", no_argument, NULL, 'v' },
                {},
        };
        Options options = { .config_path = CONFIG_FILE_PATH, .state_path = getenv("STATE_DIRECTORY") };
        int c, r;

        while ((c = getopt_long(argc, argv, "", table, NULL)) >= 0) {
                r = parse_one(c, &options);
                if (r)
                        return r;
        }
        if (options.check_config && !options.config_is_named && argc - optind == 1) { /* --check-config FILE */
                options.config_path = argv[optind++];
                options.config_is_named = true;
        }
        if (optind < argc) {
                fprintf(stderr, "benchd: '%s' is an argument, and none are taken. Type benchctl to use it.\n",
                                argv[optind]);
                return usage();
        }
        *ret_options = options;
        return 0;
}
