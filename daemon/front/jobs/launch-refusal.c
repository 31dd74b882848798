/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/launch-refusal.h"

#include <stdio.h>
#include <string.h>

#include "front/plan/plan.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"

typedef struct RefusalRow {
        Benchd__Error__Code code;
        const char *message;
        const char *hint;
} RefusalRow;

static const RefusalRow refusal_rows[] = {
        [OPS_REFUSAL_IDENTITY] = { BENCHD__ERROR__CODE__DENIED, "This user may not run anything.",
                        "Run benchctl as an ordinary user: nobody, and the daemon's own user, run nothing." },
        [OPS_REFUSAL_MODULE] = { BENCHD__ERROR__CODE__BAD_REQUEST,
                        "The module or a library is not a sealed memfd of at most 64 MiB.", NULL },
        [OPS_REFUSAL_TICKET] = { BENCHD__ERROR__CODE__INTERNAL, "benchd-launch does not know this job any more.",
                        "Submit it again." },
        [OPS_REFUSAL_PLAN] = { BENCHD__ERROR__CODE__INTERNAL, "benchd-launch refused the plan of a process.", NULL },
        [OPS_REFUSAL_BUSY] = { BENCHD__ERROR__CODE__BUSY, "benchd-launch has no place for the module of another job.",
                        "Try again when a job has ended." },
        [OPS_REFUSAL_FILES] = { BENCHD__ERROR__CODE__BUSY,
                        "benchd-launch is at its limit of open files: modules, libraries and inputs of other jobs.",
                        "Try again when one of them has ended." },
        [OPS_REFUSAL_NO_JOURNAL] = { BENCHD__ERROR__CODE__UNSUPPORTED,
                        "This daemon does not change the machine: it has no journal of the values to restore.",
                        "Use the system's daemon, which has one, or start benchd-launch with --journal=." },
        [OPS_REFUSAL_UNCALIBRATED] = { BENCHD__ERROR__CODE__UNSUPPORTED,
                        "The clock of the CPUs that the run takes could not be calibrated, so nothing can be timed on them.",
                        "The journal of benchd-launch names them. A daemon that is started again tries again." },
        [OPS_REFUSAL_HUNG_UP] = { BENCHD__ERROR__CODE__CANCELLED,
                        "The client closed its connection before its job was accepted.",
                        "A job that is detached goes on without its client once it is accepted." },
        [OPS_REFUSAL_OWNER] = { BENCHD__ERROR__CODE__DENIED,
                        "Only files that this user made are run: the module, a library or an input was made by another "
                        "user, or stored by a daemon whose word for it cannot be checked any more.",
                        "Name the file of the module; a client makes its memfds as the user who connects." },
        [OPS_REFUSAL_STRANGER] = { BENCHD__ERROR__CODE__DENIED,
                        "A process is taken in only by a running job of its own user, if all its user ids are that user's and no job "
                        "has it already.",
                        NULL },
        [OPS_REFUSAL_THREADS] = { BENCHD__ERROR__CODE__BAD_REQUEST, "A process that is to be taken in has one thread.",
                        "Let it fork a process which connects, and starts its threads afterwards." },
        [OPS_REFUSAL_ENDLESS] = { BENCHD__ERROR__CODE__UNSUPPORTED,
                        "benchd could not end this process: it has no control group of cgroup v2 for it.",
                        "benchctl --private starts a daemon as this user, which needs none." },
        [OPS_REFUSAL_CROWD] = { BENCHD__ERROR__CODE__BUSY,
                        "The job's process has taken in as many processes as it may: 4 that live, 16 in all.",
                        "Let one process do the work of several." },
        [OPS_REFUSAL_DEAD] = { BENCHD__ERROR__CODE__NOT_FOUND, "The process that made this connection has ended.",
                        "A process that is to be taken in makes a connection of its own." },
        [OPS_REFUSAL_OUTSIDE] = { BENCHD__ERROR__CODE__DENIED,
                        "Only a process that a running job of its user has taken in has the page cache dropped.",
                        NULL },
        [OPS_REFUSAL_DROPPING] = { BENCHD__ERROR__CODE__BUSY, "The page cache is being dropped already.",
                        "Try again when that is done." },
        [OPS_REFUSAL_OVER] = { BENCHD__ERROR__CODE__NOT_FOUND, "No process of this job runs now.", NULL },
};

/* CPUs were asked for that are never lent: names the ones to blame. */
static void complain_cpus(const OpsRefused *refused, ReplyError *ret_why) {
        static const char *const words[] = {
                [OPS_CPUS_MISSING] = "This machine does not have CPU %s.",
                [OPS_CPUS_OFFLINE] = "CPU %s is offline.",
                [OPS_CPUS_NOT_ALLOWED] = "The daemon may not use CPU %s.",
                [OPS_CPUS_HOUSEKEEPING] = "CPU %s is never lent: interrupts and all other programs are left to it.",
        };
        char list[256], message[512];

        cpu_list_format(&refused->cpus, list, sizeof list);
        if (refused->why < N_ELEMENTS(words) && words[refused->why])
                snprintf(message, sizeof message, words[refused->why], list);
        else
                snprintf(message, sizeof message,
                                "The CPUs that were named have too few cores: each thread takes one for itself, and so does each CPU of "
                                "--cpus-per-run.");
        reply_error_set(ret_why, BENCHD__ERROR__CODE__UNSUPPORTED, "%s", message);
        reply_error_hint(ret_why, "'benchctl status' names the CPUs that can be leased.");
}

/* CPUs that could be had are kept by a process that no signal ends. */
static void complain_stuck(const OpsRefused *refused, ReplyError *ret_why) {
        char list[256];

        cpu_list_format(&refused->cpus, list, sizeof list);
        reply_error_set(ret_why, BENCHD__ERROR__CODE__UNSUPPORTED,
                        "Process %d, of an earlier run, was killed and does not die, so CPU %s, which the run needs, is not lent.",
                        refused->error, list);
        reply_error_hint(ret_why,
                        "'cat /proc/%d/stack' (as root) and 'ps -o stat,wchan:30 -p %d' show what it waits for, often a file "
                        "server that does not answer.",
                        refused->error, refused->error);
}

void launch_refusal_explain(const OpsRefused *refused, const char *what, ReplyError *ret_why) {
        const RefusalRow *row;

        if (refused->reason == OPS_REFUSAL_CPUS) {
                complain_cpus(refused, ret_why);
                return;
        }
        if (refused->reason == OPS_REFUSAL_STUCK) {
                complain_stuck(refused, ret_why);
                return;
        }
        if (refused->reason >= N_ELEMENTS(refusal_rows) || !refusal_rows[refused->reason].message) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__INTERNAL, "benchd-launch could not %s: %s.", what,
                                strerrordesc_np(refused->error) ? strerrordesc_np(refused->error) : "no reason given");
                reply_error_hint(ret_why, "Look for the cause in 'journalctl -u benchd-launch'.");
                return;
        }
        row = &refusal_rows[refused->reason];
        reply_error_set(ret_why, row->code, "%s", row->message);
        if (row->hint)
                reply_error_hint(ret_why, "%s", row->hint);
}
