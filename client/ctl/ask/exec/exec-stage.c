/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/exec/exec-stage.h"

#include <errno.h>
#include <fcntl.h>
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
#include <unistd.h>

#include "ctl/ask/exec/exec-cold.h"
#include "ctl/ask/exec/exec-command.h"
#include "ctl/ask/exec/exec-environment.h"
#include "ctl/ask/exec/exec-hook.h"
#include "ctl/ask/exec/exec-output.h"
#include "ctl/ask/exec/exec-perform.h"
#include "ctl/ask/exec/exec-plan.h"
#include "ctl/ask/exec/exec-shared.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "util/error.h"
#include "util/fd.h"

#define ASKERS_MAX       16u /* one for each side of a comparison, and those that are about to end */
#define TRIM_INTERVAL_MS 10  /* of what commands print meanwhile: some 10 MB */
#define END_PATIENCE_MS  2000

/* ---- the process that waits */

static void die_with(pid_t parent) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
                _exit(1);
}

/* The process that asks is one of those that run commands. */
typedef struct Asker {
        int hooks_fd;
        int output_fd;
        int pipe_fd; /* to be emptied; -1: none */
} Asker;

typedef struct Askers {
        Asker all[ASKERS_MAX];
        size_t n;
} Askers;

static void asker_close(Asker *asker) {
        fd_close(asker->hooks_fd);
        fd_close(asker->output_fd);
        fd_close(asker->pipe_fd);
}

static void perform(const ExecStage *stage, pid_t parent, int fd, int hooks_fd, int output_fd, int pipe_fd) {
        const ExecPerformance performance = { .stage = stage,
                .fd = fd,
                .hooks_fd = hooks_fd,
                .output_fd = output_fd,
                .pipe_fd = pipe_fd };

        exec_command_live_with(parent);
        fd_close(stage->listening_fd);
        exec_perform(&performance);
        _exit(0);
}

/* A body that cannot be served finds that the connection ends. */
static void serve(const ExecStage *stage, int fd, Askers *askers) {
        const pid_t parent = getpid();
        int hooks[2] = { -1, -1 }, output[2] = { -1, -1 };
        Asker asker;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, hooks) < 0 ||
                        (exec_plan_puts_out(stage->plan, EXEC_OUTPUT_PIPE) && pipe2(output, O_CLOEXEC) < 0)) {
                fd_close(hooks[0]);
                fd_close(hooks[1]);
                return;
        }
        asker = (Asker){ .hooks_fd = hooks[0], .output_fd = exec_output_new(), .pipe_fd = output[0] };
        if (asker.output_fd >= 0 && fork() == 0)
                perform(stage, parent, fd, hooks[1], asker.output_fd, output[1]);
        fd_close(hooks[1]);
        fd_close(output[1]);
        askers->all[askers->n++] = asker;
}

static void receive(const ExecStage *stage, Askers *askers) {
        int fd;

        fd = accept4(stage->listening_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0 && askers->n < ASKERS_MAX)
                serve(stage, fd, askers);
        fd_close(fd);
}

/* A process of its own runs the hook, since another asker may come meanwhile. It has the rights of the user. */
static void run_hook(const ExecStage *stage, const ExecHookAsk *ask, int fd) {
        const ExecCommand *command = &stage->plan->commands[ask->command];
        const pid_t parent = getpid();
        char failed[EXEC_WORDS_BYTES] = "", iteration[EXEC_ITERATION_BYTES];

        if (fork() != 0)
                return;
        die_with(parent);
        snprintf(iteration, sizeof iteration, "%llu", (unsigned long long)ask->iteration);
        (void)exec_hook_run(command, ask->hook, iteration, command->output == EXEC_OUTPUT_INHERIT, failed);
        (void)send(fd, failed, sizeof failed, MSG_NOSIGNAL);
        _exit(0);
}

/* Returns false once the asker has ended. */
static bool attend(const ExecStage *stage, const Asker *asker, const struct pollfd *hooks,
                const struct pollfd *output) {
        static char forgotten[65536];
        ExecHookAsk ask;

        exec_output_trim(asker->output_fd);
        if (output->revents & POLLIN)
                (void)!read(asker->pipe_fd, forgotten, sizeof forgotten);
        if (!hooks->revents)
                return true;
        if (recv(asker->hooks_fd, &ask, sizeof ask, 0) != sizeof ask)
                return false;
        run_hook(stage, &ask, asker->hooks_fd);
        return true;
}

static void turn(const ExecStage *stage, Askers *askers) {
        struct pollfd fds[1 + 2 * ASKERS_MAX] = { { .fd = stage->listening_fd, .events = POLLIN } };
        const size_t n = askers->n;
        size_t n_kept = 0;

        for (size_t i = 0; i < n; i++) {
                fds[1 + 2 * i] = (struct pollfd){ .fd = askers->all[i].hooks_fd, .events = POLLIN };
                fds[2 + 2 * i] = (struct pollfd){ .fd = askers->all[i].pipe_fd, .events = POLLIN };
        }
        if (poll(fds, 1 + 2 * n, n > 0 ? TRIM_INTERVAL_MS : -1) < 0)
                return;
        for (size_t i = 0; i < n; i++) {
                if (attend(stage, &askers->all[i], &fds[1 + 2 * i], &fds[2 + 2 * i]))
                        askers->all[n_kept++] = askers->all[i];
                else
                        asker_close(&askers->all[i]);
        }
        askers->n = n_kept;
        if (fds[0].revents)
                receive(stage, askers);
}

/* Ctrl-C is for the command, and for benchctl, which cancels the job. */
static void wait_for_bodies(const ExecStage *stage) {
        Askers askers = {};

        (void)signal(SIGINT, SIG_IGN);
        (void)signal(SIGQUIT, SIG_IGN);
        (void)signal(SIGCHLD, SIG_DFL);
        for (;;) {
                turn(stage, &askers);
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

/* Under systemd a runner sees neither /tmp nor homes. A private daemon may be where the installed one's directory is not. */
static const char *socket_directory(void) {
        const char *installed = "/run/benchd/commands", *own = getenv("XDG_RUNTIME_DIR");

        if (access(installed, W_OK | X_OK) == 0)
                return installed;
        return !own || geteuid() == 0 || strlen(own) > sizeof((struct sockaddr_un *)0)->sun_path / 2 ? "/tmp" : own;
}

/* A module that root submits runs as another user, who must reach the socket; the token keeps all others out. */
static int make_socket(ExecStage *stage) {
        const char *above = socket_directory();
        struct sockaddr_un address = { .sun_family = AF_UNIX };

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

static int start(ExecStage *stage, const char *socket) {
        const pid_t parent = getpid();
        int lives[2], r;

        r = make_token(stage->token);
        if (r == 0)
                r = share(stage, socket);
        if (r == 0)
                r = make_socket(stage);
        if (r)
                return error_trace(r);
        if (pipe2(lives, O_CLOEXEC) < 0)
                return error_origin(-errno);
        stage->lives_fd = lives[0];
        stage->pid = fork();
        if (stage->pid == 0) {
                die_with(parent);
                fd_close(lives[0]);
                wait_for_bodies(stage);
        }
        fd_close(lives[1]);
        return stage->pid < 0 ? error_origin(-errno) : 0;
}

int exec_stage_start(ExecStage *stage, const ExecPlan *plan, bool includes_shell, const char *socket) {
        int r;

        *stage = (ExecStage){ .plan = plan, .includes_shell = includes_shell, .listening_fd = -1, .lives_fd = -1 };
        r = exec_cold_find(plan, &stage->cold);
        if (r)
                return r;
        r = start(stage, socket);
        if (r == 0)
                return 0;
        complain("Cannot start the process that runs the commands: %s.", strerrordesc_np(-r));
        return EXIT_MACHINE;
}

void exec_stage_tell_job(ExecStage *stage, const char *run_id) {
        snprintf(stage->shared->run_id, sizeof stage->shared->run_id, "%s", run_id);
        __atomic_store_n(&stage->shared->accepted, 1, __ATOMIC_RELEASE);
}

void exec_stage_end(ExecStage *stage) {
        struct pollfd lives = { .fd = stage->lives_fd };

        if (stage->pid > 0) {
                (void)kill(stage->pid, SIGKILL);
                (void)waitpid(stage->pid, NULL, 0);
                (void)poll(&lives, 1, END_PATIENCE_MS); /* its processes end what they run */
        }
        fd_close(stage->lives_fd);
        fd_close(stage->listening_fd);
        if (stage->path[0])
                (void)unlink(stage->path);
        if (stage->directory[0])
                (void)rmdir(stage->directory);
        stage->cold = exec_cold_free(stage->plan, stage->cold);
        if (stage->shared)
                (void)munmap(stage->shared, sizeof *stage->shared);
        *stage = (ExecStage){ .listening_fd = -1, .lives_fd = -1 };
}
