/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The closed list of operations between benchd and benchd-launch: one record of fixed size a packet, over a seqpacket
 * socket, with file descriptors beside it where the kind says so.
 *
 * benchd asks, benchd-launch acts. No record has a command or a format, and no path but a run's directory, which only a process of the submitter
 * opens. An unknown kind, a wrong length or a wrong number of descriptors ends the connection: the two programs are of one build
 * (ops/record-queue.h), so it is a fault and not another version. Running out of room for descriptors is no fault: the ticket is refused as busy, or
 * the job of the process ends.
 *
 *      kind            from    descriptors                           answered by
 *      TICKET_OPEN     benchd  client's socket, module, libraries,   TICKET_OPENED or REFUSED
 *                              inputs
 *      VOUCH           benchd  a module or library                   VOUCHED or REFUSED
 *      PEER            benchd  client's socket                       PEER_IS or REFUSED
 *      TICKET_CLOSE    benchd                                        nothing
 *      SPAWN           benchd                                        STARTED, later ENDED; or REFUSED
 *      KILL            benchd                                        the process's ENDED
 *      ADOPT           benchd  client's socket                       ADOPTED or REFUSED
 *      READY           benchd  (once: clients are answered)          nothing
 *      REFINE          benchd                                        MACHINE if it changed, then REFINED
 *      GOVERNOR        benchd                                        MACHINE if it changed, then GOVERNOR_DONE; or REFUSED
 *      MACHINE         launch                                        first of all, and when something changed
 *      ENDED           launch  block, output
 */

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ops/outcome.h"
#include "ops/runner-plan.h"
#include "util/socket.h"

enum {
        _OPS_E_SUCCESS,

        OPS_E_AGAIN,    /* nothing to read now */
        OPS_E_CLOSED,   /* the peer is gone */
        OPS_E_INVALID,  /* a packet that breaks the list above */
        OPS_E_FDS_LOST, /* a valid record whose descriptors had no room: the limit of open files is reached */
};

typedef enum OpsKind {
        OPS_TICKET_OPEN = 100,
        OPS_TICKET_CLOSE,
        OPS_SPAWN,
        OPS_KILL,
        OPS_READY,
        OPS_REFINE,
        OPS_GOVERNOR,
        OPS_VOUCH,
        OPS_PEER,
        OPS_ADOPT,
        OPS_DROP_CACHES,

        OPS_MACHINE = 200,
        OPS_TICKET_OPENED,
        OPS_STARTED,
        OPS_ENDED,
        OPS_REFUSED,
        OPS_REFINED,
        OPS_GOVERNOR_DONE,
        OPS_VOUCHED,
        OPS_PEER_IS,
        OPS_ADOPTED,
        OPS_CACHES_DROPPED,
} OpsKind;

/* The launcher's reason to refuse. */
typedef enum OpsRefusal {
        OPS_REFUSAL_IDENTITY = 1, /* not a client's socket of the listening path, or the peer may not run anything */
        OPS_REFUSAL_MODULE,       /* a descriptor is not a sealed memfd within the size limit */
        OPS_REFUSAL_TICKET,       /* no such ticket */
        OPS_REFUSAL_PLAN,         /* the plan is invalid */
        OPS_REFUSAL_BUSY,         /* all places or CPUs are taken */
        OPS_REFUSAL_NO_JOURNAL,   /* no journal for original values, so the machine is not changed */
        OPS_REFUSAL_SYSTEM,       /* a system call failed: `error` says which errno */
        OPS_REFUSAL_CPUS,         /* the named CPUs can never be had: `cpus` are to blame, `why` says why */
        OPS_REFUSAL_UNCALIBRATED, /* needs CPUs whose clock could not be calibrated */
        OPS_REFUSAL_FILES,        /* the limit of open files is reached */
        OPS_REFUSAL_HUNG_UP,      /* the client has closed its connection */
        OPS_REFUSAL_OWNER,        /* a file is neither the client's own nor vouched for */
        OPS_REFUSAL_STUCK,    /* needs CPUs that an unkillable process keeps: `error` is its pid, `cpus` are its CPUs */
        OPS_REFUSAL_STRANGER, /* a client is not of the user of the process that is to take it in */
        OPS_REFUSAL_THREADS,  /* a client that is to be taken in has several threads */
        OPS_REFUSAL_ENDLESS,  /* the launcher could not end it */
        OPS_REFUSAL_CROWD,    /* the process has taken in as many as it may */
        OPS_REFUSAL_OVER,     /* the process that is to take it in ends */
        OPS_REFUSAL_DEAD,     /* the process that made the client's connection has ended */
        OPS_REFUSAL_OUTSIDE,  /* a client was not taken in by that process */
        OPS_REFUSAL_DROPPING, /* the page cache is being dropped */
} OpsRefusal;

typedef enum OpsCpusRefusal {
        OPS_CPUS_MISSING = 1, /* the machine does not have them */
        OPS_CPUS_OFFLINE,
        OPS_CPUS_NOT_ALLOWED,  /* to this daemon */
        OPS_CPUS_HOUSEKEEPING, /* reserved for everything that is not measured */
        OPS_CPUS_TOO_FEW,      /* for that many threads, each on its own core */
} OpsCpusRefusal;

/* As Environment.Isolation of benchd.proto. */
typedef enum OpsIsolation {
        OPS_ISOLATION_BOOT = 1,
        OPS_ISOLATION_SHIELD,
        OPS_ISOLATION_AFFINITY,
        OPS_ISOLATION_NONE,
} OpsIsolation;

/* Why the launcher killed a process. */
typedef enum OpsKilled {
        OPS_KILLED_NOT,
        OPS_KILLED_TIMEOUT,
        OPS_KILLED_REQUEST, /* KILL */
        OPS_KILLED_MEMORY,  /* its group met the bound on memory */
        OPS_KILLED_FLOOD,   /* it wrote more words to the launcher than any runner needs */
} OpsKilled;

/* The bounds of a run's control group, as bits. */
typedef enum OpsBound {
        OPS_BOUND_MEMORY = 1,
        OPS_BOUND_TASKS = 2,
} OpsBound;

/* The outcome of a request for a governor. */
typedef enum OpsGovernorEnd {
        OPS_GOVERNOR_SET = 1,     /* or restored; the changes are listed */
        OPS_GOVERNOR_UNSUPPORTED, /* none of the CPUs has cpufreq */
        OPS_GOVERNOR_UNKNOWN,     /* no such governor or scheme: `names` lists the existing ones */
        OPS_GOVERNOR_NO_CPU,      /* some CPUs do not exist: `names` lists the existing ones */
        OPS_GOVERNOR_OFF,         /* all of the CPUs are switched off */
        OPS_GOVERNOR_FULL,        /* the limit of governors for sets of CPUs is reached */
        _OPS_GOVERNOR_END_N,
} OpsGovernorEnd;

#define OPS_PROCESSES_MAX      32u /* that benchd-launch has at once */
#define OPS_TEXT_MAX           96u
#define OPS_GOVERNOR_NAME_MAX  32u  /* bytes of the name of a governor, with its end */
#define OPS_GOVERNOR_NAMES_MAX 256u /* bytes of a list of such names */
#define OPS_CHANGES_MAX        24u
#define OPS_STICKY_MAX         16u
#define OPS_CACHES_MAX         8u
#define OPS_CPUS_MAX           64u
#define OPS_HIDDEN_CORES_MAX   8u
#define OPS_STUCK_MAX          8u
#define OPS_MODULE_MAX         (64u << 20) /* bytes of a module, a library or an input */
#define OPS_TIMEOUT_MAX_NS     (24ull * 3600 * 1000000000)
#define OPS_CONTROLS_MAX       20u
#define OPS_NAME_MAX           24u /* of a control */
#define OPS_VALUE_MAX          56u /* of its value */

typedef struct OpsCache {
        uint32_t level;
        uint32_t kind; /* 1 data, 2 instruction, 3 unified */
        uint64_t size_bytes;
} OpsCache;

typedef struct OpsCpu {
        uint32_t cpu;
        uint32_t calibrated;
        ClockFacts clock;
} OpsCpu;

/* A governor or scheme that was set and stays until it is restored. */
typedef struct OpsSticky {
        char name[OPS_GOVERNOR_NAME_MAX];
        cpu_set_t cpus;
} OpsSticky;

/*
 * A control of the machine that was set while a process ran, with its values before and now: words, or values as the
 * kernel has them.
 */

typedef struct OpsControl {
        char name[OPS_NAME_MAX];
        char was[OPS_VALUE_MAX];
        char is[OPS_VALUE_MAX];
        uint32_t outcome; /* OpsOutcome */
        uint32_t cpu_off; /* 1: could not be read, because its CPU was switched off */
} OpsControl;

/* Changes of a killed daemon that this one could not put back at its start. */
typedef struct OpsReplay {
        uint32_t corrupt; /* 1: the restore journal was damaged: it was set aside, or only its sound part was put back */
        uint32_t absent;  /* 1: there is no restore journal, so the machine is not changed */
        uint32_t foreign; /* values that another program changed: left alone */
        uint32_t refused; /* values that could not be written: tried again later */
} OpsReplay;

/* The answer to a look at the machine. */
typedef struct OpsRefined {
        uint32_t clock_synchronised; /* 1: the kernel's clock is synchronised; benchd itself may not ask (ProtectClock=) */
} OpsRefined;

/* A process that was killed and lives on. */
typedef struct OpsStuck {
        int32_t pid;
        uint32_t padding;
        cpu_set_t cpus; /* not lent while it lives */
} OpsStuck;

/* The machine as the launcher sees it. */
typedef struct OpsMachine {
        char brand[OPS_TEXT_MAX];
        char microcode[OPS_TEXT_MAX];
        char hypervisor[OPS_TEXT_MAX]; /* empty on bare metal */
        char governor[OPS_TEXT_MAX];   /* empty without cpufreq */
        uint32_t family, model, stepping;
        uint32_t processors;
        uint64_t memory_bytes;
        uint32_t privileged;   /* 1: runners take the submitter's identity */
        uint32_t housekeeping; /* the CPU for everything that is not measured */
        uint32_t invariant_tsc;
        uint32_t kernel_trusts_tsc; /* the kernel still offers the counter as a clock */
        uint32_t n_caches;
        uint32_t n_cpus; /* that can be leased */
        uint32_t threads_max; /* the most CPUs that one runner can have, including the housekeeping one; 0: none is calibrated */
        OpsCache caches[OPS_CACHES_MAX];
        uint32_t n_sticky;
        OpsSticky sticky[OPS_STICKY_MAX];

        OpsReplay replay;
        ClockChecks clock_checks;
        OpsCpu cpus[OPS_CPUS_MAX];
        uint32_t n_hidden_cores;
        uint32_t padding;
        cpu_set_t hidden_cores[OPS_HIDDEN_CORES_MAX]; /* CPUs that share a core although the topology does not say so */
        uint32_t n_stuck;
        uint32_t runs_left; /* 1: processes of an earlier daemon's runs live on although they were killed */
        OpsStuck stuck[OPS_STUCK_MAX];
        uint64_t ticket_files; /* descriptors that the launcher has room for in all tickets */
} OpsMachine;

/*
 * Proof by the launcher that the user once submitted a file (launch/trust/voucher.h); benchd stores it beside the file.
 */
typedef struct OpsVoucher {
        uint32_t given; /* 0: no voucher */
        uint32_t uid;
        uint8_t mac[32];
} OpsVoucher;

typedef struct OpsTicketOpen {
        uint32_t n_libraries;
        uint32_t n_inputs;
        OpsVoucher vouchers[1 +
                            RUNNER_LIBRARIES_MAX]; /* of the module and the libraries that are not the client's own */
} OpsTicketOpen;

typedef struct OpsVouched {
        OpsVoucher voucher;
        uint8_t sha256[32]; /* of the file */
} OpsVouched;

/* The identity of a ticket. uid is -1 until the client is identified. */
typedef struct OpsTicketOpened {
        uint64_t ticket;
        uint32_t uid;
        uint32_t gid;
} OpsTicketOpened;

typedef struct OpsSpawn {
        uint64_t ticket;
        uint64_t other_ticket; /* of the other side's module, of the same client; 0: the plan has one side */
        uint64_t timeout_ns;
        cpu_set_t cpus; /* to choose from; empty: any */
        RunnerPlan plan;
        uint64_t memory_max_bytes;        /* of all processes of the run; 0: three quarters of the machine's */
        uint64_t tasks_max;               /* processes and threads beyond the plan's; 0: the launcher decides */
        uint64_t address_space_max_bytes; /* of a process if no group bounds memory; 0: the machine's memory */
} OpsSpawn;

typedef struct OpsStarted {
        uint64_t process;
        int32_t cpu; /* of its first thread */
        uint32_t padding;
        cpu_set_t cpus; /* all of its CPUs */
} OpsStarted;

typedef struct OpsEnded {
        uint64_t process;
        uint64_t elapsed_ns;
        int32_t cpu;            /* of its first thread */
        int32_t exit_code;      /* of waitid(): -1 unless it exited */
        int32_t exit_signal;    /* 0 unless it was killed */
        uint32_t killed;        /* OpsKilled */
        uint32_t scheduler;     /* OpsOutcome of SCHED_FIFO */
        uint32_t affinity;      /* OpsOutcome */
        uint32_t memory;        /* OpsOutcome of binding to the CPU's node */
        uint32_t random_layout; /* OpsOutcome of leaving addresses random, or 0 */
        uint32_t fixed_layout;  /* ... of making them fixed, or 0 */
        uint32_t cpuset;        /* OpsOutcome of having its own, or 0 */
        uint32_t isolation;     /* OpsIsolation, or 0 */
        uint32_t shared_caches; /* levels, as bits 1 << level, of caches shared with other measuring runs */
        uint32_t n_controls;
        uint32_t namespaces; /* OpsOutcome of having its own, or 0 */
        OpsControl controls[OPS_CONTROLS_MAX];
        cpu_set_t cpus;        /* all CPUs that it had */
        cpu_set_t lost;        /* its CPUs that were switched off meanwhile */
        uint32_t run_group;    /* OpsOutcome of a control group that kills all of its processes, or 0 */
        uint32_t memory_bound; /* ... of a bound on its memory */
        uint32_t tasks_bound;  /* ... of one on its processes and threads */
        uint32_t bounds_met;   /* bits of OpsBound */
        uint32_t adopted_affinity; /* the worst of the processes that it took in, as OpsAdopted has them; 0: it took in none */
        uint32_t adopted_group;
        uint64_t memory_max_bytes;
        uint64_t memory_peak_bytes; /* the most that its control group had; 0: not known */
        uint64_t tasks_max;
        uint64_t stack_bytes;             /* of its main thread; 0: it was not born */
        uint64_t address_space_max_bytes; /* of each process, if no group bounds memory; 0: no limit */
        int32_t stuck_pid;                /* the process that was killed and lives on; 0: it is dead */
        uint32_t stack;                   /* OpsOutcome of a requested stack, or 0 */
        uint32_t common_layout;           /* OpsOutcome of giving both sides the same addresses, or 0 */
        uint32_t side;                    /* of the plan: exit_code and exit_signal are of its process */
        char unborn[OPS_TEXT_MAX];        /* the step of its birth that failed, with the error; empty: it was born */
} OpsEnded;

/* A request for a governor: by name, which the launcher looks up, or for the one from before. */
typedef struct OpsGovernor {
        char name[OPS_GOVERNOR_NAME_MAX]; /* empty: restore */
        uint32_t restore;                 /* 0 or 1 */
        uint32_t padding;
        cpu_set_t cpus; /* none: all */
} OpsGovernor;

/* Files of one name in any number of policies whose old values are equal and whose new values are equal. */
typedef struct OpsChange {
        char file[OPS_TEXT_MAX];
        char was[OPS_TEXT_MAX]; /* before this request */
        char is[OPS_TEXT_MAX];
        uint32_t outcome; /* OpsOutcome */
        uint32_t padding;
        cpu_set_t policies; /* by number; none: one file for all */
} OpsChange;

typedef struct OpsGovernorDone {
        uint32_t end;               /* OpsGovernorEnd */
        uint32_t n_changes, n_more; /* n_more are left out */
        uint32_t padding;
        char names[OPS_GOVERNOR_NAMES_MAX]; /* governors that all of the CPUs have, separated by blanks; or a list of CPUs */
        OpsChange changes[OPS_CHANGES_MAX];
} OpsGovernorDone;

typedef struct OpsRefused {
        uint32_t reason; /* OpsRefusal */
        int32_t error;   /* an errno, or 0 */
        uint32_t why;    /* OpsCpusRefusal, or 0 */
        uint32_t padding;
        cpu_set_t cpus;
} OpsRefused;

/* The process that connected, while it exists. */
typedef struct OpsPeer {
        int32_t pid;
        uint32_t uid;
        uint64_t started_ticks; /* since boot, in ticks of sysconf(_SC_CLK_TCK) */
} OpsPeer;

/* A client that was taken in by a process of its user: it has the CPUs and the control group of that process. */
typedef struct OpsAdopted {
        uint32_t affinity; /* OpsOutcome */
        uint32_t group;    /* OpsOutcome of joining the control group, which bounds and kills it; or 0 */
        cpu_set_t cpus;
} OpsAdopted;

typedef struct OpsRecord {
        uint32_t kind; /* OpsKind */
        uint32_t padding;
        uint64_t serial; /* chosen by benchd, 1 or more; an answer has the serial of its question, MACHINE has 0 */
        union {
                OpsTicketOpen ticket_open;
                uint64_t ticket_close; /* a ticket */
                OpsSpawn spawn;
                uint64_t kill;        /* a process */
                uint64_t adopt;       /* a process */
                uint64_t drop_caches; /* for a client that this process took in */
                OpsMachine machine;
                OpsTicketOpened ticket_opened;
                OpsStarted started;
                OpsEnded ended;
                OpsRefused refused;
                OpsRefined refined;
                OpsGovernor governor;
                OpsGovernorDone governor_done;
                OpsVouched vouched;
                OpsPeer peer;
                OpsAdopted adopted;
                uint64_t dropped_ns; /* the time that it took */
        };
} OpsRecord;

/* A record with the descriptors that came with it, which the holder closes. */
typedef struct OpsPacket {
        OpsRecord record;
        int fds[2 + RUNNER_LIBRARIES_MAX + RUNNER_INPUTS_MAX];
        size_t n_fds;
} OpsPacket;

/* The record that refuses the question of @serial; @error is an errno, or 0. */
OpsRecord ops_refusal(uint64_t serial, OpsRefusal reason, int error);

/* Sends @record with @n_fds descriptors, which stay the caller's. Returns 0, E_AGAIN, E_CLOSED, or a negative errno. */
int ops_send(int fd, const OpsRecord *record, const int *fds, size_t n_fds);

/*
 * Receives one packet and checks its form (kind, descriptors, plan, counts, strings). Returns 0, E_AGAIN, E_CLOSED, E_INVALID, E_FDS_LOST
 * (with @ret_packet, which has no descriptor), or a negative errno. @ret_packet may be written on errors too.
 */
int ops_receive(int fd, OpsPacket *ret_packet);

/* Does the same without room for descriptors: the kernel drops them, so none is ever open in this process. */
int ops_receive_bare(int fd, OpsPacket *ret_packet);

/*
 * Checks the record of @packet, with @n_data bytes received, and adds the descriptors, which stay the caller's unless 0 is returned. Returns 0,
 * E_INVALID or E_FDS_LOST.
 */
int ops_packet_complete(OpsPacket *packet, size_t n_data, const SocketFds *fds);

/* Closes the descriptors that are still in @packet. */
void ops_packet_close(OpsPacket *packet);

/* The number of descriptors that come with @record, by its kind and counts. */
size_t ops_count_fds(const OpsRecord *record);

/* Checks @record with @n_fds descriptors against the list. Returns 0 or E_INVALID. */
int ops_check(const OpsRecord *record, size_t n_fds);
