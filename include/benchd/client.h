/* SPDX-License-Identifier: MIT */
#ifndef BENCHD_CLIENT_H
#define BENCHD_CLIENT_H

/*
 * libbenchd: talk to the benchd daemon from any program and any event loop.
 *
 * A client is a socket and three calls: wait for its descriptor, dispatch, and pop events until there are none. Nothing
 * blocks but benchd_client_new() and the end of a command, nothing is called back, nothing is logged, no thread is started.
 *
 * Functions that can fail return 0, or a positive BENCHD_E_* that the caller handles, or a negative errno that it can
 * only report; benchd_error_string() describes both. Destructors take NULL and return NULL. Requests take an
 * id-pointer that receives the number of the request, which its events carry; it may be NULL.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

typedef struct benchd_config benchd_config;
typedef struct benchd_client benchd_client;
typedef struct benchd_module benchd_module;
typedef struct benchd_options benchd_options;
typedef struct benchd_query benchd_query;
typedef struct benchd_event benchd_event;

enum {
        BENCHD_E_SUCCESS = 0,

        BENCHD_E_NO_DAEMON,    /* no process listens on the socket */
        BENCHD_E_ACCESS,       /* the socket may not be opened by this user */
        BENCHD_E_CLOSED,       /* the daemon closed the connection */
        BENCHD_E_PROTOCOL,     /* the daemon broke the protocol */
        BENCHD_E_VERSION,      /* the daemon speaks another version of the protocol */
        BENCHD_E_BUSY,         /* the daemon has reached its limit of connections for this user, or for all */
        BENCHD_E_TOO_LARGE,    /* a module, library, or request beyond the daemon's limits */
        BENCHD_E_EMPTY,        /* an empty file */
        BENCHD_E_LIBRARY,      /* a library that a module needs was not found */
        BENCHD_E_SONAME,       /* a library is needed under two names, neither of which is its soname */
        BENCHD_E_TOO_MANY,     /* more libraries, filters, variables or inputs than a request may have */
        BENCHD_E_BAD_OPTION,   /* an unknown option, or an invalid value for it */
        BENCHD_E_BRIDGE_ENDED, /* the command ended before the bridge reached a daemon; stderr has its words */
        BENCHD_E_NO_BRIDGE,    /* the command did not print a bridge's greeting: see benchd_client_heard() */
};

/* Describes a return value of this library, in English; static. */
const char *benchd_error_string(int error);

/* ---- configuration of a client */

/* A configuration of a client. */
int benchd_config_new(benchd_config **ret_config);
benchd_config *benchd_config_free(benchd_config *config);

/* Sets the path of the daemon's socket (default /run/benchd/benchd.sock); copied. */
int benchd_config_set_socket(benchd_config *config, const char *path);

/*
 * Makes the client run the command @argv, copied and ended by NULL, instead of opening a socket. The command, found on the PATH, must lead
 * to "benchctl bridge": { "ssh", "-T", "host", "benchctl", "bridge", NULL }. It lives until benchd_client_free(), ignores SIGINT, SIGTERM
 * and SIGHUP, and has the caller's stderr. The library starts it as a child process and waits for it, so the caller must not call
 * waitpid(-1). Returns 0 or a negative errno: -EINVAL if @argv is empty.
 */
int benchd_config_set_command(benchd_config *config, const char *const *argv);

/* Sets the name and version of the calling program, for the daemon's log; copied. */
int benchd_config_set_name(benchd_config *config, const char *name);

/* ---- a connection */

/*
 * Connects and greets; blocks until the daemon answers. Returns 0, NO_DAEMON, ACCESS, BUSY, CLOSED, PROTOCOL, VERSION, with a command also
 * BRIDGE_ENDED and NO_BRIDGE, or a negative errno: -EINTR if a signal handler ran meanwhile.
 */
int benchd_client_new(const benchd_config *config, benchd_client **ret_client);

/*
 * The same without waiting for the daemon: dispatch the client until benchd_client_ready(), and send no request before.
 * benchd_client_dispatch() then returns the outcomes of benchd_client_new(). If the daemon refuses the connection (BUSY),
 * benchd_client_pop_event() returns its message: a BENCHD_EVENT_ERROR.
 */
int benchd_client_begin(const benchd_config *config, benchd_client **ret_client);
bool benchd_client_ready(const benchd_client *client);

/*
 * After NO_BRIDGE: the first line that came instead of the bridge's, at most 127 bytes of printable ASCII, with ? for anything else, safe
 * for a terminal; lives as long as the client.
 */
const char *benchd_client_heard(const benchd_client *client);

/*
 * Ends the connection without waiting: afterwards the client can only be freed. A program with several clients should hang up each before
 * it frees the first, so that their commands end at the same time.
 */
void benchd_client_hang_up(benchd_client *client);

/* Hangs up. Waits for the end of a command, which it kills after 4 s. */
benchd_client *benchd_client_free(benchd_client *client);

/* The descriptor to wait for; the client keeps it. */
int benchd_client_fd(benchd_client *client);

/* The poll(2) events to wait for now: POLLIN, and POLLOUT while requests are still to be sent. They change: ask before each poll. */
short benchd_client_poll_events(benchd_client *client);

/* Reads and writes what it can without blocking, and reads at most 1 MiB. Returns 0, CLOSED, PROTOCOL, or a negative errno. */
int benchd_client_dispatch(benchd_client *client);

/* Takes the next event, which is then the caller's; NULL if there is none. */
benchd_event *benchd_client_pop_event(benchd_client *client);

/* Waits with poll(2) and dispatches until there is an event, for programs without a loop. Returns as dispatch does, or -EINTR. */
int benchd_client_wait_event(benchd_client *client, benchd_event **ret_event);

/* ---- the far end of a command */

/*
 * Passes the connection of a remote client, whose command is this program, to the daemon of @config: reads the client's bytes from @input
 * and writes to @output. Blocks until either side has hung up; the caller ignores SIGPIPE. Returns 0, NO_DAEMON, ACCESS, TOO_MANY, EMPTY or
 * TOO_LARGE for files of a request, PROTOCOL, or a negative errno.
 */
int benchd_bridge(const benchd_config *config, int input, int output);

/* ---- a module, read from files */

/* A module to measure, empty at first. */
int benchd_module_new(benchd_module **ret_module);
benchd_module *benchd_module_free(benchd_module *module);

/*
 * Adds the library at @path, to be sent with the module, and its own libraries before it. Call it before
 * benchd_module_open(). Returns 0, EMPTY, TOO_LARGE, TOO_MANY, LIBRARY, SONAME, or a negative errno.
 */
int benchd_module_add_library(benchd_module *module, const char *path);

/*
 * Adds the library at @path as benchd_module_add_library() does, preloaded: symbols are searched in it right after the module; several
 * libraries are in the order of the calls. A name without a slash that is not a file is searched in LD_LIBRARY_PATH and the system's
 * directories, as the dynamic loader does. Returns as that does; LIBRARY also means that @path itself was not found.
 */
int benchd_module_preload(benchd_module *module, const char *path);

enum {
        BENCHD_PIPE_BYTES_MAX = 64 << 20, /* of a module that is read from a pipe */
};

/*
 * Reads the module at @path, once, and its libraries other than the system's. They are searched where the dynamic loader would look, and
 * beside the module. Blocks until the end of a pipe (a FIFO, or /dev/stdin if it is one); -EINTR: a signal came before. Returns as
 * benchd_module_add_library() does.
 */
int benchd_module_open(benchd_module *module, const char *path);

/*
 * Takes the module of an earlier job, which the daemon kept, instead of a file; @run_id, copied, is as in the requests about
 * a job. For a run and for either side of a comparison. Returns 0 or a negative errno.
 */
int benchd_module_recall(benchd_module *module, const char *run_id);

/* Names the one benchmark of the module to compare, as "area/name"; copied. Returns 0 or a negative errno. */
int benchd_module_set_benchmark(benchd_module *module, const char *name);

/* Names the module in results and in the history by @name, copied, in place of its file's path. Returns 0 or a negative errno. */
int benchd_module_set_name(benchd_module *module, const char *name);

/*
 * Tells the commit that the module was built from, for its results and the history: @id of 1 to 64 printable characters of ASCII without
 * spaces, for git all digits; @dirty if files differed from it; the first line of its message (NULL: unknown; cut to 255 bytes) and its time
 * (0: unknown). All is copied. A module of an earlier job keeps that of its job. Returns 0, BAD_OPTION for such an @id, or a negative errno.
 */
int benchd_module_set_commit(benchd_module *module, const char *id, bool dirty, const char *subject,
                uint64_t committed_at_unix_ns);

/* The path of the library at @index that is sent with a module; NULL past the last. Lives as long as the module. */
const char *benchd_module_library(const benchd_module *module, size_t index);

/* The number of preloaded libraries; they come first. */
size_t benchd_module_preloaded(const benchd_module *module);

/* The name of the library that caused the last LIBRARY or SONAME; lives as long as the module. */
const char *benchd_module_missing(const benchd_module *module);

/* ---- options of a run: Their names are benchctl's, without the dashes. */

typedef struct benchd_option {
        const char *name;
        const char *value; /* its argument, as a help text writes it ("N", "SECONDS"), in brackets if optional; NULL if none */
        const char *help;
        const char *values; /* the allowed words, joined by |; NULL: not a list of words */
} benchd_option;

/* The options by index, for a help text or a dialogue; NULL past the last. */
const benchd_option *benchd_option_at(size_t index);

/* A set of options, empty at first. */
int benchd_options_new(benchd_options **ret_options);
benchd_options *benchd_options_free(benchd_options *options);

/* Sets option @name (such as "processes", "seed", "quick") to the text @value; NULL if there is none. Returns 0 or BAD_OPTION. */
int benchd_options_set(benchd_options *options, const char *name, const char *value);

/* Adds a glob over area/benchmark/arg=value; a leading ! excludes. Returns 0, TOO_MANY, BAD_OPTION, or a negative errno. */
int benchd_options_add_filter(benchd_options *options, const char *filter);

/* Drops all filters, to set others for another module. */
void benchd_options_clear_filters(benchd_options *options);

/* Adds NAME=VALUE to the module's environment. Returns 0, TOO_MANY, BAD_OPTION, or a negative errno. */
int benchd_options_add_environment(benchd_options *options, const char *assignment);

/*
 * Adds the text of a whole command, which the module's bodies have run by another process; of a comparison that of the old side first. It
 * comes back in the result, and nothing is said about the module's code. Returns 0, TOO_MANY (64, or 16384 bytes in all), or a negative errno.
 */
int benchd_options_add_command(benchd_options *options, const char *text);

/*
 * Adds a value that stands in the text of the command that was added last. It comes back in the result. Returns 0, TOO_MANY (512, or with
 * the texts of the commands 16384 bytes), BAD_OPTION before the first command, or a negative errno.
 */
int benchd_options_add_parameter(benchd_options *options, const char *name, const char *value);

/*
 * Sends the file at @path along, read now, which the body then opens in its working directory by the file's own name; at most 8. Returns 0,
 * EMPTY, TOO_LARGE, TOO_MANY, BAD_OPTION (two of one name), or a negative errno.
 */
int benchd_options_add_input(benchd_options *options, const char *path);

/* A sentence on the last BAD_OPTION, TOO_MANY or TOO_LARGE; lives as long as the options. */
const char *benchd_options_problem(const benchd_options *options);

/* True if a run with these options outlives its client (option "detach"). */
bool benchd_options_detach(const benchd_options *options);

/* ---- a query of the history */

/* A query: the latest 100 jobs of this user, unless it is narrowed or widened. */
int benchd_query_new(benchd_query **ret_query);
benchd_query *benchd_query_free(benchd_query *query);

/* Only jobs whose module's path, or the name of its file, matches the glob; copied. Returns 0 or a negative errno. */
int benchd_query_set_module(benchd_query *query, const char *glob);

/* Only jobs submitted at or after @unix_ns, in nanoseconds since 1970 in UTC. */
void benchd_query_set_since(benchd_query *query, uint64_t unix_ns);

/* Only jobs in state @state: "queued", "running", "done", "failed", "cancelled" or "lost". Returns 0 or BAD_OPTION. */
int benchd_query_set_state(benchd_query *query, const char *state);

/* At most @limit jobs, 1 to 1000. Returns 0 or BAD_OPTION. */
int benchd_query_set_limit(benchd_query *query, uint32_t limit);

/* Jobs of all users too, which the daemon may refuse. */
void benchd_query_set_all_users(benchd_query *query, bool all_users);

/*
 * ---- requests: Each ends with one event for which benchd_event_last() is true.
 *
 * The following dispatch sends them. Each returns 0, TOO_LARGE, TOO_MANY, or a negative errno. @options may be NULL; a list
 * uses their filters and environment only. A run's first event is ACCEPTED, which is also the last of a detached run.
 */

/* Measures a module. */
int benchd_client_run(benchd_client *client, const benchd_module *module, const benchd_options *options,
                uint64_t *ret_id);

/*
 * Measures @module and @old in turns, in one process at a time. The result has a row of "comparisons", with the ratio of
 * @module to @old, for each benchmark of one name, or for the one named on both sides. Otherwise a run.
 */
int benchd_client_compare(benchd_client *client, const benchd_module *module, const benchd_module *old,
                const benchd_options *options, uint64_t *ret_id);

/* Lists the benchmarks of a module. */
int benchd_client_list(benchd_client *client, const benchd_module *module, const benchd_options *options,
                uint64_t *ret_id);

/* The parts of an inspection that are large, of one benchmark only. */
enum {
        BENCHD_INSPECT_CODE = 1 << 0,   /* its instructions */
        BENCHD_INSPECT_SOURCE = 1 << 1, /* its source, where the module has it */
};

/*
 * Asks for what can be read from the file of @module without executing it: its build, and the addresses of the timed loops of its
 * benchmarks. @benchmark (area/name, or name if only one area has it) chooses one, for which @parts adds more; NULL: all. The module may be
 * recalled.
 */
int benchd_client_inspect(benchd_client *client, const benchd_module *module, const char *benchmark, unsigned parts,
                uint64_t *ret_id);

/* Asks for the daemon, its clock, CPUs and queue: as they are known now, or once the first calibration is over (3 s at most). */
int benchd_client_status(benchd_client *client, uint64_t *ret_id);
int benchd_client_status_calibrated(benchd_client *client, uint64_t *ret_id);

/* Ends the request @request_id of this connection. */
int benchd_client_cancel(benchd_client *client, uint64_t request_id, uint64_t *ret_id);

/*
 * ---- requests about a job: A job is a run of any connection, under way or over.
 *
 * It is named by its id (BENCHD_EVENT_ACCEPTED), or by a unique prefix of it of at least 4 digits.
 */

/* Follows a job as if it had been run on this connection. Cancelling this request only ends the following. */
int benchd_client_wait(benchd_client *client, const char *run_id, uint64_t *ret_id);

/* Asks for the benchmarks and the result of a job that is over. */
int benchd_client_show(benchd_client *client, const char *run_id, uint64_t *ret_id);

/* Cancels a job. */
int benchd_client_cancel_job(benchd_client *client, const char *run_id, uint64_t *ret_id);

/* Keeps a job's module whatever the daemon's quota says, or no longer. */
int benchd_client_pin(benchd_client *client, const char *run_id, bool pinned, uint64_t *ret_id);

/* Asks for the jobs that match @query, the latest first; NULL is an unchanged query. */
int benchd_client_history(benchd_client *client, const benchd_query *query, uint64_t *ret_id);

/* ---- the machine */

/*
 * Sets the governor of @n_cpus CPUs, or of all with 0, by its name ("performance", "powersave", ...) or a scheme
 * ("high-performance", "balanced", "power-saver"). NULL restores the governor from before; until then it stays. The daemon
 * may ask the user for a password, and may refuse.
 */
int benchd_client_set_governor(benchd_client *client, const char *name, const uint32_t *cpus, size_t n_cpus,
                uint64_t *ret_id);

/* ---- any request without files */

/*
 * Sends the request @request of the protocol, by its name in Request. @fields is a JSON object of its message's fields
 * ({"run_id": "0123"}; NULL: none of them), in which enums are lower-case words. Returns BAD_OPTION for a request or a field that this
 * library does not know, or a value that does not fit.
 */
int benchd_client_ask(benchd_client *client, const char *request, const char *fields, uint64_t *ret_id);

/* ---- events */

enum {
        BENCHD_EVENT_ERROR = 1, /* the request failed: benchd_event_error_*() */
        BENCHD_EVENT_PROGRESS,  /* of a run: benchd_event_progress() */
        BENCHD_EVENT_BENCHMARK, /* of a run: one benchmark is complete; its JSON */
        BENCHD_EVENT_RESULT,    /* of a run: the JSON of the whole, its benchmarks included */
        BENCHD_EVENT_LISTING,   /* of a list: the JSON */
        BENCHD_EVENT_STATUS,    /* of a status: the JSON */
        BENCHD_EVENT_CANCEL,    /* the cancel was taken; its JSON: "found" is false where there was nothing to cancel */
        BENCHD_EVENT_ACCEPTED,  /* of a run: it is a job now; its JSON, and benchd_event_run_id() */
        BENCHD_EVENT_HISTORY,   /* of a history: the JSON */
        BENCHD_EVENT_PIN,       /* of a pin: the JSON */
        BENCHD_EVENT_GOVERNOR,  /* of a set_governor: its writes; the JSON */
        BENCHD_EVENT_INSPECTION, /* of an inspect: the JSON */
        BENCHD_EVENT_ANSWER,     /* of any other question: the JSON */
};

typedef struct benchd_progress {
        const char *stage;          /* "queued", "loading", "measuring" or "resting" */
        const char *benchmark_name; /* of a whole command its title; NULL before measuring */
        uint32_t queue_position;    /* jobs that have their turn, or come before this one */
        uint32_t benchmark;         /* i of n, from 1; 0: the empty loop that a method subtracts */
        uint32_t benchmarks;
        uint32_t process; /* processes done, of all */
        uint32_t processes;
        uint64_t left_ns; /* estimated, without waiting for others */
        uint32_t users;   /* with runs in the queue, this one's counted; 0 where the daemon does not say */

        /* while queued: before its first turn, or where process is not 0 between two of them */
        uint64_t wait_ns;      /* until its turn, estimated; UINT64_MAX: unknown */
        uint32_t turns_before; /* of all jobs */
        uint32_t own_before;   /* earlier jobs of the same user, which end first */
        bool over_budget;      /* the user has used up the core time of an hour: all others go first */

        uint32_t processes_most; /* that `processes` may become, since comparisons end by themselves; 0: no more */
        uint64_t rest_ns;        /* while resting: until the next part of a run that is spread over time */
} benchd_progress;

/* The clock of the daemon's machine: for bench_timer_*() of bench.h, when this program runs there too. */
typedef struct benchd_clock {
        const char *name;       /* "tsc"; or "CLOCK_MONOTONIC_RAW", where the time-stamp counter cannot be trusted */
        double hz;              /* ticks a second */
        double error_ppm;       /* standard error of hz */
        double quantum_ticks;   /* the step by which it advances; not a whole number if a hypervisor scales it */
        double pair_cost_ticks; /* the cost of a start and a stop with nothing between: part of every time */
} benchd_clock;

/* Frees an event. */
benchd_event *benchd_event_free(benchd_event *event);

/* One of BENCHD_EVENT_*. */
int benchd_event_type(const benchd_event *event);

/* The number of the request, and true for its last event. */
uint64_t benchd_event_request(const benchd_event *event);
bool benchd_event_last(const benchd_event *event);

/* For BENCHD_EVENT_ERROR: a word ("bad-module"), a sentence, and a sentence with the remedy or NULL. They live as long as the event. */
const char *benchd_event_error_code(const benchd_event *event);
const char *benchd_event_error_message(const benchd_event *event);
const char *benchd_event_error_hint(const benchd_event *event);

/* For BENCHD_EVENT_ERROR about a module that could not be loaded: the word for its end ("crashed", "load"); else NULL. Lives as long as the event. */
const char *benchd_event_error_failure(const benchd_event *event);

/* For BENCHD_EVENT_ERROR: the last lines that a module printed which could not be loaded; NULL if none. Lives as long as the event. */
const char *benchd_event_error_output(const benchd_event *event);

/* For BENCHD_EVENT_PROGRESS: the stage of a run, the benchmark that is measured, and the time left; lives as long as the event. */
const benchd_progress *benchd_event_progress(const benchd_event *event);

/* For BENCHD_EVENT_ACCEPTED: the job's id, 32 hexadecimal digits; lives as long as the event. */
const char *benchd_event_run_id(const benchd_event *event);

/*
 * For BENCHD_EVENT_STATUS: the clock, by which a program on the same machine can time its own code (bench_timer_start_by()); lives as long
 * as the event. NULL until the daemon has calibrated it.
 */
const benchd_clock *benchd_event_clock(const benchd_event *event);

/* For all but ERROR and PROGRESS: JSON text as the manual describes it; lives as long as the event. NULL for these two, or if memory ran out. */
const char *benchd_event_json(const benchd_event *event);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
