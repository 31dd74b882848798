/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/fleet/transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchd/client.h"
#include "ctl/base/command.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/hint.h"
#include "ctl/model/settings.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

DEFINE_CLEANUP(benchd_event *, benchd_event_free)

/*
 * A frozen machine is given up after 15 s, by keep-alive messages that also pass an idle connection through firewalls. srun passes
 * lines on unless it is told not to (-u), and shares the nodes with the steps that are there (--overlap). It takes signals however they
 * are blocked, and kills its step; so it is in a session of its own, which has no terminal and no part in the job's group of processes.
 */
static const char *const ssh_words[] = { "ssh", "-xT", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3",
        "-o", "ConnectTimeout=15" };
static const char *const srun_words[] = { "setsid", "srun", "-u", "-Q", "-N1", "-n1", "--overlap", "-w" };

/* For a user to type: before the node, and as --rsh. */
#define TRANSPORT_SRUN_SHELL "srun -N1 -n1 --overlap -w"
#define TRANSPORT_SRUN_RSH   "srun -u -Q -N1 -n1 --overlap -w"

static int add_words(Command *command, const char *const *words, size_t n) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < n; i++)
                r = command_add(command, words[i]);
        return error_trace(r);
}

static int add_transport(const Settings *settings, Transport transport, Command *command) {
        if (transport == TRANSPORT_SRUN)
                return add_words(command, srun_words, N_ELEMENTS(srun_words));
        if (settings->rsh)
                return command_add_text(command, settings->rsh);
        return add_words(command, ssh_words, N_ELEMENTS(ssh_words));
}

/* ssh joins its words for a shell there; srun executes them as they are. */
static int add_socket(const Settings *settings, Transport transport, Command *command) {
        _cleanup_(freep) char *option = NULL;
        char quoted[HINT_WORD_MAX];
        int r;

        if (asprintf(&option, "--socket=%s", settings->socket) < 0) {
                option = NULL;
                return error_origin(-ENOMEM);
        }
        r = command_add(command, transport == TRANSPORT_SRUN ? option : hint_quote(option, quoted));
        return error_trace(r);
}

static int add_bridge(const Settings *settings, Transport transport, Command *command) {
        static const char *const bridge[] = { "benchctl", "bridge" };
        int r;

        r = add_words(command, bridge, N_ELEMENTS(bridge));
        if (r == 0 && settings->private_daemon)
                r = command_add(command, "--private");
        if (r == 0 && settings->socket)
                r = add_socket(settings, transport, command);
        return error_trace(r);
}

int transport_configure(const Settings *settings, Transport transport, const char *host, benchd_config *config) {
        _cleanup_(command_clear) Command command = {};
        int r;

        r = add_transport(settings, transport, &command);
        if (r == COMMAND_E_SYNTAX || (r == 0 && command.n == 0)) {
                complain("--rsh=%s is not a command: it is empty, or a quote is missing.", settings->rsh);
                return EXIT_USAGE;
        }
        if (r == 0)
                r = command_add(&command, host);
        if (r == 0)
                r = add_bridge(settings, transport, &command);
        if (r == 0)
                r = benchd_config_set_command(config, (const char *const *)command.words);
        if (r == 0)
                return 0;
        complain("Out of memory.");
        return EXIT_MACHINE;
}

static void put_option(FILE *out, const char *name, const char *value) {
        char quoted[HINT_WORD_MAX];

        if (value)
                fprintf(out, " --%s=%s", name, hint_quote(value, quoted));
}

char *transport_options(const Settings *settings, Transport transport, const char *host) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out = text_stream_open(&text);

        if (settings->private_daemon)
                fputs(" --private", out);
        put_option(out, "host", host);
        put_option(out, "rsh", transport == TRANSPORT_SRUN ? TRANSPORT_SRUN_RSH : settings->rsh);
        put_option(out, "socket", settings->socket);
        return text_stream_take(&text);
}

static const char *transport_program(const Settings *settings, Transport transport) {
        if (transport == TRANSPORT_SRUN)
                return "srun";
        return settings->rsh ? settings->rsh : "ssh";
}

static void transport_problem(const Settings *settings, Transport transport, const char *host, int r, const char *heard,
                char text[static TRANSPORT_PROBLEM_MAX]) {
        const char *program = transport_program(settings, transport);

        if (r == BENCHD_E_BRIDGE_ENDED)
                snprintf(text, TRANSPORT_PROBLEM_MAX,
                                "Cannot reach the daemon at %s: '%s' exited before benchctl there answered.", host,
                                program);
        else if (r == BENCHD_E_NO_BRIDGE)
                snprintf(text, TRANSPORT_PROBLEM_MAX,
                                "Cannot reach the daemon at %s: its shell printed \"%s\" before benchctl answered.",
                                host, heard);
        else if (r == BENCHD_E_BUSY && *heard)
                snprintf(text, TRANSPORT_PROBLEM_MAX, "The daemon at %s accepts no connection: %s", host, heard);
        else if (r < 0)
                snprintf(text, TRANSPORT_PROBLEM_MAX, "Cannot run '%s' to reach %s: %s.", program, host,
                                benchd_error_string(r));
        else
                snprintf(text, TRANSPORT_PROBLEM_MAX, "Cannot reach the daemon at %s: %s.", host,
                                benchd_error_string(r));
}

int transport_refused(const Settings *settings, Transport transport, const char *host, int r, benchd_client *client,
                char ret_text[static TRANSPORT_PROBLEM_MAX]) {
        /* srun without options is a new job, on any node */
        const char *shell = transport == TRANSPORT_SRUN ? TRANSPORT_SRUN_SHELL : transport_program(settings, transport);
        _cleanup_(benchd_event_freep) benchd_event *refusal = client ? benchd_client_pop_event(client) : NULL;
        _cleanup_(freep) char *options = transport_options(settings, transport, host);
        const char *heard = client ? benchd_client_heard(client) : "";
        char quoted[HINT_WORD_MAX], quoted_socket[HINT_WORD_MAX];

        if (r == BENCHD_E_BUSY)
                heard = refusal ? benchd_event_error_message(refusal) : "";
        transport_problem(settings, transport, host, r, heard, ret_text);
        complain("%s", ret_text);
        if (r == BENCHD_E_BUSY && refusal)
                (void)complain_remedy(refusal, options);
        else if (r == BENCHD_E_BRIDGE_ENDED)
                complain_hint("See any lines above for the cause, or try: %s %s benchctl status%s%s", shell,
                                hint_quote(host, quoted), settings->socket ? " --socket=" : "",
                                settings->socket ? hint_quote(settings->socket, quoted_socket) : "");
        else if (r == BENCHD_E_VERSION)
                complain_hint("Install the same version on both machines.");
        else if (r == BENCHD_E_NO_BRIDGE)
                complain_hint("Its .bashrc or .profile must print nothing in non-interactive shells.");
        else if (r == -ENOENT && transport == TRANSPORT_SSH && !settings->rsh)
                complain_hint("Install the package openssh-client, or name another command with --rsh.");
        return EXIT_DAEMON;
}
