/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
                "benchd-launch --socket=PATH [--with-front-end [--socket-mode=OCTAL]] [--until-eof] [-- OPTIONS]\n"
                "benchd-launch --restore [--journal=PATH]\n"
                "\n"
                "The half of the benchd daemon that touches the machine. As root, benchmarks run as whoever submits them;\n"
                "otherwise as you, and without what only root can set.\n"
                "\n"
                "  --socket=PATH         where clients connect\n"
                "  --with-front-end      listen there, and start benchd too; otherwise benchd connects to the socket\n"
                "                        that systemd passes under the name `launch`\n"
                "  --socket-mode=OCTAL   who may connect (default 0660)\n"
                "  --until-eof           end when standard input does; unless that is a terminal, SIGTERM, SIGINT and SIGHUP\n"
                "                        end nothing\n"
                "  --restore             put back what a daemon that was killed left changed, and end\n"
                "  --journal=PATH        where changes of the machine are noted (/run/benchd/restore.journal; with a front-end of\n"
                "                        its own, the socket's path and .restore)\n"
                "  --key=PATH            the key of vouchers for stored modules (voucher.key in $STATE_DIRECTORY or\n"
                "                        /var/lib/benchd-launch; with a front-end of its own, the socket's path and .key)\n"
                "  --require-cpuset      no SCHED_FIFO for a runner that has no cpuset to hold it; always so without a\n"
                "                        front-end of its own\n"
                "  --root=DIR            for tests: switch the files of a machine that is laid out there, not of this one\n"
                "  --system-calls=WORD   for tests: refuse what the launcher needs no call for (the default), trap it, or allow all\n"
                "  --no-tsc              for tests: measure as if the time-stamp counter could not be trusted\n"
                "  --no-probes           for tests: measure as if no core could be probed for a busy hardware thread\n"
                "  --help, --version\n"
                "\n"
                "With a front-end it prints `ready` once benchd answers clients. OPTIONS are the front-end's (benchd\n"
                "--help), which starts in /: its paths are absolute.\n";

static int usage(const char *complaint) {
        fprintf(stderr, "benchd-launch: %s. benchd-launch --help lists the options.\n", complaint);
        return OPTIONS_E_USAGE;
}

static int parse_mode(const char *text, mode_t *ret_mode) {
        unsigned long mode;
        char *end;

        mode = strtoul(text, &end, 8);
        if (!*text || *end || mode > 0777)
                return usage("--socket-mode takes an octal mode, such as 0660");
        *ret_mode = mode;
        return 0;
}

static int parse_one(int option, Options *options) {
        switch (option) {
        case 'f':
                options->with_front_end = true;
                return 0;
        case 's':
                options->socket = optarg;
                return 0;
        case 'm':
                return parse_mode(optarg, &options->socket_mode);
        case 'e':
                options->until_eof = true;
                return 0;
        case 't':
                options->distrust_tsc = true;
                return 0;
        case 'p':
                options->without_probes = true;
                return 0;
        case 'r':
                options->restore = true;
                return 0;
        case 'c':
                options->require_cpuset = true;
                return 0;
        case 'j':
                options->journal = optarg;
                return 0;
        case 'k':
                options->key = optarg;
                return 0;
        case 'S':
                return call_filter_parse(optarg, &options->calls) ? 0
                                                                  : usage("--system-calls is refuse, trap or allow");
        case 'R':
                options->root = optarg;
                return 0;
        case 'h':
                fputs(help, stdout);
                return OPTIONS_E_DONE;
        case 'v':
                puts("benchd-launch " BENCHD_VERSION);
                return OPTIONS_E_DONE;
        default:
                return usage("invalid option");
        }
}

int options_parse(int argc, char **argv, Options *ret_options) {
        static const struct option table[] = {
                { "with-front-end", no_argument, NULL, 'f' },
                { "socket", required_argument, NULL, 's' },
                { "socket-mode", required_argument, NULL, 'm' },
                { "until-eof", no_argument, NULL, 'e' },
                { "no-tsc", no_argument, NULL, 't' },
                { "no-probes", no_argument, NULL, 'p' },
                { "restore", no_argument, NULL, 'r' },
                { "journal", required_argument, NULL, 'j' },
                { "key", required_argument, NULL, 'k' },
                { "require-cpuset", no_argument, NULL, 'c' },
                { "root", required_argument, NULL, 'R' },
                { "system-calls", required_argument, NULL, 'S' },
                { "help", no_argument, NULL, 'h' },
                { "version", no_argument, NULL, 'v' },
                {},
        };
        Options options = { .socket_mode = 0660 };
        int c, r;

        while ((c = getopt_long(argc, argv, "", table, NULL)) >= 0) {
                r = parse_one(c, &options);
                if (r)
                        return r;
        }
        options.front_arguments = argv + optind;
        if (optind < argc && (!options.with_front_end || strcmp(argv[optind - 1], "--") != 0))
                return usage("unexpected argument; the front-end's options follow --");
        if (!options.socket && !options.restore)
                return usage("--socket=PATH is needed");
        options.require_cpuset |= !options.with_front_end;
        *ret_options = options;
        return 0;
}
