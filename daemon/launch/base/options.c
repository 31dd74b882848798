/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/base/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/program-options.h"

static const char *take_mode(const char *value, void *field) {
        unsigned long mode;
        char *end;

        mode = strtoul(value, &end, 8);
        if (!*value || *end || mode > 0777)
                return "takes an octal mode, such as 0660";
        *(mode_t *)field = mode;
        return NULL;
}

static const ProgramOption rows[] = {
        { "socket", "PATH", offsetof(Options, socket), NULL,
                        "The socket to which clients connect. A client's identity is taken only from a socket of this "
                        "name." },
        { "with-front-end", NULL, offsetof(Options, with_front_end), NULL,
                        "Listens there, and starts benchd too, for a daemon without systemd. Prints *ready* once benchd "
                        "answers clients. If a daemon answers at PATH already, it says so and exits with 1; a socket's "
                        "file on which no program listens is replaced. Without this option it waits for benchd on the socket "
                        "that systemd passes under the name *launch*." },
        { "socket-mode", "OCTAL", offsetof(Options, socket_mode), take_mode,
                        "The socket's mode, with a front-end; the default is 0660." },
        { "until-eof", NULL, offsetof(Options, until_eof), NULL,
                        "Ends when its standard input does, for a daemon that serves the program at the other end. SIGTERM, "
                        "SIGINT and SIGHUP then end nothing, since the end of a job signals all of its processes: the "
                        "program cancels what it runs, takes the result, and closes the pipe. They end the daemon where "
                        "standard input is a terminal, as without this option." },
        { "restore", NULL, offsetof(Options, restore), NULL,
                        "Puts back the settings that a killed daemon left changed, and ends. It leaves those of *benchctl "
                        "set-governor*, and kills what is left of the daemon's runs. It exits with 0 if nothing else is left "
                        "to put back, with 1 if something is, if the journal was damaged, or if a running daemon holds it." },
        { "journal", "PATH", offsetof(Options, journal), NULL,
                        "The restore journal: /run/benchd/restore.journal, or, with a front-end, the socket's path and "
                        ".restore. Its directory must be one where only root writes. PATH.governor holds the settings of "
                        "*benchctl set-governor*, which the next daemon keeps." },
        { "key", "PATH", offsetof(Options, key), NULL,
                        "The key of vouchers for stored modules. By default that is _voucher.key_ in _$STATE_DIRECTORY_ or "
                        "_/var/lib/benchd-launch_, or, with *--with-front-end*, the socket's path followed by _.key_. It is "
                        "made when the first voucher is given. Only root may read it and write its directory." },
        { "require-cpuset", NULL, offsetof(Options, require_cpuset), NULL,
                        "Gives no SCHED_FIFO to a runner without its own cpuset. Always so without *--with-front-end*." },
        { "root", "DIR", offsetof(Options, root), NULL,
                        "For tests: reads and switches the files of a machine that is laid out below DIR, and nothing of "
                        "this one." },
        { "system-calls", "WORD", offsetof(Options, calls), call_filter_take,
                        "For tests: the fate of system calls that the launcher, or its receivers, do not need: refuse, trap "
                        "or allow. *refuse* (the default) has them fail, *trap* ends the process with the call's number on "
                        "standard error, and *allow* sets no filter." },
        { "no-tsc", NULL, offsetof(Options, distrust_tsc), NULL,
                        "For tests: measures by CLOCK_MONOTONIC_RAW. It does so by itself where the time-stamp counter is not "
                        "invariant, or where the kernel no longer offers it as a clock. There are no cycles then." },
        { "no-probes", NULL, offsetof(Options, without_probes), NULL,
                        "For tests: measures as if no core could be probed for a busy hardware thread." },
};

const ProgramOptions program_options = {
        .name = "benchd-launch",
        .head = "benchd-launch --socket=PATH [--with-front-end [--socket-mode=OCTAL]] [--until-eof] [-- OPTIONS]\n"
                "benchd-launch --restore [--journal=PATH]\n"
                "\n"
                "The half of the benchd daemon that touches the machine. As root, it runs benchmarks as the user who submits them;\n"
                "otherwise as you, and without what only root can set.\n",
        .tail = "\n"
                "With a front-end it prints `ready` once benchd answers clients. OPTIONS are the front-end's (benchd\n"
                "--help), which starts in /: its paths are absolute.\n",
        .rows = rows,
        .n = N_ELEMENTS(rows),
};

int options_parse(int argc, char **argv, Options *ret_options) {
        Options options = { .socket_mode = 0660 };
        int r;

        r = program_options_parse(&program_options, argc, argv, &options);
        if (r)
                return r;
        options.front_arguments = argv + optind;
        if (optind < argc && (!options.with_front_end || strcmp(argv[optind - 1], "--") != 0))
                return program_options_refuse(&program_options,
                                "unexpected argument; the front-end's options follow --");
        if (!options.socket && !options.restore)
                return program_options_refuse(&program_options, "--socket=PATH is needed");
        options.require_cpuset |= !options.with_front_end;
        *ret_options = options;
        return 0;
}
