/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Bodies whose time hangs on their process: on its allocator, its environment, its locale, its stack, its thread-local storage, its timers
 * and sleeps, its memory, its directory, and the libraries that it loads. tests/bench/as-program times each in a plain program, too.
 */

#define _GNU_SOURCE 1
#include <benchd/bench.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define KIB           1024u
#define PAGE_BYTES    4096u
#define BLOCKS        64
#define BLOCK_BYTES   48u
#define LARGE_BYTES   (256u * KIB) /* above the MALLOC_MMAP_THRESHOLD_ that tests/bench/as-program sets */
#define FRAME_BYTES   (1024u * KIB)
#define FRAME_STEP    (64u * KIB)
#define MEMORY_PAGES  16u
#define NUMBERS       1000
#define WRITTEN_BYTES 4096u
#define FAR_S         3600

BENCH_AREA(as_program, .about = "bodies whose time hangs on their process");

/* ---- memory */

BENCH(malloc_free, .area = "as_program", .ops = BLOCKS, .about = "malloc and free of libc, 64 blocks at a time") {
        void *blocks[BLOCKS];

        bench_loop(b) {
                for (size_t i = 0; i < BLOCKS; i++) {
                        blocks[i] = malloc((i + 1) * BLOCK_BYTES);
                        bench_opaque(blocks[i]);
                }
                for (size_t i = 0; i < BLOCKS; i++)
                        free(blocks[i]);
        }
}

BENCH(malloc_threshold, .area = "as_program",
                .about = "malloc of 256 KiB, a byte written, free: MALLOC_MMAP_THRESHOLD_ of the environment") {
        bench_loop(b) {
                volatile char *block = malloc(LARGE_BYTES);

                if (!block)
                        bench_fail(b, "no memory");
                block[LARGE_BYTES / 2] = 1;
                free((char *)block);
        }
}

static char *memory_mapped(struct bench *b) {
        char *memory = mmap(NULL, MEMORY_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);

        if (memory == MAP_FAILED)
                bench_fail(b, "mmap: %s", strerror(errno));
        return memory;
}

static void memory_touch(volatile char *memory) {
        for (size_t i = 0; i < MEMORY_PAGES; i++)
                memory[i * PAGE_BYTES] = 1;
}

BENCH(page_faults, .area = "as_program", .ops = MEMORY_PAGES, .about = "a page written after MADV_DONTNEED") {
        char *memory = memory_mapped(b);

        bench_loop(b) {
                madvise(memory, MEMORY_PAGES * PAGE_BYTES, MADV_DONTNEED);
                memory_touch(memory);
        }
        munmap(memory, MEMORY_PAGES * PAGE_BYTES);
}

BENCH(mmap_munmap, .area = "as_program", .about = "mmap of 64 KiB, a page of it written, munmap") {
        bench_loop(b) {
                char *memory = memory_mapped(b);

                *(volatile char *)memory = 1;
                munmap(memory, MEMORY_PAGES * PAGE_BYTES);
        }
}

static __attribute__((noinline)) void frame_touch(void) {
        volatile char frame[FRAME_BYTES];

        for (size_t i = 0; i < FRAME_BYTES; i += FRAME_STEP)
                frame[i] = 1;
        bench_use(frame[0]);
}

BENCH(frame, .area = "as_program", .about = "a frame of 1 MiB, a byte in 64 KiB written") {
        bench_loop(b)
                frame_touch();
}

/* ---- thread-local storage, libraries */

#define TLS_TURNS 100

static __thread uint64_t initial_exec[64] __attribute__((tls_model("initial-exec")));
static __thread uint64_t dynamic[64];

BENCH(tls_initial_exec, .area = "as_program", .ops = TLS_TURNS,
                .about = "a thread-local counter, by the initial-exec model") {
        bench_loop(b)
                for (size_t i = 0; i < TLS_TURNS; i++) {
                        initial_exec[i % 64]++;
                        bench_clobber();
                }
}

static __attribute__((noinline)) void dynamic_count(size_t i) {
        dynamic[i % 64]++;
        bench_clobber();
}

BENCH(tls_dynamic, .area = "as_program", .ops = TLS_TURNS,
                .about = "a thread-local counter, by the model that the compiler takes: a call in a module, none in a program") {
        bench_loop(b)
                for (size_t i = 0; i < TLS_TURNS; i++)
                        dynamic_count(i);
}

BENCH(plugin, .area = "as_program", .ops = TLS_TURNS,
                .about = "a function of a library loaded by dlopen(), which counts in storage of its thread") {
        void *library = dlopen("./as-program-plugin.so", RTLD_NOW);
        uint64_t (*count)(void) = NULL;
        void *found = library ? dlsym(library, "plugin_count") : NULL;

        if (!found)
                bench_fail(b, "%s", dlerror());
        memcpy(&count, &found, sizeof count);
        bench_loop(b)
                for (size_t i = 0; i < TLS_TURNS; i++)
                        bench_use(count());
        dlclose(library);
}

/* ---- libc */

BENCH(locale, .area = "as_program", .about = "snprintf() and strcoll() of accented text in C.UTF-8") {
        char text[128];

        if (!setlocale(LC_ALL, "C.UTF-8"))
                bench_skip(b, "no locale C.UTF-8");
        bench_loop(b) {
                if (snprintf(text, sizeof text, "%ls %.3f", L"dépôt, Straße, naïveté", 1.5) < 0)
                        bench_fail(b, "snprintf: %s", strerror(errno));
                bench_use(strcoll(text, "dépôt, Straße, naïvete"));
        }
}

static int numbers_compare(const void *left, const void *right) {
        const int a = *(const int *)left, b = *(const int *)right;

        return (a > b) - (a < b);
}

BENCH(qsort_1000, .area = "as_program", .about = "qsort() of 1000 numbers") {
        static int shuffled[NUMBERS], numbers[NUMBERS];
        uint32_t state = 1;

        for (size_t i = 0; i < NUMBERS; i++) {
                state = state * 1664525 + 1013904223;
                shuffled[i] = (int)(state >> 8);
        }
        bench_loop(b) {
                memcpy(numbers, shuffled, sizeof numbers);
                qsort(numbers, NUMBERS, sizeof *numbers, numbers_compare);
                bench_use(numbers[0]);
        }
}

/* ---- the kernel */

BENCH(getppid, .area = "as_program", .about = "a system call") {
        bench_loop(b)
                bench_use(syscall(SYS_getppid));
}

BENCH(clock_gettime, .area = "as_program", .about = "clock_gettime(), beside a timer that is armed far away") {
        struct itimerval far = { .it_value.tv_sec = FAR_S }, off = { .it_value.tv_sec = 0 };
        struct timespec now;

        setitimer(ITIMER_REAL, &far, NULL);
        bench_loop(b)
                bench_use(clock_gettime(CLOCK_MONOTONIC, &now));
        setitimer(ITIMER_REAL, &off, NULL);
}

BENCH(timer, .area = "as_program", .about = "setitimer(), armed far away each time") {
        struct itimerval far = { .it_value.tv_sec = FAR_S }, off = { .it_value.tv_sec = 0 };

        bench_loop(b)
                bench_use(setitimer(ITIMER_REAL, &far, NULL));
        setitimer(ITIMER_REAL, &off, NULL);
}

BENCH(sleep, .area = "as_program", .about = "clock_nanosleep() of 1 µs") {
        const struct timespec pause = { .tv_nsec = 1000 };

        bench_loop(b)
                clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

static void signal_note(int signal) {
        (void)signal;
}

BENCH(signal, .area = "as_program", .about = "a signal that the process sends itself, and its handler") {
        struct sigaction action = { .sa_handler = signal_note }, before;

        sigaction(SIGUSR1, &action, &before);
        bench_loop(b)
                raise(SIGUSR1);
        sigaction(SIGUSR1, &before, NULL);
}

BENCH(fork_wait, .area = "as_program", .about = "fork(), the child's end, waitpid()") {
        bench_loop(b) {
                const pid_t child = fork();

                if (child == 0)
                        _exit(0);
                if (child < 0 || waitpid(child, NULL, 0) != child)
                        bench_fail(b, "fork: %s", strerror(errno));
        }
}

BENCH(write_fsync, .area = "as_program", .about = "pwrite() of 4 KiB and fsync() in the working directory") {
        static const char written[WRITTEN_BYTES];
        int fd = open("written", O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);

        if (fd < 0)
                bench_fail(b, "open: %s", strerror(errno));
        bench_loop(b)
                if (pwrite(fd, written, sizeof written, 0) != (ssize_t)sizeof written || fsync(fd) < 0)
                        bench_fail(b, "write: %s", strerror(errno));
        close(fd);
        unlink("written");
}
