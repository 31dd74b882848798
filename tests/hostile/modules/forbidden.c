/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Calls that a confined benchmark has no business with. Each is made by a child of its own, so that what one changes
 * does not help the next, and prints a line: its name and its errno, 0 where it succeeded. tests/support/forbidden.py has
 * the errno that each must get. No call does harm where it succeeds.
 *
 * The environment tells the places that are tried: LAUNCHER (its process id), LOOPBACK (a TCP port of the host), ABSTRACT (the name
 * of a listening socket), SEGMENT (the id of shared memory), FILE (a file in /tmp) and BENCHD (the path of benchd's socket). What is not
 * told is not tried, and prints -1.
 */

#define _GNU_SOURCE
#include <benchd/bench.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/acct.h>
#include <sys/capability.h>
#include <sys/fanotify.h>
#include <sys/io.h>
#include <sys/ipc.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_TRIED  (-1)
#define PATIENCE_S 20

/* The errno of a call that returns -1 where it fails. */
#define CALL(expression) ((expression) < 0 ? errno : 0)

static pid_t launcher_pid(void) {
        const char *told = getenv("LAUNCHER");

        return told ? atoi(told) : -1; /* which is nobody's */
}

static int open_errno(const char *path, int flags) {
        int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);

        return CALL(fd);
}

static int open_of_launcher(const char *file, int flags) {
        char path[64];

        snprintf(path, sizeof path, "/proc/%d/%s", (int)launcher_pid(), file);
        return open_errno(path, flags);
}

/* Makes a file in @directory, and removes it again. */
static int make_file(const char *directory) {
        char path[128];
        int fd;

        snprintf(path, sizeof path, "%s/benchd-forbidden-XXXXXX", directory);
        fd = mkstemp(path);
        if (fd < 0)
                return errno;
        unlink(path);
        return 0;
}

/* ---- other processes */

static int trace_launcher(void) {
        return CALL(ptrace(PTRACE_SEIZE, launcher_pid(), NULL, NULL));
}

static int trace_first(void) {
        return CALL(ptrace(PTRACE_SEIZE, 1, NULL, NULL));
}

static int signal_launcher(void) {
        return CALL(kill(launcher_pid(), 0));
}

static int signal_first(void) {
        return CALL(kill(1, 0));
}

static int take_descriptor_of_launcher(void) {
        int process = syscall(SYS_pidfd_open, launcher_pid(), 0);

        return process < 0 ? errno : CALL(syscall(SYS_pidfd_getfd, process, 0, 0));
}

static int read_memory_of_launcher(void) {
        char byte;
        struct iovec here = { &byte, 1 }, there = { (void *)0x400000, 1 };

        return CALL(process_vm_readv(launcher_pid(), &here, 1, &there, 1, 0));
}

static int open_memory_of_launcher(void) {
        return open_of_launcher("mem", O_RDWR);
}

static int open_memory_of_first(void) {
        return open_errno("/proc/1/mem", O_RDWR);
}

static int open_descriptors_of_launcher(void) {
        return open_of_launcher("fd/0", O_RDONLY);
}

static int read_environment_of_first(void) {
        return open_errno("/proc/1/environ", O_RDONLY);
}

static int move_pages_of_launcher(void) {
        return CALL(syscall(SYS_move_pages, launcher_pid(), 0UL, NULL, NULL, NULL, 0));
}

static int compare_with_launcher(void) {
        return CALL(syscall(SYS_kcmp, getpid(), launcher_pid(), 0, 0, 0));
}

/* To what it is. */
static int renice_launcher(void) {
        int priority;

        errno = 0;
        priority = getpriority(PRIO_PROCESS, launcher_pid());
        return errno ? errno : CALL(setpriority(PRIO_PROCESS, launcher_pid(), priority));
}

static int limit_launcher(void) {
        struct rlimit limit;

        return CALL(prlimit(launcher_pid(), RLIMIT_NOFILE, NULL, &limit));
}

/* ---- who it is */

static int become_root(void) {
        return CALL(setuid(0));
}

static int join_group_of_root(void) {
        gid_t root = 0;

        return CALL(setgroups(1, &root));
}

static int become_group_of_root(void) {
        return CALL(setgid(0));
}

static int take_capabilities(void) {
        struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
        struct __user_cap_data_struct all[2] = { { ~0u, ~0u, 0 }, { ~0u, ~0u, 0 } };

        return CALL(syscall(SYS_capset, &head, all));
}

static int keep_capability_ambient(void) {
        return CALL(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0));
}

static int clear_no_new_privileges(void) {
        return CALL(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
}

static int move_memory_map(void) {
        return CALL(prctl(PR_SET_MM, PR_SET_MM_START_BRK, sbrk(0), 0, 0));
}

/* ---- time on a processor */

static int schedule_fifo(void) {
        return CALL(sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 }));
}

static int schedule_deadline(void) {
        struct {
                uint32_t size, policy;
                uint64_t flags;
                int32_t nice;
                uint32_t priority;
                uint64_t runtime_ns, deadline_ns, period_ns;
        } attr = { .size = sizeof attr,
                .policy = SCHED_DEADLINE,
                .runtime_ns = 1000000,
                .deadline_ns = 10000000,
                .period_ns = 10000000 };

        return CALL(syscall(SYS_sched_setattr, 0, &attr, 0));
}

static int raise_nice(void) {
        errno = 0;
        return nice(-5) == -1 ? errno : 0;
}

static int raise_io_priority(void) {
        return CALL(syscall(SYS_ioprio_set, 1, 0, 1 << 13));
}

/* All processors but those that it has. */
static int leave_its_processor(void) {
        cpu_set_t own, others;
        long n = sysconf(_SC_NPROCESSORS_CONF);

        if (sched_getaffinity(0, sizeof own, &own) < 0)
                return errno;
        CPU_ZERO(&others);
        for (int cpu = 0; cpu < n; cpu++)
                if (!CPU_ISSET(cpu, &own))
                        CPU_SET(cpu, &others);
        return CPU_COUNT(&others) == 0 ? NOT_TRIED : CALL(sched_setaffinity(0, sizeof others, &others));
}

static int raise_limit(void) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return errno;
        limit.rlim_max += 1;
        return CALL(setrlimit(RLIMIT_NOFILE, &limit));
}

static int write_score(const char *score) {
        int fd, r;

        prctl(PR_SET_DUMPABLE, 1);
        fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
        if (fd < 0)
                return errno;
        r = CALL(write(fd, score, strlen(score)));
        close(fd);
        return r;
}

static int survive_the_lack_of_memory(void) {
        return write_score("-1000");
}

/* ---- name spaces and the file system */

static int mount_file_system(void) {
        return CALL(mount("none", ".", "tmpfs", 0, NULL));
}

static int unmount(void) {
        return CALL(umount2("/proc", MNT_DETACH));
}

static int change_root(void) {
        return CALL(chroot("."));
}

static int pivot_root(void) {
        return CALL(syscall(SYS_pivot_root, ".", "."));
}

static int unshare_users(void) {
        return CALL(unshare(CLONE_NEWUSER));
}

static int unshare_users_and_mount(void) {
        int r = CALL(unshare(CLONE_NEWUSER | CLONE_NEWNS));

        return r ? r : CALL(mount("none", "/tmp", "tmpfs", 0, NULL));
}

static int unshare_network(void) {
        return CALL(unshare(CLONE_NEWNET));
}

static int enter_namespace_of_first(void) {
        int fd = open("/proc/1/ns/mnt", O_RDONLY | O_CLOEXEC);

        return fd < 0 ? errno : CALL(setns(fd, 0));
}

static int open_by_handle(void) {
        union {
                struct file_handle handle;
                char bytes[sizeof(struct file_handle) + 8];
        } root = { .handle = { .handle_bytes = 8, .handle_type = 1 } };

        return CALL(open_by_handle_at(AT_FDCWD, &root.handle, O_RDONLY));
}

static int make_device(void) {
        return CALL(mknod("device", S_IFCHR | 0600, 0x101));
}

static int give_file_away(void) {
        return CALL(chown(".", 0, 0));
}

static int see_file_in_tmp_of_host(void) {
        const char *path = getenv("FILE");

        return path ? open_errno(path, O_RDONLY) : NOT_TRIED;
}

static int write_tmp(void) {
        return make_file("/tmp");
}

static int write_var_tmp(void) {
        return make_file("/var/tmp");
}

static int write_shared_memory(void) {
        return make_file("/dev/shm");
}

static int write_home(void) {
        return make_file("/home");
}

static int write_root(void) {
        return make_file("/");
}

static int write_state(void) {
        return make_file("/var/lib");
}

static int read_shadow(void) {
        return open_errno("/etc/shadow", O_RDONLY);
}

static int watch_all_files(void) {
        return CALL(fanotify_init(FAN_CLASS_CONTENT, O_RDONLY));
}

/* ---- the kernel and the machine */

static int open_physical_memory(void) {
        return open_errno("/dev/mem", O_RDWR);
}

static int open_kernel_log(void) {
        return open_errno("/dev/kmsg", O_WRONLY);
}

static int clear_kernel_log(void) {
        return CALL(klogctl(5, NULL, 0));
}

static int open_registers(void) {
        return open_errno("/dev/cpu/0/msr", O_RDWR);
}

static int open_latency_request(void) {
        return open_errno("/dev/cpu_dma_latency", O_WRONLY);
}

static int write_sysfs(void) {
        return open_errno("/sys/kernel/mm/transparent_hugepage/enabled", O_WRONLY);
}

static int write_sysctl(void) {
        return open_errno("/proc/sys/kernel/core_pattern", O_WRONLY);
}

static int write_interrupts(void) {
        return open_errno("/proc/irq/default_smp_affinity", O_WRONLY);
}

/* The groups that hold it, where their hierarchies are mounted. */
static int write_own_group(void) {
        char line[512], path[640];
        FILE *groups = fopen("/proc/self/cgroup", "re");
        int r = groups ? ENOENT : errno;

        while (groups && r && fgets(line, sizeof line, groups)) {
                char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;

                if (!group)
                        continue;
                *group++ = '\0';
                group[strcspn(group, "\n")] = '\0';
                snprintf(path, sizeof path, "/sys/fs/cgroup/%s%s/cgroup.procs", controllers + 1, group);
                r = open_errno(path, O_WRONLY);
        }
        if (groups)
                fclose(groups);
        return r;
}

static int open_port(void) {
        return CALL(ioperm(0x80, 1, 1));
}

static int raise_port_level(void) {
        return CALL(iopl(3));
}

static int swap(void) {
        return CALL(swapon("/nowhere", 0));
}

/* With numbers that no kernel takes. */
static int restart_machine(void) {
        return CALL(syscall(SYS_reboot, 1, 2, 3, NULL));
}

static int load_kernel(void) {
        return CALL(syscall(SYS_kexec_load, 0UL, 1000000UL, NULL, 0UL));
}

static int load_module(void) {
        return CALL(syscall(SYS_init_module, NULL, 0UL, ""));
}

static int set_clock(void) {
        struct timespec now;

        clock_gettime(CLOCK_REALTIME, &now);
        return CALL(clock_settime(CLOCK_REALTIME, &now));
}

static int adjust_clock(void) {
        struct timex change = { .modes = ADJ_TICK, .tick = 1 };

        return CALL(adjtimex(&change));
}

static int set_host_name(void) {
        return CALL(sethostname("", 0));
}

static int account(void) {
        return CALL(acct("/nowhere"));
}

static int load_program(void) {
        struct bpf_insn ends[] = { { .code = 0xb7 }, { .code = 0x95 } }; /* r0 = 0; exit */
        union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_KPROBE,
                .insn_cnt = 2,
                .insns = (uintptr_t)ends,
                .license = (uintptr_t) "GPL" };

        return CALL(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr));
}

static int count_of_processor(void) {
        struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                .size = sizeof attr,
                .config = PERF_COUNT_SW_CPU_CLOCK };

        return CALL(syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0));
}

static int handle_faults_of_kernel(void) {
        return CALL(syscall(SYS_userfaultfd, 0));
}

/* ---- what leaves no trace in the file system */

static int make_ring(void) {
        char parameters[256] = {};

        return CALL(syscall(SYS_io_uring_setup, 1, parameters));
}

static int join_keyring(void) {
        return CALL(syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL));
}

static int execute_memory(void) {
        static const char script[] = "#!/nowhere\n";
        char *const none[] = { NULL };
        int fd = memfd_create("script", 0);

        if (fd < 0 || write(fd, script, sizeof script - 1) < 0)
                return errno;
        return CALL(fexecve(fd, none, none)); /* ENOENT: it may, and the interpreter is missing */
}

static int disable_randomization(void) {
        return CALL(personality(ADDR_NO_RANDOMIZE));
}

static int make_shared_memory(void) {
        int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
        int r = CALL(id);

        if (!r)
                shmctl(id, IPC_RMID, NULL);
        return r;
}

/* A segment that another process of the host made: its id is as small as any. */
static int see_shared_memory_of_host(void) {
        const char *told = getenv("SEGMENT");
        struct shmid_ds about;

        return told ? CALL(shmctl(atoi(told), IPC_STAT, &about)) : NOT_TRIED;
}

static int make_message_queue(void) {
        static const char name[] = "/benchd-forbidden";
        mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, NULL);
        int r = CALL(queue);

        if (!r)
                mq_unlink(name);
        return r;
}

/* ---- sockets */

static int open_socket(int family, int type, int protocol) {
        return CALL(socket(family, type | SOCK_CLOEXEC, protocol));
}

static int open_raw(void) {
        return open_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}

static int open_packets(void) {
        return open_socket(AF_PACKET, SOCK_RAW, 0);
}

static int open_netlink(void) {
        return open_socket(AF_NETLINK, SOCK_RAW, 0);
}

static int open_vsock(void) {
        return open_socket(AF_VSOCK, SOCK_STREAM, 0);
}

static int open_crypto(void) {
        return open_socket(AF_ALG, SOCK_SEQPACKET, 0);
}

static int connect_loopback(void) {
        const char *port = getenv("LOOPBACK");
        struct sockaddr_in there = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (fd < 0 || !port)
                return fd < 0 ? errno : NOT_TRIED;
        there.sin_port = htons(atoi(port));
        return CALL(connect(fd, (struct sockaddr *)&there, sizeof there));
}

/* @path: with a leading NUL one of the names that are in no file system. */
static int connect_unix(const char *path, size_t n_path) {
        struct sockaddr_un there = { .sun_family = AF_UNIX };
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (fd < 0)
                return errno;
        if (n_path > sizeof there.sun_path)
                return ENAMETOOLONG;
        memcpy(there.sun_path, path, n_path);
        return CALL(connect(fd, (struct sockaddr *)&there, offsetof(struct sockaddr_un, sun_path) + n_path));
}

static int connect_abstract(void) {
        const char *name = getenv("ABSTRACT");
        char path[100] = "";

        if (!name)
                return NOT_TRIED;
        snprintf(path + 1, sizeof path - 1, "%s", name);
        return connect_unix(path, 1 + strlen(path + 1));
}

static int connect_benchd(void) {
        const char *path = getenv("BENCHD");

        return path ? connect_unix(path, strlen(path) + 1) : NOT_TRIED;
}

static int connect_system_bus(void) {
        static const char path[] = "/run/dbus/system_bus_socket";

        return connect_unix(path, sizeof path);
}

static int connect_journal(void) {
        static const char path[] = "/run/systemd/journal/stdout";

        return connect_unix(path, sizeof path);
}

#define PROBE(function)                                                                                                \
 { #function, function }

static const struct {
        const char *name;
        int (*attempt)(void);
} probes[] = {
        PROBE(trace_launcher),
        PROBE(trace_first),
        PROBE(signal_launcher),
        PROBE(signal_first),
        PROBE(take_descriptor_of_launcher),
        PROBE(read_memory_of_launcher),
        PROBE(open_memory_of_launcher),
        PROBE(open_memory_of_first),
        PROBE(open_descriptors_of_launcher),
        PROBE(read_environment_of_first),
        PROBE(move_pages_of_launcher),
        PROBE(compare_with_launcher),
        PROBE(renice_launcher),
        PROBE(limit_launcher),
        PROBE(become_root),
        PROBE(join_group_of_root),
        PROBE(become_group_of_root),
        PROBE(take_capabilities),
        PROBE(keep_capability_ambient),
        PROBE(clear_no_new_privileges),
        PROBE(move_memory_map),
        PROBE(schedule_fifo),
        PROBE(schedule_deadline),
        PROBE(raise_nice),
        PROBE(raise_io_priority),
        PROBE(leave_its_processor),
        PROBE(raise_limit),
        PROBE(survive_the_lack_of_memory),
        PROBE(mount_file_system),
        PROBE(unmount),
        PROBE(change_root),
        PROBE(pivot_root),
        PROBE(unshare_users),
        PROBE(unshare_users_and_mount),
        PROBE(unshare_network),
        PROBE(enter_namespace_of_first),
        PROBE(open_by_handle),
        PROBE(make_device),
        PROBE(give_file_away),
        PROBE(see_file_in_tmp_of_host),
        PROBE(write_tmp),
        PROBE(write_var_tmp),
        PROBE(write_shared_memory),
        PROBE(write_home),
        PROBE(write_root),
        PROBE(write_state),
        PROBE(read_shadow),
        PROBE(watch_all_files),
        PROBE(open_physical_memory),
        PROBE(open_kernel_log),
        PROBE(clear_kernel_log),
        PROBE(open_registers),
        PROBE(open_latency_request),
        PROBE(write_sysfs),
        PROBE(write_sysctl),
        PROBE(write_interrupts),
        PROBE(write_own_group),
        PROBE(open_port),
        PROBE(raise_port_level),
        PROBE(swap),
        PROBE(restart_machine),
        PROBE(load_kernel),
        PROBE(load_module),
        PROBE(set_clock),
        PROBE(adjust_clock),
        PROBE(set_host_name),
        PROBE(account),
        PROBE(load_program),
        PROBE(count_of_processor),
        PROBE(handle_faults_of_kernel),
        PROBE(make_ring),
        PROBE(join_keyring),
        PROBE(execute_memory),
        PROBE(disable_randomization),
        PROBE(make_shared_memory),
        PROBE(see_shared_memory_of_host),
        PROBE(make_message_queue),
        PROBE(open_raw),
        PROBE(open_packets),
        PROBE(open_netlink),
        PROBE(open_vsock),
        PROBE(open_crypto),
        PROBE(connect_loopback),
        PROBE(connect_abstract),
        PROBE(connect_benchd),
        PROBE(connect_system_bus),
        PROBE(connect_journal),
};

/* The errno of the attempt, made by a child; the number of a signal that ended it, plus 1000. */
static int try_alone(int (*attempt)(void)) {
        int status;
        pid_t pid;

        fflush(stdout);
        pid = fork();
        if (pid < 0)
                return errno;
        if (pid == 0) {
                alarm(PATIENCE_S);
                _exit(attempt());
        }
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        if (WIFSIGNALED(status))
                return 1000 + WTERMSIG(status);
        return (signed char)WEXITSTATUS(status) == NOT_TRIED ? NOT_TRIED : WEXITSTATUS(status);
}

BENCH(forbidden, .processes = 1) {
        for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
                printf("%s %d\n", probes[i].name, try_alone(probes[i].attempt));
        fflush(stdout);
        bench_loop(b) {
                bench_clobber();
        }
}
