/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/zygote.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/base/capabilities.h"
#include "launch/birth/birth.h"
#include "launch/birth/cell-birth.h"
#include "launch/birth/keeper.h"
#include "launch/birth/process-fds.h"
#include "launch/birth/run-group.h"
#include "launch/birth/stray.h"
#include "launch/birth/workplace.h"
#include "util/cleanup.h"
#include "util/end-signals.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/root-dir.h"
#include "util/socket.h"

typedef enum ZygoteTask {
        ZYGOTE_TASK_BEAR,
        ZYGOTE_TASK_CLEAR, /* what the runner of the place left is removed, and nothing is answered */
        ZYGOTE_TASK_TRIM,  /* the output of the runner of the place is, and nothing is answered */
} ZygoteTask;

typedef struct ZygoteRequest {
        uint32_t task; /* ZygoteTask */
        ZygoteBirth birth;
} ZygoteRequest;

typedef struct ZygoteAnswer {
        CellPids pids; /* those that were born, which the launcher reaps */
        int32_t error; /* negative errno, or 0 */
} ZygoteAnswer;

#define ZYGOTE_TIMER_SLACK_NS 50000ul /* the kernel's own for a program */

/*
 * A stop of the service signals all of its processes; the launcher needs the zygote until it ends itself, which closes
 * the socket.
 */
static void zygote_outlive_stop(void) {
        for (size_t i = 0; i < END_SIGNALS_N; i++)
                (void)sigaction(end_signals[i], &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
}

/* The runners of a place that have no cell, until it is cleared. */
typedef struct Bare {
        pid_t pids[RUNNER_SIDES_MAX]; /* 0: there is none */
        int pidfds[RUNNER_SIDES_MAX];
} Bare;

typedef struct ZygoteCare {
        const BirthPrograms *programs;
        BirthFault *faults;
        int lifeline_fd;  /* the end that cells watch */
        OpsOutcome cells; /* 0 until the first is born, or cannot be */
        Workplaces workplaces;
        Bare bare[WORKPLACES_MAX];
        pid_t trimmers[WORKPLACES_MAX];                                  /* the last of each place; 0: there was none */
        char groups[WORKPLACES_MAX][ZYGOTE_GROUPS_MAX][ZYGOTE_PATH_MAX]; /* of the runner of each place; empty: none */
} ZygoteCare;

static void __attribute__((noreturn)) zygote_become_runner(const ZygoteCare *care, const ZygoteBirth *birth,
                BirthPlace *place, const CellSides *sides, int group_fd, const int *fds, size_t n_fds) {
        place->in_group = group_fd >= 0;
        place->side = sides->own;
        place->turn_fd = sides->turns[sides->own];
        birth_become_runner(care->programs, birth, place, fds, n_fds);
}

static void zygote_forget_bare(ZygoteCare *care, uint32_t place) {
        Bare *bare = &care->bare[place];

        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                if (bare->pids[i] > 0)
                        fd_close(bare->pidfds[i]);
        *bare = (Bare){};
}

static void zygote_note_bare(ZygoteCare *care, uint32_t place, const pid_t *pids) {
        zygote_forget_bare(care, place);
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++) {
                const int fd = pids[i] > 0 ? pidfd_open(pids[i], 0) : -1;

                if (fd < 0)
                        continue;
                care->bare[place].pids[i] = pids[i];
                care->bare[place].pidfds[i] = fd;
        }
}

/* A pid still means the same process as long as its pidfd takes a signal. */
static void zygote_end_bare(const Bare *bare) {
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                if (bare->pids[i] > 0 && pidfd_send_signal(bare->pidfds[i], SIGSTOP, NULL, 0) == 0)
                        stray_kill_below(bare->pids[i]);
}

static int zygote_bear_bare(ZygoteCare *care, const ZygoteBirth *birth, int keeper_fd, const int *fds, size_t n_fds,
                CellPids *pids) {
        _cleanup_(fd_closep) int group_fd = birth_open_group(birth);
        char path[WORKPLACE_PATH_MAX];
        BirthPlace place = {
                .namespaces = care->cells,
                .fault = &care->faults[birth->place],
                .keeper_fd = keeper_fd,
        };
        CellSides sides = { .n = birth->sides };
        int r;

        if (birth->works && !birth->keeps)
                place.work = workplace_take(&care->workplaces, birth->place, &birth->owner, path);
        r = cell_fork_runners(&sides, &group_fd, pids->runners);
        if (r == CELL_BIRTH_E_RUNNER)
                zygote_become_runner(care, birth, &place, &sides, group_fd, fds, n_fds);
        zygote_note_bare(care, birth->place, pids->runners);
        return r;
}

/* If the first runner gets no cell, none is tried again; once one had a cell, no runner goes without. */
static ZygoteAnswer zygote_bear(ZygoteCare *care, const ZygoteBirth *birth, int keeper_fd, const int *fds,
                size_t n_fds) {
        BirthPlace in_cell = {
                .namespaces = OPS_OUTCOME_APPLIED,
                .fault = &care->faults[birth->place],
                .keeper_fd = keeper_fd,
        };
        ZygoteAnswer answer = {};

        if (care->cells == OPS_OUTCOME_PENDING || care->cells == OPS_OUTCOME_APPLIED) {
                _cleanup_(fd_closep) int group_fd = birth_open_group(birth);
                CellSides sides = { .n = birth->sides };

                answer.error = cell_bear(care->lifeline_fd, &group_fd, &sides, in_cell.fault, &answer.pids);
                if (answer.error == CELL_BIRTH_E_RUNNER)
                        zygote_become_runner(care, birth, &in_cell, &sides, group_fd, fds, n_fds);
                if (answer.error == 0)
                        care->cells = OPS_OUTCOME_APPLIED;
                else if (care->cells == OPS_OUTCOME_PENDING)
                        care->cells = cell_refusal(answer.error);
                if (care->cells == OPS_OUTCOME_PENDING || care->cells == OPS_OUTCOME_APPLIED)
                        return answer;
        }
        answer.error = zygote_bear_bare(care, birth, keeper_fd, fds, n_fds, &answer.pids);
        return answer;
}

static ZygoteAnswer zygote_bear_kept(ZygoteCare *care, const ZygoteBirth *birth, const int *fds, size_t n_fds) {
        _cleanup_(fd_closep) int keeper_fd = -1;
        const int r = birth->keeps || birth->sees ? keeper_start(fds[ZYGOTE_FD_PLAN], &keeper_fd) : 0;

        return r ? (ZygoteAnswer){ .error = r } : zygote_bear(care, birth, keeper_fd, fds, n_fds);
}

/* Keeps nothing else open: it may have to wait for as long as the runner lives. */
static void __attribute__((noreturn)) trimmer_main(int fd) {
        if (dup2(fd, STDIN_FILENO) >= 0 && close_range(STDIN_FILENO + 1, ~0u, 0) == 0)
                process_output_trim(STDIN_FILENO);
        _exit(0);
}

static void zygote_trim_output(ZygoteCare *care, uint32_t place, int fd) {
        pid_t *trimmer = &care->trimmers[place];

        if (*trimmer > 0 && waitpid(*trimmer, NULL, WNOHANG) == 0)
                return;
        *trimmer = fork();
        if (*trimmer == 0)
                trimmer_main(fd);
}

static void zygote_close(int *fds, size_t n_fds) {
        for (size_t i = 0; i < n_fds; i++)
                fds[i] = fd_close(fds[i]);
}

/*
 * The launcher keeps the files of a birth open until it is answered, so no last close delays the next birth. False: the
 * launcher is gone.
 */
static bool zygote_do(int fd, ZygoteCare *care, const ZygoteRequest *request, int *fds, size_t n_fds) {
        const uint32_t place = request->birth.place;
        ZygoteAnswer answer;
        size_t n;

        if (place >= WORKPLACES_MAX)
                return false;
        if (request->task == ZYGOTE_TASK_CLEAR) {
                workplace_clear(&care->workplaces, place);
                zygote_forget_bare(care, place);
                memset(care->groups[place], 0, sizeof care->groups[place]);
                return true;
        }
        if (request->task == ZYGOTE_TASK_TRIM) {
                if (n_fds == 1)
                        zygote_trim_output(care, place, fds[0]);
                return true;
        }
        if (n_fds < ZYGOTE_FD_MODULE)
                return false;
        memcpy(care->groups[place], request->birth.groups, sizeof care->groups[place]);
        answer = zygote_bear_kept(care, &request->birth, fds, n_fds);
        zygote_close(fds, n_fds);
        return socket_send(fd, &answer, sizeof answer, NULL, 0, &n) == 0;
}

/* False: the launcher is gone. */
static bool zygote_serve(int fd, ZygoteCare *care) {
        int fds[SOCKET_FDS_MAX];
        ZygoteRequest request;
        size_t n, n_fds;
        bool goes_on;

        if (socket_receive(fd, &request, sizeof request, &n, fds, &n_fds) || n != sizeof request)
                return false;
        goes_on = zygote_do(fd, care, &request, fds, n_fds);
        zygote_close(fds, n_fds);
        return goes_on;
}

/* Ends the runners that a killed launcher left: one may have undone its death with the parent. */
static void zygote_end_left(const ZygoteCare *care) {
        RootDir *root;

        if (root_dir_new("/", &root) != 0)
                return;
        for (size_t i = 0; i < WORKPLACES_MAX; i++) {
                run_group_end_files(root, care->groups[i]);
                zygote_end_bare(&care->bare[i]);
        }
        root_dir_free(root);
}

/* Any end of the launcher closes its socket: no signal is needed, and one would leave the directories behind. */
static int __attribute__((noreturn))
zygote_main(int fd, int lifeline_fd, BirthFault *faults, const ZygoteConfig *config) {
        ZygoteCare care = { .programs = config->programs, .faults = faults, .lifeline_fd = lifeline_fd };

        prctl(PR_SET_NAME, "benchd-zygote");
        (void)prctl(PR_SET_TIMERSLACK, ZYGOTE_TIMER_SLACK_NS, 0, 0,
                        0); /* of all runners: a program's, whatever the launcher has */
        zygote_outlive_stop();
        keepers_begin();
        workplaces_open(config->work, config->work, &care.workplaces);
        if (capabilities_limit(true) == 0)
                while (zygote_serve(fd, &care))
                        ;
        zygote_end_left(&care);
        workplaces_close(&care.workplaces);
        keepers_end();
        _exit(0);
}

#define FAULTS_BYTES (WORKPLACES_MAX * sizeof(BirthFault))

int zygote_start(const ZygoteConfig *config, Zygote *ret_zygote) {
        _cleanup_(fd_closep) int ours = -1, theirs = -1, lifeline = -1, watched = -1;
        BirthFault *faults;
        int pair[2];
        pid_t pid;

        faults = mmap(NULL, FAULTS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (faults == MAP_FAILED)
                return error_origin(-errno);
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
                return error_origin(-errno);
        ours = pair[0];
        theirs = pair[1];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
                return error_origin(-errno);
        lifeline = pair[0];
        watched = pair[1];

        pid = fork();
        if (pid < 0)
                return error_origin(-errno);
        if (pid == 0) {
                ours = fd_close(ours);
                lifeline = fd_close(lifeline);
                zygote_main(theirs, watched, faults, config);
        }
        *ret_zygote = (Zygote){
                .pid = pid,
                .fd = fd_take(&ours),
                .lifeline_fd = fd_take(&lifeline),
                .faults = faults,
        };
        return 0;
}

void zygote_stop(Zygote *zygote) {
        zygote->fd = fd_close(zygote->fd);
        zygote->lifeline_fd = fd_close(zygote->lifeline_fd);
        if (zygote->pid > 0)
                waitpid(zygote->pid, NULL, 0);
        if (zygote->faults)
                munmap(zygote->faults, FAULTS_BYTES);
        *zygote = ZYGOTE_NULL;
}

/* The scaffold ends by itself, as does all of a cell when its first process is killed. */
static void zygote_reap(const CellPids *pids, bool all) {
        if (all && pids->first > 0)
                kill(pids->first, SIGKILL);
        for (size_t i = 0; i < RUNNER_SIDES_MAX; i++)
                if (all && pids->runners[i] > 0) {
                        kill(pids->runners[i], SIGKILL);
                        waitpid(pids->runners[i], NULL, 0);
                }
        if (all && pids->first > 0)
                waitpid(pids->first, NULL, 0);
        if (pids->scaffold > 0)
                waitpid(pids->scaffold, NULL, 0);
}

int zygote_spawn(Zygote *zygote, const ZygoteBirth *birth, const int *fds, size_t n_fds, ZygoteNewborn *ret_newborn) {
        const ZygoteRequest request = { .birth = *birth };
        BirthFault *fault = &zygote->faults[birth->place];
        ZygoteAnswer answer;
        size_t n, n_none;
        int none[SOCKET_FDS_MAX];
        int r;

        *fault = (BirthFault){};
        r = socket_send(zygote->fd, &request, sizeof request, fds, n_fds, &n);
        if (r)
                return error_fold(r);
        r = socket_receive(zygote->fd, &answer, sizeof answer, &n, none, &n_none);
        if (r)
                return error_fold(r);
        zygote_reap(&answer.pids, answer.error);
        if (answer.error) /* a cell whose first process failed takes no birth (ENOMEM): the first process's own error says why */
                return error_origin(fault->error ? fault->error : answer.error);
        *ret_newborn = (ZygoteNewborn){ .first = answer.pids.first };
        memcpy(ret_newborn->runners, answer.pids.runners, sizeof ret_newborn->runners);
        return 0;
}

void zygote_read_fault(const Zygote *zygote, uint32_t place, char ret_words[static OPS_TEXT_MAX]) {
        memcpy(ret_words, zygote->faults[place].words, OPS_TEXT_MAX);
        ret_words[OPS_TEXT_MAX - 1] = '\0';
}

int zygote_clear(Zygote *zygote, uint32_t place) {
        const ZygoteRequest request = { .task = ZYGOTE_TASK_CLEAR, .birth.place = place };
        size_t n;

        return error_fold(socket_send(zygote->fd, &request, sizeof request, NULL, 0, &n));
}

int zygote_trim(Zygote *zygote, uint32_t place, int fd) {
        const ZygoteRequest request = { .task = ZYGOTE_TASK_TRIM, .birth.place = place };
        size_t n;

        return error_fold(socket_send(zygote->fd, &request, sizeof request, &fd, 1, &n));
}
