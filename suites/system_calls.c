/* SPDX-License-Identifier: MIT */

/*
 * system_calls: the way into the kernel and back, and short services behind it.
 *
 * All are made so that no call waits: what is read was written before, by the same process. A call that the C library
 * would answer by itself goes through syscall().
 */

#define _GNU_SOURCE 1
#include <benchd/bench.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

BENCH_AREA(system_calls, .about = "the way into the kernel and back, and short services behind it");
BENCH_EMBED_SOURCE;

#define BYTES_MAX 65536u

static char buffer[BYTES_MAX];

/* Fails the benchmark where @result is negative: a call that is refused at once would be measured as a fast one. */
static void must(struct bench *b, const char *name, long result) {
        if (result < 0)
                bench_fail(b, "%s: %s", name, strerror(errno));
}

/* ---- entry and exit */

BENCH(unknown_number, .about = "a call that the kernel does not have: limited by entry and exit alone") {
        bench_loop(b)
                bench_use(syscall(-1));
}

BENCH(getpid, .about = "limited by entry and exit; the service is a load") {
        bench_loop(b)
                bench_use(syscall(SYS_getpid));
}

BENCH(clock_gettime_vdso, .about = "without the kernel: limited by the time-stamp counter's reading") {
        struct timespec now;

        bench_loop(b) {
                clock_gettime(CLOCK_MONOTONIC, &now);
                bench_clobber();
        }
}

BENCH(clock_gettime_syscall, .about = "the same through the kernel: limited by entry and exit beside the reading") {
        struct timespec now;

        bench_loop(b)
                syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
}

BENCH(getrusage, .hidden = 1, .about = "limited by entry and exit, and the sums over the process's threads") {
        struct rusage usage;

        bench_loop(b)
                getrusage(RUSAGE_SELF, &usage);
}

BENCH(sched_yield, .about = "with nobody to yield to: limited by the scheduler's choice of the same task") {
        bench_loop(b)
                sched_yield();
}

/* ---- files */

BENCH(read_dev_zero, .args = BENCH_ARGS(bytes, 1, 65536),
                .about = "limited by entry and the way through the file layer, then by stores of zeros") {
        size_t bytes = bench_arg(b, 0);
        int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

        must(b, "/dev/zero", fd);
        bench_bytes(b, bytes);
        bench_loop(b)
                bench_use(read(fd, buffer, bytes));
        close(fd);
}

BENCH(write_dev_null, .args = BENCH_ARGS(bytes, 4096),
                .about = "limited by entry and the way through the file layer: no byte is copied") {
        size_t bytes = bench_arg(b, 0);
        int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

        must(b, "/dev/null", fd);
        bench_loop(b)
                bench_use(write(fd, buffer, bytes));
        close(fd);
}

BENCH(dup_close, .hidden = 1, .about = "limited by two system calls and the table of descriptors") {
        bench_loop(b)
                close(dup(STDOUT_FILENO));
}

BENCH(fcntl_getfd, .about = "limited by entry and the look-up of the descriptor") {
        bench_loop(b)
                bench_use(fcntl(STDOUT_FILENO, F_GETFD));
}

BENCH(ioctl_fionread, .about = "bytes in a pipe: limited by entry, the switch over requests and the pipe's lock") {
        int fds[2], bytes;

        must(b, "pipe2", pipe2(fds, O_CLOEXEC));
        bench_loop(b)
                ioctl(fds[0], FIONREAD, &bytes);
        close(fds[0]);
        close(fds[1]);
}

/* ---- messages to oneself */

/* Part of the body that calls it, so that each row has its own loop. */
static inline __attribute__((always_inline)) void one_byte_there_and_back(struct bench *b, int to, int from) {
        char byte = 0;

        must(b, "write", write(to, &byte, 1));
        must(b, "read", read(from, &byte, 1));
        bench_loop(b) {
                bench_use(write(to, &byte, 1));
                bench_use(read(from, &byte, 1));
        }
        close(to);
        close(from);
}

BENCH(pipe_write_read,
                .about = "one byte through a pipe within one process: limited by two system calls and the pipe's lock") {
        int fds[2];

        must(b, "pipe2", pipe2(fds, O_CLOEXEC));
        one_byte_there_and_back(b, fds[1], fds[0]);
}

BENCH(socketpair_write_read,
                .about = "one byte through a local socket: limited by two system calls and a socket buffer's life") {
        int fds[2];

        must(b, "socketpair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
        one_byte_there_and_back(b, fds[1], fds[0]);
}

BENCH(eventfd_write_read, .about = "a count raised and taken back: limited by two system calls and a spin lock") {
        int fd = eventfd(0, EFD_CLOEXEC);
        uint64_t count = 1;

        must(b, "eventfd", fd);
        bench_loop(b) {
                bench_use(write(fd, &count, sizeof count));
                bench_use(read(fd, &count, sizeof count));
        }
        close(fd);
}

BENCH(futex_wake, .about = "with nobody to wake: limited by entry and the hash of the address") {
        static uint32_t word;

        bench_loop(b)
                bench_use(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
}

/* ---- readiness */

/* An event that stays ready. */
static int ready_open(struct bench *b) {
        int fd = eventfd(1, EFD_CLOEXEC);

        must(b, "eventfd", fd);
        return fd;
}

BENCH(poll, .about = "one descriptor that is ready: limited by entry and the file's own poll function") {
        struct pollfd ready = { .fd = ready_open(b), .events = POLLIN };

        bench_loop(b)
                bench_use(poll(&ready, 1, -1));
        close(ready.fd);
}

BENCH(epoll_wait, .about = "one descriptor that is ready, of one: limited by entry and the list of what is ready") {
        int fd = ready_open(b), epoll = epoll_create1(EPOLL_CLOEXEC);
        struct epoll_event event = { .events = EPOLLIN };

        must(b, "epoll_create1", epoll);
        must(b, "epoll_ctl", epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
        bench_loop(b)
                bench_use(epoll_wait(epoll, &event, 1, -1));
        close(epoll);
        close(fd);
}

/* ---- io_uring, by raw system calls */

typedef struct Ring {
        int fd;
        char *rings; /* both, in one mapping */
        struct io_uring_sqe *entries;
        uint32_t *submission_tail, *submission_array, *completion_head, *completion_tail;
        uint32_t mask;
} Ring;

static void *ring_map(struct bench *b, int fd, size_t bytes, off_t offset) {
        void *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);

        if (area == MAP_FAILED)
                bench_fail(b, "a ring of io_uring could not be mapped: %s", strerror(errno));
        return area;
}

static void ring_open(struct bench *b, Ring *ring) {
        struct io_uring_params params = { .flags = 0 };

        ring->fd = (int)syscall(SYS_io_uring_setup, 8, &params);
        if (ring->fd < 0 && (errno == ENOSYS || errno == EPERM || errno == ENOMEM))
                bench_skip(b, "io_uring is not to be had here: %s", strerror(errno));
        must(b, "io_uring_setup", ring->fd);
        if (!(params.features & IORING_FEAT_SINGLE_MMAP))
                bench_skip(b, "io_uring of this kernel has no common mapping of its rings (Linux 5.4)");
        ring->rings = ring_map(b, ring->fd, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
                        IORING_OFF_SQ_RING);
        ring->entries = ring_map(b, ring->fd, params.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
        ring->submission_tail = (uint32_t *)(ring->rings + params.sq_off.tail);
        ring->submission_array = (uint32_t *)(ring->rings + params.sq_off.array);
        ring->completion_head = (uint32_t *)(ring->rings + params.cq_off.head);
        ring->completion_tail = (uint32_t *)(ring->rings + params.cq_off.tail);
        ring->mask = params.sq_entries - 1;
}

/* One operation that does nothing, submitted and completed in one system call. Returns how many completed. */
static __attribute__((noinline)) uint32_t ring_no_op(Ring *ring) {
        uint32_t tail = *ring->submission_tail, slot = tail & ring->mask, n;

        ring->entries[slot] = (struct io_uring_sqe){ .opcode = IORING_OP_NOP };
        ring->submission_array[slot] = slot;
        __atomic_store_n(ring->submission_tail, tail + 1, __ATOMIC_RELEASE);
        syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
        n = __atomic_load_n(ring->completion_tail, __ATOMIC_ACQUIRE) - *ring->completion_head;
        __atomic_store_n(ring->completion_head, *ring->completion_head + n, __ATOMIC_RELEASE);
        return n;
}

BENCH(io_uring_no_op, .about = "one no-op submitted and completed: limited by entry and the two rings") {
        Ring ring;

        ring_open(b, &ring);
        if (ring_no_op(&ring) != 1)
                bench_fail(b, "io_uring completed no operation");
        bench_loop(b)
                bench_use(ring_no_op(&ring));
        close(ring.fd);
}

/* ---- randomness */

BENCH(getrandom, .args = BENCH_ARGS(bytes, 16, 4096),
                .about = "limited by entry, and a ChaCha20 block for each 64 bytes") {
        size_t bytes = bench_arg(b, 0);

        bench_bytes(b, bytes);
        bench_loop(b)
                bench_use(getrandom(buffer, bytes, 0));
}
