/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-stage.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "benchd/client.h"
#include "ctl/ask/exec/exec-command.h"
#include "ctl/ask/exec/exec-plan.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/time.h"

extern char **environ;

DEFINE_CLEANUP(benchd_config *, benchd_config_free)
DEFINE_CLEANUP(benchd_client *, benchd_client_free)
DEFINE_CLEANUP(benchd_event *, benchd_event_free)

#define JOB_PATIENCE_MS                                                                                                \
 5000u /* for the words of the daemon that the job is accepted, which came before its first process */

/* Memory of the command and of all processes of the stage. */
struct ExecShared {
        char socket[PATH_MAX];          /* of the daemon; empty: the default */
        char run_id[EXEC_RUN_ID_BYTES]; /* read once `accepted` is set */
        int accepted;
};

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

/* The daemon's word on it; a connection of this process alone, since the daemon takes in whoever made it. */
static int join_runner(const ExecShared *shared, char words[static EXEC_WORDS_BYTES]) {
        _cleanup_(benchd_client_freep) benchd_client *client = NULL;
        _cleanup_(benchd_event_freep) benchd_event *event = NULL;
        _cleanup_(json_decrefp) json_t *fields = NULL;
        _cleanup_(freep) char *text = NULL;
        uint64_t id;
        int r;

        r = await_job(shared);
        if (r == 0)
                r = client_open(shared, &client);
        if (r == 0)
                fields = json_pack("{s:s}", "run_id", shared->run_id);
        if (fields)
                text = json_dumps(fields, JSON_COMPACT);
        if (r == 0)
                r = text ? benchd_client_ask(client, "adopt", text, &id) : -ENOMEM;
        if (r == 0)
                r = client_next(client, &event);
        if (r == 0 && benchd_event_type(event) != BENCHD_EVENT_ERROR)
                return 0;
        snprintf(words, EXEC_WORDS_BYTES, "benchctl was not taken in by the daemon, which is to lend it CPUs: %s",
                        r ? benchd_error_string(r) : benchd_event_error_message(event));
        return -ECONNREFUSED;
}

/* ---- one body */

typedef struct Performance {
        const ExecStage *stage;
        int fd;
        int null_fd;
        int error_fd; /* a memfd with the last words of the command */
        bool joined;
} Performance;

static void describe(const ExecPlan *plan, uint32_t index, ExecDescription *ret_description) {
        const ExecCommand *command = &plan->commands[index];

        *ret_description = (ExecDescription){ .n = plan->n };
        snprintf(ret_description->name, sizeof ret_description->name, "%s", command->name);
        snprintf(ret_description->title, sizeof ret_description->title, "%s", command->title);
}

static void run(Performance *performance, uint32_t index, ExecRun *ret_run) {
        const ExecPlan *plan = performance->stage->plan;
        const ExecFiles files = {
                .in = performance->null_fd,
                .out = plan->output == EXEC_OUTPUT_INHERIT ? STDOUT_FILENO : performance->null_fd,
                .err = plan->output == EXEC_OUTPUT_INHERIT ? STDERR_FILENO : performance->error_fd,
        };
        char words[EXEC_WORDS_BYTES];
        ExecOutcome outcome;
        int r;

        *ret_run = (ExecRun){};
        if (!performance->joined && join_runner(performance->stage->shared, ret_run->failed) != 0)
                return;
        performance->joined = true;
        (void)!ftruncate(performance->error_fd, 0);
        (void)lseek(performance->error_fd, 0, SEEK_SET);
        r = exec_command_run(&plan->commands[index], &files, environ, &outcome);
        if (r) {
                snprintf(ret_run->failed, sizeof ret_run->failed, "the command could not be started: %s",
                                strerrordesc_np(-r));
                return;
        }
        ret_run->wall_ns = outcome.wall_ns;
        memcpy(ret_run->counts, outcome.counts, sizeof ret_run->counts);
        if (outcome.ending == EXEC_ENDED || (outcome.ending == EXEC_EXITED && plan->ignores[outcome.code]))
                return;
        snprintf(ret_run->failed, sizeof ret_run->failed, "%s", exec_command_words(&outcome, words));
}

static bool answer(Performance *performance, const ExecAsk *ask) {
        const ExecStage *stage = performance->stage;
        ExecDescription description;
        ExecRun done;

        if (memcmp(ask->token, stage->token, sizeof ask->token) != 0 || ask->command >= stage->plan->n)
                return false;
        if (ask->question == EXEC_DESCRIBE) {
                describe(stage->plan, ask->command, &description);
                return send(performance->fd, &description, sizeof description, MSG_NOSIGNAL) == sizeof description;
        }
        run(performance, ask->command, &done);
        return send(performance->fd, &done, sizeof done, MSG_NOSIGNAL) == sizeof done;
}

static void perform(const ExecStage *stage, int fd) {
        Performance performance = {
                .stage = stage,
                .fd = fd,
                .null_fd = open("/dev/null", O_RDWR | O_CLOEXEC),
                .error_fd = memfd_create("stderr", MFD_CLOEXEC),
        };
        ExecAsk ask;

        if (performance.null_fd < 0 || performance.error_fd < 0)
                return;
        exec_command_prepare();
        while (recv(fd, &ask, sizeof ask, 0) == sizeof ask && answer(&performance, &ask))
                continue;
}

/* ---- the process that waits */

static void die_with(pid_t parent) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
                _exit(1);
}

static void receive(const ExecStage *stage) {
        const pid_t parent = getpid();
        int fd;

        fd = accept4(stage->listening_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0)
                return;
        if (fork() == 0) {
                die_with(parent);
                fd_close(stage->listening_fd);
                perform(stage, fd);
                _exit(0);
        }
        fd_close(fd);
}

/* Ctrl-C is for the command, and for benchctl, which cancels the job. */
static void wait_for_bodies(const ExecStage *stage) {
        (void)signal(SIGINT, SIG_IGN);
        (void)signal(SIGQUIT, SIG_IGN);
        (void)signal(SIGCHLD, SIG_DFL);
        for (;;) {
                receive(stage);
                while (waitpid(-1, NULL, WNOHANG) > 0)
                        continue;
        }
}

/* ---- in front */

static int make_token(char token[static EXEC_TOKEN_BYTES]) {
        uint8_t bytes[(EXEC_TOKEN_BYTES - 1) / 2];

        if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
                return error_origin(-errno);
        for (size_t i = 0; i < sizeof bytes; i++)
                snprintf(token + 2 * i, 3, "%02x", bytes[i]);
        return 0;
}

/* A module that root submits runs as another user, who must reach the socket; the token keeps all others out. */
static int make_socket(ExecStage *stage) {
        const char *above = getenv("XDG_RUNTIME_DIR");
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        if (!above || geteuid() == 0 || strlen(above) > sizeof address.sun_path / 2)
                above = "/tmp";
        snprintf(stage->directory, sizeof stage->directory, "%s/benchctl-XXXXXX", above);
        if (!mkdtemp(stage->directory))
                return error_origin(-errno);
        snprintf(address.sun_path, sizeof address.sun_path, "%s/stage", stage->directory);
        snprintf(stage->path, sizeof stage->path, "%s", address.sun_path);
        stage->listening_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        if (stage->listening_fd < 0 || bind(stage->listening_fd, (struct sockaddr *)&address, sizeof address) < 0 ||
                        listen(stage->listening_fd, 16) < 0)
                return error_origin(-errno);
        if (geteuid() == 0 && (chmod(stage->directory, 0711) < 0 || chmod(stage->path, 0666) < 0))
                return error_origin(-errno);
        return 0;
}

static int share(ExecStage *stage, const char *socket) {
        stage->shared = mmap(NULL, sizeof *stage->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (stage->shared == MAP_FAILED) {
                stage->shared = NULL;
                return error_origin(-errno);
        }
        snprintf(stage->shared->socket, sizeof stage->shared->socket, "%s", socket ? socket : "");
        return 0;
}

int exec_stage_start(ExecStage *stage, const ExecPlan *plan, const char *socket) {
        const pid_t parent = getpid();
        int r;

        *stage = (ExecStage){ .plan = plan, .listening_fd = -1 };
        r = make_token(stage->token);
        if (r == 0)
                r = share(stage, socket);
        if (r == 0)
                r = make_socket(stage);
        if (r)
                return error_trace(r);
        stage->pid = fork();
        if (stage->pid < 0)
                return error_origin(-errno);
        if (stage->pid == 0) {
                die_with(parent);
                wait_for_bodies(stage);
        }
        return 0;
}

void exec_stage_tell_job(ExecStage *stage, const char *run_id) {
        snprintf(stage->shared->run_id, sizeof stage->shared->run_id, "%s", run_id);
        __atomic_store_n(&stage->shared->accepted, 1, __ATOMIC_RELEASE);
}

void exec_stage_end(ExecStage *stage) {
        if (stage->pid > 0) {
                (void)kill(stage->pid, SIGKILL);
                (void)waitpid(stage->pid, NULL, 0);
        }
        fd_close(stage->listening_fd);
        if (stage->path[0])
                (void)unlink(stage->path);
        if (stage->directory[0])
                (void)rmdir(stage->directory);
        if (stage->shared)
                (void)munmap(stage->shared, sizeof *stage->shared);
        *stage = (ExecStage){ .listening_fd = -1 };
}
