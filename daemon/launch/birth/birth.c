/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/birth/birth.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <numa.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch/base/capabilities.h"
#include "launch/birth/cell-view.h"
#include "launch/birth/keeper.h"
#include "launch/birth/zygote.h"
#include "ops/block.h"
#include "ops/runner-plan.h"

/*
 * The core's counters of a future runner, opened while it is still root: perf_event_paranoid may refuse them to the
 * user that it becomes. They count the process itself, so they outlive its exec, which drops them only if the program
 * may not be read (perf_event_open(2), begin_new_exec() of the kernel); giving up rights later does not close them.
 * They count user code only, so they reveal nothing of the kernel.
 */

/* In the order of COUNTER_*. */
static const uint64_t counters_events[RUNNER_COUNTERS_MAX] = {
        PERF_COUNT_HW_CPU_CYCLES,
        PERF_COUNT_HW_INSTRUCTIONS,
        PERF_COUNT_HW_BRANCH_MISSES,
        PERF_COUNT_HW_CACHE_MISSES,
};

static int counter_open(uint64_t event, int leader_fd) {
        struct perf_event_attr attributes = {
                .type = PERF_TYPE_HARDWARE,
                .size = sizeof attributes,
                .config = event,
                .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
                .exclude_kernel = 1,
                .exclude_hv = 1,
        };

        return syscall(SYS_perf_event_open, &attributes, 0, -1, leader_fd, PERF_FLAG_FD_CLOEXEC);
}

/*
 * Opens one group of all counters that the CPU has; @ret_fds in the order of COUNTER_*, -1 for a missing one. The caller
 * closes them.
 */
static void counters_open(int ret_fds[static RUNNER_COUNTERS_MAX]) {
        int leader_fd = counter_open(counters_events[0], -1);

        ret_fds[0] = leader_fd;
        for (unsigned i = 1; i < RUNNER_COUNTERS_MAX; i++)
                ret_fds[i] = leader_fd < 0 ? -1 : counter_open(counters_events[i], leader_fd);
}

#define BIRTH_EXIT_CODE 71 /* EX_OSERR: it never became a runner */

_Static_assert(OPS_MODULE_MAX + RUNNER_IMAGE_OFFSET_MAX <= RUNNER_FILE_MAX, "a runner may copy any module");

#define BIRTH_FDS_FLOOR 100 /* above everything that is placed */

static BirthFault *own_fault; /* of this process, which is one birth */

void birth_fail(BirthFault *fault, const char *step) {
        fault->error = -errno;
        snprintf(fault->words, sizeof fault->words, "%s: %m", step);
        _exit(BIRTH_EXIT_CODE);
}

static void __attribute__((noreturn)) birth_fail_at(const char *step) {
        birth_fail(own_fault, step);
}

/*
 * Sets handlers and mask as a fresh process has them, except that SIGXFSZ is ignored: writing too much to a file is an
 * error, not death.
 */
static void birth_reset_signals(void) {
        sigset_t none;

        for (int signal = 1; signal < NSIG; signal++)
                (void)sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
        (void)sigaction(SIGXFSZ, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Sets the soft limit to @value and the hard one to @most, so that the run can raise it again; neither above this
 * process's own. Returns the soft limit.
 */
static rlim_t birth_limit_up_to(int resource, rlim_t value, rlim_t most) {
        struct rlimit limit;

        if (getrlimit(resource, &limit) < 0)
                birth_fail_at("getrlimit");
        if (most < limit.rlim_max)
                limit.rlim_max = most;
        limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
        if (setrlimit(resource, &limit) < 0)
                birth_fail_at("setrlimit");
        return limit.rlim_cur;
}

static void birth_limit(int resource, rlim_t value) {
        (void)birth_limit_up_to(resource, value, value);
}

/*
 * A runner locks the code that it has loaded (runner/watch/memory-lock.h), of any size. If the limit cannot be raised,
 * the usual one has room for most code.
 */
static void birth_allow_locking(void) {
        (void)setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY });
}

/*
 * Kills a thread that spins at SCHED_FIFO even if the launcher never demotes it. The limit is many windows long, since a launcher on a
 * busy machine may be late, which is no fault of the benchmark. The signal of the soft limit tells why it died; SIGKILL, of the hard
 * limit, would not.
 */
static void birth_limit_realtime(void) {
        const rlim_t us = RUNNER_REALTIME_S * UINT64_C(1000000);

        (void)birth_limit_up_to(RLIMIT_RTTIME, us, us + us / 10);
}

/*
 * Large files and many descriptors take memory. A benchmark may raise these limits, as any program may, if a group bounds its memory or the
 * daemon is its user's own.
 */
static void birth_limit_files(const ZygoteBirth *birth, bool bounded) {
        const bool may_raise = bounded || !birth->owner.other;

        (void)birth_limit_up_to(RLIMIT_FSIZE, RUNNER_FILE_MAX, may_raise ? RLIM_INFINITY : RUNNER_FILE_MAX);
        (void)birth_limit_up_to(RLIMIT_NOFILE, RUNNER_FDS_MAX, may_raise ? RUNNER_FDS_RAISED_MAX : RUNNER_FDS_MAX);
}

static void birth_set_limits(const ZygoteBirth *birth, uint32_t joined) {
        const bool bounded = joined & birth->bounds_memory;

        birth_limit(RLIMIT_CORE, 0);
        birth_limit_files(birth, bounded);
        birth_limit(RLIMIT_RTPRIO, 0);
        birth_limit_realtime();
        birth_allow_locking();
        if (!bounded)
                birth_limit(RLIMIT_AS, birth->address_space_bytes);
        if (birth->tasks) /* a runner that becomes another user lowers the hard limit then (ops/confine.c) */
                (void)birth_limit_up_to(RLIMIT_NPROC, birth->tasks, birth->owner.other ? RLIM_INFINITY : birth->tasks);
}

/*
 * Leaves what root can reach without a check of the uid: its working directory and the keys of its session. Returns @work, or NULL if
 * that cannot be had: most benchmarks do without. The second side enters the directory of the first, in its turn.
 */
static const char *birth_leave_behind(const ZygoteBirth *birth, uint32_t side, const char *work) {
        if (side == 0 && work && !workplace_enter(work, &birth->owner)) {
                dprintf(STDERR_FILENO, "benchd-launch: a benchmark has no directory to write to: %s: %m\n", work);
                work = NULL;
        }
        if ((!work || side > 0) && chdir("/") < 0)
                birth_fail_at("chdir");
        if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS && errno != EPERM)
                birth_fail_at("a keyring of its own");
        return work;
}

void birth_offer_to_oom_killer(void) {
        int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

        if (fd < 0)
                return;
        (void)!write(fd, "1000", 4);
        close(fd);
}

/* True for the file of a group of v2. There is one at most, since a process is in one group of that hierarchy. */
static bool is_of_v2(const char *file) {
        const char *name = strrchr(file, '/');

        return name && strcmp(name + 1, "cgroup.procs") == 0;
}

int birth_open_group(const ZygoteBirth *birth) {
        char path[ZYGOTE_PATH_MAX];

        for (unsigned i = 0; i < ZYGOTE_GROUPS_MAX; i++) {
                if (!is_of_v2(birth->groups[i]))
                        continue;
                strcpy(path, birth->groups[i]);
                *strrchr(path, '/') = '\0';
                return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        }
        return -1;
}

/*
 * Joins the groups that it was not born in. Must come before pinning, since joining gives it all CPUs of the set. Returns the groups that it
 * is in, as bits.
 */
static uint32_t birth_join_groups(const ZygoteBirth *birth, bool in_group) {
        uint32_t joined = 0;

        for (unsigned i = 0; i < ZYGOTE_GROUPS_MAX; i++) {
                int fd;

                if (in_group && is_of_v2(birth->groups[i])) {
                        joined |= 1u << i;
                        continue;
                }
                fd = birth->groups[i][0] ? open(birth->groups[i], O_WRONLY | O_CLOEXEC) : -1;
                if (fd < 0)
                        continue;
                joined |= write(fd, "0", 1) == 1 ? 1u << i : 0;
                close(fd);
        }
        return joined;
}

static OpsOutcome birth_pin(const ZygoteBirth *birth) {
        cpu_set_t set;

        if (sched_setaffinity(0, sizeof birth->cpus, &birth->cpus) < 0)
                return OPS_OUTCOME_DENIED;
        if (sched_getaffinity(0, sizeof set, &set) < 0 || !CPU_EQUAL(&set, &birth->cpus))
                return OPS_OUTCOME_OVERRIDDEN;
        return birth->cpu < 0 ? OPS_OUTCOME_OMITTED : OPS_OUTCOME_APPLIED;
}

/* Sets the bits of the nodes of @cpus; false where one is not known. */
static bool birth_find_nodes(const cpu_set_t *cpus, struct bitmask *nodes) {
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
                int node;

                if (!CPU_ISSET(cpu, cpus))
                        continue;
                node = numa_node_of_cpu(cpu);
                if (node < 0)
                        return false;
                numa_bitmask_setbit(nodes, node);
        }
        return true;
}

/* Binds memory to the nodes of its CPUs. The policy survives exec. A machine of one node needs none. */
static OpsOutcome birth_bind_memory(const ZygoteBirth *birth) {
        struct bitmask *nodes;
        bool found;

        if (birth->cpu < 0)
                return OPS_OUTCOME_OMITTED;
        if (numa_available() < 0)
                return OPS_OUTCOME_UNSUPPORTED;
        nodes = numa_allocate_nodemask();
        found = birth_find_nodes(&birth->cpus, nodes);
        errno = 0;
        if (found && numa_num_configured_nodes() > 1)
                numa_set_membind(nodes);
        numa_free_nodemask(nodes);
        if (!found)
                return OPS_OUTCOME_UNSUPPORTED;
        if (numa_num_configured_nodes() == 1)
                return OPS_OUTCOME_ALREADY;
        return errno ? OPS_OUTCOME_DENIED : OPS_OUTCOME_APPLIED;
}

/*
 * Sets the stack limit before exec, which lays out memory by it. The hard limit stays, so that a benchmark may raise its limit as any
 * program may.
 */
static void birth_limit_stack(const ZygoteBirth *birth, ZygoteReport *report) {
        report->stack_bytes = birth_limit_up_to(RLIMIT_STACK, birth->stack_bytes, RLIM_INFINITY);
        if (birth->stack_asked)
                report->stack = report->stack_bytes == birth->stack_bytes ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_DENIED;
}

#define BIRTH_PERSONALITY_ASK 0xffffffffu

/* The personality survives exec, and the change of identity after it. */
static OpsOutcome birth_fix_layout(void) {
        int was = personality(BIRTH_PERSONALITY_ASK);

        if (was < 0)
                return OPS_OUTCOME_UNSUPPORTED;
        if (was & ADDR_NO_RANDOMIZE)
                return OPS_OUTCOME_ALREADY;
        if (personality(was | ADDR_NO_RANDOMIZE) < 0)
                return OPS_OUTCOME_DENIED;
        return personality(BIRTH_PERSONALITY_ASK) & ADDR_NO_RANDOMIZE ? OPS_OUTCOME_APPLIED : OPS_OUTCOME_OVERRIDDEN;
}

/* Checks that addresses are random by default, stack and heap among them. */
static OpsOutcome birth_find_layout_random(void) {
        int fd = open("/proc/sys/kernel/randomize_va_space", O_RDONLY | O_CLOEXEC);
        char level = 0;
        ssize_t n;

        if (fd < 0)
                return OPS_OUTCOME_UNSUPPORTED;
        n = read(fd, &level, 1);
        close(fd);
        if (n != 1)
                return OPS_OUTCOME_UNSUPPORTED;
        return level == '2' && !(personality(BIRTH_PERSONALITY_ASK) & ADDR_NO_RANDOMIZE) ? OPS_OUTCOME_ALREADY
                                                                                         : OPS_OUTCOME_OVERRIDDEN;
}

/* Moves all descriptors out of the way first, then into place: a placed one must not overwrite one that still waits. */
static void birth_place_fds(BirthPrograms *programs, BirthPlace *place, const int *fds, size_t n_fds) {
        static const int targets[] = {
                [ZYGOTE_FD_PLAN] = RUNNER_FD_PLAN,
                [ZYGOTE_FD_BLOCK] = RUNNER_FD_BLOCK,
                [ZYGOTE_FD_ASK] = RUNNER_FD_ASK,
                [ZYGOTE_FD_ANSWER] = RUNNER_FD_ANSWER,
                [ZYGOTE_FD_OUTPUT] = STDOUT_FILENO,
        };
        int high[ZYGOTE_FDS_MAX];

        programs->runner_fd = fcntl(programs->runner_fd, F_DUPFD_CLOEXEC, BIRTH_FDS_FLOOR);
        programs->count_fd = fcntl(programs->count_fd, F_DUPFD_CLOEXEC, BIRTH_FDS_FLOOR);
        programs->inspect_fd = fcntl(programs->inspect_fd, F_DUPFD_CLOEXEC, BIRTH_FDS_FLOOR);
        place->turn_fd = fcntl(place->turn_fd, F_DUPFD_CLOEXEC, BIRTH_FDS_FLOOR);
        if (programs->runner_fd < 0 || programs->count_fd < 0 || programs->inspect_fd < 0 || place->turn_fd < 0)
                birth_fail_at("fcntl");
        for (size_t i = 0; i < n_fds; i++) {
                high[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, BIRTH_FDS_FLOOR);
                if (high[i] < 0)
                        birth_fail_at("fcntl");
        }
        for (size_t i = 0; i < n_fds; i++)
                if (dup2(high[i], i < ZYGOTE_FD_MODULE ? targets[i] : (int)(RUNNER_FD_MODULE + i - ZYGOTE_FD_MODULE)) <
                                0)
                        birth_fail_at("dup2");
        if (dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
                birth_fail_at("dup2");
        if (dup2(open("/dev/null", O_RDONLY), STDIN_FILENO) < 0)
                birth_fail_at("/dev/null");
        if (syscall(SYS_close_range, RUNNER_FD_PLAN + n_fds - 1, BIRTH_FDS_FLOOR - 1, 0) < 0 ||
                        syscall(SYS_close_range, BIRTH_FDS_FLOOR, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
                birth_fail_at("close_range");
}

/*
 * Called after everything that closes descriptors. /dev/null takes the place of a counter that the CPU lacks, so that
 * no descriptor of the module can be where the runner reads.
 */
static void birth_place_counters(void) {
        int fds[RUNNER_COUNTERS_MAX], high[RUNNER_COUNTERS_MAX];

        counters_open(fds);
        for (unsigned i = 0; i < RUNNER_COUNTERS_MAX; i++) {
                int fd = fds[i] >= 0 ? fds[i] : open("/dev/null", O_RDONLY | O_CLOEXEC);

                high[i] = fcntl(fd, F_DUPFD_CLOEXEC, BIRTH_FDS_FLOOR);
                if (high[i] < 0)
                        birth_fail_at("a counter");
                close(fd);
        }
        for (unsigned i = 0; i < RUNNER_COUNTERS_MAX; i++)
                if (dup2(high[i], RUNNER_FD_COUNTERS + i) < 0)
                        birth_fail_at("dup2");
}

/* A file of /proc that is opened here stays the same across exec, whatever /proc is mounted later. */
static void birth_place_status(void) {
        int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

        if (fd < 0 || dup2(fd, RUNNER_FD_STATUS) < 0)
                birth_fail_at("/proc/self/status");
        close(fd);
}

/* Tells the other side's birth that it may go on. */
static void birth_pass_turn(const ZygoteBirth *birth, const BirthPlace *place) {
        if (birth->sides > 1 && write(place->turn_fd, "", 1) != 1)
                _exit(BIRTH_EXIT_CODE); /* the other side is dead, and reported the fault */
}

static void birth_await_turn(const ZygoteBirth *birth, const BirthPlace *place) {
        ssize_t n;
        char word;

        if (birth->sides < 2)
                return;
        do
                n = read(place->turn_fd, &word, 1);
        while (n < 0 && errno == EINTR);
        if (n != 1)
                _exit(BIRTH_EXIT_CODE);
}

/* Makes the mounts of a cell's view that are needed early, at descriptors above those that are placed. */
static CellView birth_begin_view(const ZygoteBirth *birth, const BirthPlace *place) {
        const bool has_own_cpus = birth->cpu >= 0 && CPU_COUNT(&birth->cpus) > 1;
        CellView view = {
                .owner = &birth->owner,
                .online = has_own_cpus ? &birth->cpus : NULL,
                .proc_fd = -1,
                .work_fd = -1,
        };

        if (place->namespaces == OPS_OUTCOME_APPLIED && place->side == 0)
                view.proc_fd = fcntl(cell_view_open_proc(), F_DUPFD_CLOEXEC, BIRTH_FDS_FLOOR);
        return view;
}

/*
 * Comes last, since nothing outside can be opened by name afterwards. Returns the runner's own directory, or NULL. Both sides share the
 * view.
 */
static const char *birth_close_view(const ZygoteBirth *birth, const BirthPlace *place, const CellView *view) {
        const char *step = place->side == 0 ? cell_view_close(view) : cell_view_enter();

        if (step)
                birth_fail_at(step);
        if (birth->owner.other && capabilities_hand_on())
                birth_fail_at("PR_CAP_AMBIENT");
        return birth->works ? CELL_VIEW_WORKPLACE : NULL;
}

/* ---- paths of the submitter's choice */

/*
 * Reports in the block, in place of the runner, why a path cannot be had: the submitter has to act; it is no fault of
 * the daemon.
 */
static void __attribute__((noreturn)) birth_refuse(int block_fd, const KeeperRefusal *refusal) {
        BlockHead head = {
                .magic = SAMPLE_BLOCK_MAGIC,
                .version = SAMPLE_BLOCK_VERSION,
                .end = refusal->end,
        };
        struct stat status;

        snprintf(head.message, sizeof head.message, "%s", refusal->words);
        if (fstat(block_fd, &status) < 0 || pwrite(block_fd, &head, sizeof head, 0) != sizeof head)
                birth_fail_at("the block");
        if (status.st_size == RUNNER_SIDES_MAX * (off_t)sizeof(SampleBlock)) /* each side has one */
                (void)!pwrite(block_fd, &head, sizeof head, sizeof(SampleBlock));
        _exit(0);
}

/* The places that the keeper found become mounts of @view. */
static void birth_view_kept(const KeeperPlaces *kept, CellView *view) {
        if (kept->own.fd >= 0) {
                view->work_fd = fcntl(keeper_clone_own(&kept->own), F_DUPFD_CLOEXEC, BIRTH_FDS_FLOOR);
                if (view->work_fd < 0)
                        birth_fail_at("open_tree");
        }
        for (size_t i = 0; i < kept->n_seen; i++) {
                CellSeen *seen = &view->seen[view->n_seen++];

                memcpy(seen->path, kept->seen_paths[i], sizeof seen->path);
                seen->fd = fcntl(keeper_clone_seen(&kept->seen[i]), F_DUPFD_CLOEXEC, BIRTH_FDS_FLOOR);
                if (seen->fd < 0)
                        birth_fail_at("open_tree");
        }
}

/*
 * Waits for the paths that the keeper opens. Without a cell it enters the directory and returns its path in @kept, else @work; the paths
 * to be seen are visible anyway.
 */
static const char *birth_take_kept(const BirthPlace *place, const WorkplaceOwner *owner, int block_fd, const char *work,
                KeeperPlaces *kept, CellView *view) {
        const bool in_cell = place->namespaces == OPS_OUTCOME_APPLIED;
        KeeperRefusal refusal;

        if (!keeper_receive(place->keeper_fd, kept, &refusal)) {
                if (place->side > 0)
                        _exit(0); /* the first side reports why */
                birth_refuse(block_fd, &refusal);
        }
        if (kept->own.fd >= 0 && place->side == 0 && !keeper_watch(place->keeper_fd, in_cell ? 1 : getpid()))
                birth_fail_at("pidfd_open");
        if (in_cell && place->side == 0)
                birth_view_kept(kept, view);
        if (in_cell || kept->own.fd < 0)
                return work;
        if (!workplace_enter_open(kept->own.fd, owner))
                birth_fail_at("fchdir");
        return kept->own.path;
}

/* True for the second side of a comparison whose directory the first side's birth made. */
static bool birth_follows(const ZygoteBirth *birth, const BirthPlace *place) {
        return place->side > 0 && place->namespaces != OPS_OUTCOME_APPLIED && !birth->keeps;
}

/*
 * Gives each side a directory, with names of equal length, so that neither side finds the other's files under its own names. The
 * second side has none if the first could not have one.
 */
static const char *birth_enter_side(const ZygoteBirth *birth, const BirthPlace *place, const char *work) {
        static const char *const names[RUNNER_SIDES_MAX] = { "new", "old" };
        static char path[WORKPLACE_PATH_MAX + 8];
        const char *name = names[place->side];

        if (!work || birth->sides < 2)
                return work;
        if (birth_follows(birth, place) && !workplace_follow(work, &birth->owner))
                return NULL;
        snprintf(path, sizeof path, "%s/%s", work, name);
        if (!workplace_make_below(name, &birth->owner))
                birth_fail_at("a directory of each side's own");
        return path;
}

/*
 * The environment is constant, except for padding that moves the first stack by its length, and the directory for files, whose name has a
 * constant length.
 */
static void __attribute__((noreturn))
birth_execute(const BirthPrograms *programs, const ZygoteBirth *birth, uint32_t side, const char *work) {
        static char padding[sizeof "PADDING=" + RUNNER_PADDING_MAX] = "PADDING=";
        static char directory[sizeof "TMPDIR=" + WORKPLACE_PATH_MAX + 8];
        const char *name = birth->inspects ? "benchd-inspect" : "benchd-runner";
        char *const arguments[] = { (char *)name, (char *)(side == 0 ? "0" : "1"), NULL };
        char *environment[] = { (char *)"PATH=/usr/bin:/bin", (char *)"LANG=C.UTF-8", padding, NULL, NULL };

        if (work) {
                snprintf(directory, sizeof directory, "TMPDIR=%s", work);
                environment[3] = directory;
        }
        memset(padding + strlen(padding), '.', birth->environment_padding_bytes);
        syscall(SYS_execveat, birth->inspects ? programs->inspect_fd : programs->runner_fd, "", arguments, environment,
                        AT_EMPTY_PATH);
        birth_fail_at("execveat");
}

/*
 * Both sides share one view, which the first closes, once the other has no file open for writing. The other goes on only in the closed
 * view. Returns the runner's own directory, or NULL.
 */
static const char *birth_close_world(const ZygoteBirth *birth, const BirthPlace *place, const char *work,
                const CellView *view) {
        if (place->side > 0)
                birth_pass_turn(birth, place);
        birth_await_turn(birth, place);
        if (place->namespaces == OPS_OUTCOME_APPLIED)
                work = birth_close_view(birth, place, view);
        work = birth_enter_side(birth, place, work);
        if (place->side == 0)
                birth_pass_turn(birth, place);
        return work;
}

void birth_become_runner(const BirthPrograms *programs, const ZygoteBirth *birth, const BirthPlace *place,
                const int *fds, size_t n_fds) {
        ZygoteReport report = { .namespaces = place->namespaces };
        BirthPrograms own = *programs;
        BirthPlace turn = *place;
        CellView view = birth_begin_view(birth, place);
        static KeeperPlaces kept;
        const char *work;

        own_fault = place->fault;
        if (n_fds < ZYGOTE_FD_MODULE || n_fds > ZYGOTE_FDS_MAX ||
                        birth->environment_padding_bytes >= RUNNER_PADDING_MAX) {
                errno = EINVAL;
                birth_fail_at("a request of the zygote");
        }
        birth_offer_to_oom_killer();
        birth_reset_signals();
        if (setsid() < 0)
                birth_fail_at("setsid");
        umask(077);
        work = birth_leave_behind(birth, place->side, place->work);
        if (place->keeper_fd >= 0)
                work = birth_take_kept(place, &birth->owner, fds[ZYGOTE_FD_BLOCK], work, &kept, &view);
        if (place->namespaces == OPS_OUTCOME_APPLIED && place->side == 0 && view.proc_fd < 0)
                report.namespaces = OPS_OUTCOME_OVERRIDDEN;

        report.joined = birth_join_groups(birth, place->in_group);
        report.affinity = birth_pin(birth);
        report.memory = birth_bind_memory(birth);
        birth_limit_stack(birth, &report);
        if (birth->fixed_layout)
                report.fixed_layout = birth_fix_layout();
        else if (birth->common_layout)
                report.common_layout = birth_fix_layout();
        else
                report.random_layout = birth_find_layout_random();
        if (place->side == 0 && write(fds[ZYGOTE_FD_ASK], &report, sizeof report) != sizeof report)
                birth_fail_at("report");
        birth_place_fds(&own, &turn, fds, n_fds);
        birth_place_counters();
        birth_place_status();
        birth_set_limits(birth, report.joined);
        work = birth_close_world(birth, &turn, work, &view);
        if (birth->counts && dup2(own.count_fd, RUNNER_FD_COUNT) < 0)
                birth_fail_at("dup2");
        birth_execute(&own, birth, place->side, work);
}
