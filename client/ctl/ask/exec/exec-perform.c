/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-perform.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/exec/exec-cold.h"
#include "ctl/ask/exec/exec-command.h"
#include "ctl/ask/exec/exec-environment.h"
#include "ctl/ask/exec/exec-hook.h"
#include "ctl/ask/exec/exec-output.h"
#include "ctl/ask/exec/exec-plan.h"
#include "ctl/ask/exec/exec-shared.h"
#include "ctl/ask/exec/exec-stage.h"
#include "ctl/ask/exec/exec-trace.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

extern char **environ;

DEFINE_CLEANUP(benchd_config *, benchd_config_free)
DEFINE_CLEANUP(benchd_event *, benchd_event_free)

/* The words of the daemon that the job is accepted came before its first process. */
#define JOB_PATIENCE_MS 5000u

#define INTERRUPT_PATIENCE_MS 5000

#define FLOOR_NS 1000 /* of a run without the start of its shell: there is no time without a logarithm */

/* ---- taken in by the runner's process */

static int await_job(const ExecShared *shared) {
        const struct timespec millisecond = { .tv_nsec = NS_PER_MS };

        for (unsigned ms = 0; ms < JOB_PATIENCE_MS; ms++) {
                if (__atomic_load_n(&shared->accepted, __ATOMIC_ACQUIRE))
                        return 0;
                nanosleep(&millisecond, NULL);
        }
        return -ETIMEDOUT;
}

static int client_next(benchd_client *client, benchd_event **ret_event) {
        for (;;) {
                struct pollfd fd = { .fd = benchd_client_fd(client), .events = benchd_client_poll_events(client) };
                int r;

                *ret_event = benchd_client_pop_event(client);
                if (*ret_event)
                        return 0;
                if (poll(&fd, 1, -1) < 0 && errno != EINTR)
                        return -errno;
                r = benchd_client_dispatch(client);
                if (r)
                        return r;
        }
}

static int client_open(const ExecShared *shared, benchd_client **ret_client) {
        _cleanup_(benchd_config_freep) benchd_config *config = NULL;
        int r;

        r = benchd_config_new(&config);
        if (r == 0 && shared->socket[0])
                r = benchd_config_set_socket(config, shared->socket);
        return r ? r : benchd_client_new(config, ret_client);
}

/* Asks the daemon @question about the job. Returns false with @problem, which says what was not done. */
static bool ask_of_job(const ExecShared *shared, benchd_client *client, const char *question, const char *problem,
                char words[static EXEC_WORDS_BYTES]) {
        _cleanup_(benchd_event_freep) benchd_event *event = NULL;
        _cleanup_(json_decrefp) json_t *fields = json_pack("{s:s}", "run_id", shared->run_id);
        _cleanup_(freep) char *text = fields ? json_dumps(fields, JSON_COMPACT) : NULL;
        uint64_t id;
        int r;

        r = text ? benchd_client_ask(client, question, text, &id) : -ENOMEM;
        if (r == 0)
                r = client_next(client, &event);
        if (r == 0 && benchd_event_type(event) != BENCHD_EVENT_ERROR)
                return true;
        snprintf(words, EXEC_WORDS_BYTES, "%s: %s", problem,
                        r ? benchd_error_string(r) : benchd_event_error_message(event));
        return false;
}

/* A connection of this process alone, since the daemon takes in whoever made it. */
static bool join_runner(const ExecShared *shared, benchd_client **ret_client, char words[static EXEC_WORDS_BYTES]) {
        static const char problem[] = "benchctl was not taken in by the daemon, which is to lend it CPUs";
        int r;

        r = await_job(shared);
        if (r == 0)
                r = client_open(shared, ret_client);
        if (r == 0)
                return ask_of_job(shared, *ret_client, "adopt", problem, words);
        snprintf(words, EXEC_WORDS_BYTES, "%s: %s", problem, benchd_error_string(r));
        return false;
}

/* ---- a run */

typedef struct Performer {
        const ExecPerformance *performance;
        const ExecPlan *plan;
        ExecShared *shared;
        ExecEnvironment environment;
        benchd_client *client; /* NULL: not taken in yet */
        bool joined;
} Performer;

static const char *open_files(const Performer *performer, const ExecCommand *command, ExecFiles *ret_files) {
        const ExecPlan *plan = performer->plan;
        const char *input = plan->input_path ? plan->input_path : "/dev/null";
        const char *output = command->output == EXEC_OUTPUT_FILE ? command->output_path : "/dev/null";

        *ret_files = (ExecFiles){ .out = -1, .err = performer->performance->output_fd };
        ret_files->in = open(input, O_RDONLY | O_CLOEXEC);
        if (ret_files->in < 0)
                return input;
        if (command->output == EXEC_OUTPUT_INHERIT)
                *ret_files = (ExecFiles){ .in = ret_files->in, .out = STDOUT_FILENO, .err = STDERR_FILENO };
        else if (command->output == EXEC_OUTPUT_PIPE)
                ret_files->out = performer->performance->pipe_fd;
        else
                ret_files->out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        return ret_files->out < 0 ? output : NULL;
}

static void close_files(const ExecCommand *command, const ExecFiles *files) {
        fd_close(files->in);
        if (command->output == EXEC_OUTPUT_NULL || command->output == EXEC_OUTPUT_FILE)
                fd_close(files->out);
}

static bool run_hook(const Performer *performer, ExecHook hook, uint32_t index, uint64_t iteration,
                char failed[static EXEC_WORDS_BYTES]) {
        const ExecHookAsk ask = { .hook = hook, .command = index, .iteration = iteration };
        const int fd = performer->performance->hooks_fd;
        ssize_t n;

        if (!performer->plan->commands[index].hooks[hook])
                return true;
        n = send(fd, &ask, sizeof ask, MSG_NOSIGNAL);
        do
                n = n < 0 ? 0 : recv(fd, failed, EXEC_WORDS_BYTES, 0);
        while (n < 0 && errno == EINTR);
        if (n != (ssize_t)EXEC_WORDS_BYTES)
                snprintf(failed, EXEC_WORDS_BYTES, "benchctl, which runs %s, has ended", exec_hook_name(hook));
        return !failed[0];
}

/* The daemon does it where this user may not. Pages that are not yet written would stay. */
static bool drop_all(const Performer *performer, ExecRun *run) {
        static const char problem[] = "the page cache cannot be dropped";
        const uint64_t begun_ns = time_monotonic_ns();
        int r = 0;

        sync();
        if (exec_cold_is_own()) {
                r = exec_cold_drop_all();
                if (r)
                        snprintf(run->failed, sizeof run->failed, "%s: %s", problem, strerrordesc_np(-r));
        } else if (!ask_of_job(performer->shared, performer->client, "drop_caches", problem, run->failed))
                r = -EPERM;
        run->counts[EXEC_DROPPED_BYTES] = NAN;
        snprintf(run->note, sizeof run->note, "cold: the page cache dropped, %.2g s a run",
                        (double)(time_monotonic_ns() - begun_ns) / NS_PER_S);
        return r == 0;
}

/* Returns false if it failed. */
static bool make_cold(const Performer *performer, uint32_t index, ExecRun *run) {
        const ExecPaths *paths = performer->performance->stage->cold;
        ExecDropped dropped = {};

        if (performer->plan->cold == EXEC_COLD_ALL)
                return drop_all(performer, run);
        run->counts[EXEC_DROPPED_BYTES] = NAN;
        if (!paths)
                return true;
        exec_cold_drop(&paths[index], &dropped);
        exec_cold_words(&dropped, run->note, sizeof run->note);
        run->counts[EXEC_DROPPED_BYTES] = dropped.bytes;
        return true;
}

/* The mean over all processes until now is taken off, as hyperfine does, unless the trial showed that this would leave nothing. */
static void take_off_shell(const Performer *performer, ExecRun *run) {
        const double shell_ns = exec_mean_ns(&performer->shared->shell);

        if (performer->performance->stage->includes_shell) {
                snprintf(run->note, sizeof run->note, "the start of its shell, %.3g ms, is in it: try -N",
                                shell_ns / NS_PER_MS);
                return;
        }
        run->counts[EXEC_SHELL_NS] = shell_ns;
        run->wall_ns -= shell_ns;
        if (run->wall_ns < FLOOR_NS)
                run->wall_ns = FLOOR_NS;
}

static void note_left(const ExecLeft *left, ExecRun *run) {
        if (left->n == 1)
                snprintf(run->note, sizeof run->note, "left behind and killed: %s", left->name);
        else if (left->n > 1)
                snprintf(run->note, sizeof run->note, "left behind and killed: %s and %u more", left->name,
                                left->n - 1);
}

static void tell_failure(const Performer *performer, const ExecCommand *command, const ExecOutcome *outcome,
                ExecRun *run) {
        char words[EXEC_WORDS_BYTES], lines[EXEC_WORDS_BYTES / 2] = "";

        exec_command_words(outcome, words);
        if (command->output != EXEC_OUTPUT_INHERIT)
                exec_output_last_lines(performer->performance->output_fd, lines, sizeof lines);
        snprintf(run->failed, sizeof run->failed, "%.200s%s%s", words, lines[0] ? ": " : "", lines);
}

static void run_once(Performer *performer, const ExecCommand *command, const ExecFiles *files, ExecRun *run) {
        const double dropped_bytes = run->counts[EXEC_DROPPED_BYTES];
        ExecOutcome outcome;
        int r;

        r = exec_command_run(command, files, performer->environment.variables, &outcome);
        if (r) {
                snprintf(run->failed, sizeof run->failed, "the command could not be started: %s", strerrordesc_np(-r));
                return;
        }
        run->wall_ns = outcome.wall_ns;
        memcpy(run->counts, outcome.counts, sizeof run->counts);
        run->counts[EXEC_EXIT_CODE] = outcome.ending == EXEC_EXITED ? outcome.code : 0;
        run->counts[EXEC_DROPPED_BYTES] = dropped_bytes;
        run->counts[EXEC_START_NS] = exec_mean_ns(&performer->shared->start);
        run->counts[EXEC_SHELL_NS] = NAN;
        if (command->has_shell)
                take_off_shell(performer, run);
        note_left(&outcome.left, run);
        if (outcome.ending != EXEC_ENDED &&
                        !(outcome.ending == EXEC_EXITED && performer->plan->ignores[outcome.code & 0xff]))
                tell_failure(performer, command, &outcome, run);
}

/* ---- a body */

static void describe(const ExecPlan *plan, uint32_t index, ExecDescription *ret_description) {
        const ExecCommand *command = &plan->commands[index];

        *ret_description = (ExecDescription){ .n = plan->n };
        snprintf(ret_description->name, sizeof ret_description->name, "%s", command->name);
        exec_title_cut(command->title, ret_description->title, sizeof ret_description->title);
}

/* It is taken in, and measures what starting takes, when it runs a command first. */
static bool begin(Performer *performer, const ExecCommand *command, const ExecFiles *files, ExecRun *run) {
        ExecShared *shared = performer->shared;

        if (performer->joined)
                return true;
        if (!join_runner(shared, &performer->client, run->failed))
                return false;
        performer->joined = true;
        exec_overhead_measure(command->has_shell ? performer->plan->shell : NULL, files,
                        performer->environment.variables, &shared->shell, &shared->start);
        return true;
}

/* A finaliser of MurmurHash3: neighbours get lengths that are unlike. */
static uint64_t draw(const Performer *performer, uint32_t index, uint64_t iteration) {
        uint64_t bits = performer->plan->seed + (iteration << 8) + index;

        bits = (bits ^ bits >> 33) * UINT64_C(0xff51afd7ed558ccd);
        bits = (bits ^ bits >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
        return bits ^ bits >> 33;
}

static void run(Performer *performer, uint32_t index, ExecRun *ret_run) {
        const ExecCommand *command = &performer->plan->commands[index];
        const uint64_t iteration = __atomic_fetch_add(&performer->shared->runs[index], 1, __ATOMIC_RELAXED);
        const char *missing;
        ExecFiles files;

        *ret_run = (ExecRun){};
        exec_output_clear(performer->performance->output_fd);
        missing = open_files(performer, command, &files);
        if (missing)
                snprintf(ret_run->failed, sizeof ret_run->failed, "%.300s cannot be opened: %s", missing,
                                strerrordesc_np(errno));
        else if (begin(performer, command, &files, ret_run) &&
                        run_hook(performer, EXEC_PREPARE, index, iteration, ret_run->failed) &&
                        make_cold(performer, index, ret_run)) {
                exec_environment_draw(&performer->environment, iteration, draw(performer, index, iteration));
                run_once(performer, command, &files, ret_run);
                if (!ret_run->failed[0])
                        (void)run_hook(performer, EXEC_CONCLUDE, index, iteration, ret_run->failed);
        }
        close_files(command, &files);
}

/* Ctrl-C ended the command: benchctl cancels the job, and the runner, which ends then, must not take it for a failure. */
static void await_end(int fd) {
        struct pollfd end = { .fd = fd, .events = POLLIN };

        while (poll(&end, 1, INTERRUPT_PATIENCE_MS) < 0 && errno == EINTR)
                continue;
}

static bool answer(Performer *performer, const ExecAsk *ask) {
        const ExecStage *stage = performer->performance->stage;
        const int fd = performer->performance->fd;
        ExecDescription description;
        ExecRun done;

        if (memcmp(ask->token, stage->token, sizeof ask->token) != 0 || ask->command >= stage->plan->n)
                return false;
        if (ask->question == EXEC_DESCRIBE) {
                describe(stage->plan, ask->command, &description);
                return send(fd, &description, sizeof description, MSG_NOSIGNAL) == sizeof description;
        }
        if (!exec_command_interrupted())
                run(performer, ask->command, &done);
        if (exec_command_interrupted()) {
                await_end(fd);
                done = (ExecRun){ .failed = "it was interrupted by SIGINT" };
        }
        return send(fd, &done, sizeof done, MSG_NOSIGNAL) == sizeof done;
}

void exec_perform(const ExecPerformance *performance) {
        Performer performer = {
                .performance = performance,
                .plan = performance->stage->plan,
                .shared = performance->stage->shared,
        };
        ExecAsk ask;

        exec_command_prepare();
        if (exec_environment_init(&performer.environment, environ))
                return;
        while (recv(performance->fd, &ask, sizeof ask, 0) == sizeof ask && answer(&performer, &ask))
                continue;
        exec_environment_clear(&performer.environment);
        benchd_client_free(performer.client);
}
