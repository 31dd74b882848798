/* SPDX-License-Identifier: MIT */
#ifndef BENCHD_BENCH_H
#define BENCHD_BENCH_H

/*
 * Write a benchmark for benchd, in C11 or C++17 (GNU extensions: gcc or clang). Header-only: nothing to link.
 *
 *      #include <benchd/bench.h>
 *
 *      BENCH(strlen_1000, .about = "strlen of 1000 bytes, in L1")
 *      {
 *              char *s = filled_string(1000);        set-up: once a process, not timed
 *
 *              bench_loop(b) {                       timed
 *                      bench_opaque(s);              the compiler may not know the value of s
 *                      bench_use(strlen(s));         nor drop the result
 *              }
 *              free(s);                              tear-down: not timed
 *      }
 *
 *      cc -O2 -shared -fPIC mybench.c -o mybench.so && benchctl run mybench.so
 *
 * The body runs once in each of several fresh processes; inside it, bench_loop() runs batches of iterations, as many and
 * as long as benchd finds right. Code before the loop is set-up, code after it is tear-down. An eighth as many iterations
 * run untimed right before each batch, so that the caches are the body's own when the clock starts; none do where the
 * iterations are counted out by .iterations or .reset, prepared by bench_inputs(), or fewer than eight.
 *
 * What a body may use. Each process has:
 *
 *      directory       one of its own, private, empty but for the module's files and those of --input, as working directory and as TMPDIR
 *      space there     256 MiB and 131,072 files in memory (ENOSPC), or the disk of --dir; and as much in /dev/shm
 *      one file        256 MiB, a memfd too (EFBIG; SIGXFSZ is ignored), until the body raises RLIMIT_FSIZE
 *      descriptors     1024 (EMFILE), until the body raises RLIMIT_NOFILE, to 65,536 at most
 *      stack           8 MiB, or --stack
 *      printing        any amount to standard output and error; the last 64 KiB are kept. Standard input is empty
 *      address space   as the kernel grants; where nothing bounds memory, as much as the machine has of it (ENOMEM)
 *      user            that of the client, without privileges; root's benchmarks run as `benchd-run`
 *      environment     PATH, LANG, TMPDIR, and what --env adds
 *      no              core dumps; real-time priority of its own choice (EPERM)
 *      memory          all its processes together three quarters of the machine's, or as benchd.conf says; more kills them
 *      tasks           64 processes and threads and one a CPU of the run, or as benchd.conf says (EAGAIN); 1024 with --private
 *      CPUs            one a thread of the benchmark; .cpus or --cpus-per-run lends more to the threads of a body's own
 *      time            --timeout
 *
 * Of other files it sees the system's directories (/usr, /bin, /lib, /etc), the hardware in /sys, the usual devices and what --see names,
 * all read-only (EROFS): benchctl(1) has the list. No process, socket, terminal or network outside is in reach, and the network is a loopback
 * of its own. The result says so (control `namespaces`) if the machine refuses user namespaces, and less of this holds.
 *
 * How a module is found: BENCH() places a pointer to a descriptor in a section of its own, and every module exports one
 * symbol, `benchd_module`, that spans the section. Pointers, because compilers pad structs in sections; to non-const
 * descriptors, because they need relocation; `retain`, because linkers drop unreferenced sections. (GNU ld lists the
 * bounds of the sections among the dynamic symbols too, marked hidden: nothing binds to them.)
 */

#if defined(__cplusplus) && __cplusplus < 201703L
# error "benchd/bench.h needs C++17 or later: compile with -std=c++17"
# include <C++17> /* a missing file ends the compiler, rather than a page of what C++11 cannot read */
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
# include <type_traits>
# ifdef __cpp_exceptions
#  include <exception>
# endif
#endif

/*
 * The contract between module and runner: frozen, so that a module compiled with this header runs under every later benchd.
 * It only grows: options at the end of their structs, whose sizes each module tells, everything else in reserved words.
 * An addition raises the revision; a runner refuses, in words, a module of another ABI or of a later revision than its
 * own.
 */
#define BENCH_ABI      1u
#define BENCH_REVISION 4u

#define BENCH_AXES_MAX    4
#define BENCH_VALUES_MAX  24
#define BENCH_THREADS_MAX 8

#ifdef __cplusplus
extern "C" {
#endif

struct bench;

typedef void bench_function(struct bench *b);

#ifdef __cplusplus /* a call that may throw in the loop costs clang its registers */
# define BENCH_NOEXCEPT_ noexcept
#else
# define BENCH_NOEXCEPT_
#endif

/* Reads a clock that is not the time-stamp counter, in ticks of its own. */
typedef uint64_t bench_clock(void) BENCH_NOEXCEPT_;

/* The values of an argument; 0 in modules of revision 1. */
enum {
        BENCH_AXIS_INTEGERS,
        BENCH_AXIS_REALS,
        BENCH_AXIS_TEXTS,
        BENCH_AXIS_LINEAR, /* a range of integers in equal steps */
};

/*
 * One argument of a sweep: a list of values, or first, first * factor, ... up to last (which is always among them); of a
 * linear range first, first + factor, ...
 */
struct bench_axis {
        const char *name;
        uint32_t n_values; /* 0 for a range */
        uint32_t kind;     /* BENCH_AXIS_* */
        union {
                int64_t values[BENCH_VALUES_MAX];
                double reals[BENCH_VALUES_MAX];
                const char *texts[BENCH_VALUES_MAX];
        };
        int64_t first, last, factor;

#ifdef __cplusplus /* in C++17, only a constructor chooses the member of a union at compile time */
        constexpr bench_axis() : name(), n_values(), kind(), values(), first(), last(), factor() {
        }
        constexpr bench_axis(const char *of, uint32_t n, const int64_t *list)
            : name(of), n_values(n), kind(BENCH_AXIS_INTEGERS), values(), first(), last(), factor() {
                for (uint32_t i = 0; i < n; i++)
                        values[i] = list[i];
        }
        constexpr bench_axis(const char *of, uint32_t n, const double *list)
            : name(of), n_values(n), kind(BENCH_AXIS_REALS), reals(), first(), last(), factor() {
                for (uint32_t i = 0; i < n; i++)
                        reals[i] = list[i];
        }
        constexpr bench_axis(const char *of, uint32_t n, const char *const *list)
            : name(of), n_values(n), kind(BENCH_AXIS_TEXTS), texts(), first(), last(), factor() {
                for (uint32_t i = 0; i < n; i++)
                        texts[i] = list[i];
        }
        constexpr bench_axis(const char *of, uint32_t of_kind, int64_t from, int64_t to, int64_t by)
            : name(of), n_values(), kind(of_kind), values(), first(from), last(to), factor(by) {
        }
#endif
};

struct bench_args {
        struct bench_axis axes[BENCH_AXES_MAX]; /* those with a name, in order */
};

struct bench_thread_counts {
        uint32_t counts[BENCH_THREADS_MAX]; /* those that are not 0, in order; none means one thread */
};

/* An option that is on unless it is switched off: 0 is "not given". */
enum {
        BENCH_YES = 1,
        BENCH_NO = 2,
};

/*
 * As .warmup_ms: none, since 0 is "not given". With .iterations the body is then called as often as .samples and .iterations say, and
 * once more for the first call unless .prime is BENCH_NO; without, the doubling that finds the count of iterations remains.
 */
#define BENCH_NO_WARMUP UINT32_MAX

/* The options of BENCH(), written after the name. Zero is "not given"; the command line wins over an option. */
struct bench_options {
        const char *title;                  /* any text, which tables show in place of the name */
        const char *about;                  /* one line */
        const char *area;                   /* default: the source file's name, with _ for what no name has */
        struct bench_args args;             /* BENCH_ARGS and its like, BENCH_PRODUCT of two */
        struct bench_thread_counts threads; /* BENCH_THREADS: the counts to run with, each a result of its own */
        uint64_t ops;                       /* operations in one iteration; default 1 */
        uint32_t hidden;                    /* 1: runs only when its name is written out */
        uint32_t reference;                 /* 1: the table may be scaled to this one */
        bench_function *setup;              /* once a process, before the body; in thread 0 */
        bench_function *teardown;           /* once a process, after the body; in thread 0 */
        bench_function *reset;              /* after every batch, not timed; the count of a batch is then fixed */
        uint64_t iterations;                /* of every batch, instead of doubling */
        uint32_t samples;                   /* a process */
        uint32_t processes;                 /* fresh ones, each with its own set-up */
        uint64_t min_time_ns;               /* shortest batch */
        uint32_t warmup_ms;                 /* warm-up by the clock, instead of until it holds still; BENCH_NO_WARMUP */
        uint32_t prime;                     /* BENCH_NO: the first call is a batch like any other, not taken apart */
        const char *method;                 /* an older method by name */
        uint32_t end;                       /* nothing; closes the list of options */
        uint32_t cpus;                      /* of each process, for threads that the body starts itself; default 1 */
        /* options of later revisions come here */
};

struct bench_descriptor {
        uint32_t size; /* of this struct, as the module was compiled */
        uint32_t line;
        const char *name;
        const char *file;
        bench_function *run;
        struct bench_options options;
};

struct bench_area_options {
        const char *about;
        uint32_t hidden; /* 1: its benchmarks run only when the area is named */
        uint32_t end;
};

struct bench_area {
        uint32_t size;
        uint32_t padding;
        const char *name;
        struct bench_area_options options;
};

struct bench_module {
        uint32_t abi;
        uint32_t size;
        const char *compiler;
        uint32_t optimized; /* 0: built with -O0 */
        uint32_t revision;  /* BENCH_REVISION */
        struct bench_descriptor **descriptors, **descriptors_end;
        struct bench_area **areas, **areas_end;
};

/* The state of a loop. */
enum bench_loop_state {
        BENCH_LOOP_NOT_BEGUN,
        BENCH_LOOP_RUNNING,
        BENCH_LOOP_COMPLETE,
        BENCH_LOOP_BROKEN,   /* left by break */
        BENCH_LOOP_RETURNED, /* left by return or goto */
};

/* The request of bench_inputs(). */
struct bench_inputs_wish {
        size_t size;
        void (*fill)(void *input, uint64_t index, void *ctx);
        void (*drop)(void *input, void *ctx);
        void *ctx;
        uint64_t reserved[2]; /* 0 */
};

/* The value of an argument, as a body reads it; integers are in `args` of struct bench. */
struct bench_argument {
        const char *name;
        uint32_t kind; /* BENCH_AXIS_INTEGERS, REALS or TEXTS */
        uint32_t padding;
        union {
                double real;
                const char *text;
        };
        uint64_t reserved; /* 0 */
};

/* The runner's marks of a batch that the kernel disturbed; stopped while the batch is paused. */
struct bench_watch {
        volatile uint64_t *sequence; /* the kernel clears it; NULL: not watched */
        uint64_t sequence_armed;
        uint32_t canary; /* 1: a return from the kernel clears a null selector in %es */
        uint32_t interrupted;
        uint32_t switched;
        uint32_t padding;
};

/*
 * The `b` of a body: one for each benchmark of a process. Only the functions and macros below touch it. The functions are
 * the runner's; those marked noreturn end the benchmark there and then.
 */
struct bench {
        uint64_t (*begin)(struct bench *b) BENCH_NOEXCEPT_; /* the loop begins: returns the first batch's length */
        uint64_t (*next)(struct bench *b) BENCH_NOEXCEPT_;  /* a batch is spent: the next one's length, 0 at the end */
        void (*fail)(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
        void (*skip)(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
        void (*threw)(struct bench *b, const char *what) __attribute__((noreturn));
        void (*refuse)(struct bench *b, const char *name) __attribute__((noreturn));
        void (*counter)(struct bench *b, const char *name, double value);
        void (*inputs)(struct bench *b, const struct bench_inputs_wish *wish);
        void *runner;
        const int64_t *args;
        uint32_t n_args;
        uint32_t loop_state;
        uint64_t batch;
        uint64_t ops;
        uint64_t repeat;
        double items;
        double bytes;
        uint32_t thread;
        uint32_t threads;
        uint64_t pause_began_ticks; /* 0: not paused */
        uint64_t paused_ticks;      /* in this batch */
        uint64_t n_pauses;
        char *input; /* the next one; NULL: none were asked for */
        size_t input_bytes;
        bench_clock *clock;        /* NULL: the time-stamp counter, which is read inline */
        struct bench_watch *watch; /* NULL: nothing is watched */
        void (*misuse)(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
        const struct bench_argument *arguments; /* n_args */
        void (*label)(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
        void *context;        /* of .setup */
        double manual_ns;     /* in this batch, by bench_manual_ns() */
        uint64_t n_manual;    /* calls of it */
        uint64_t reserved[1]; /* 0 */
};

/* ---- inside a body */

/*
 * One iteration less. The compiler may not know the count: with a known count it would compute the loop's result without
 * going round, and in C++ drop an empty loop.
 */
static inline __attribute__((always_inline)) uint64_t bench_step_(uint64_t left) {
        __asm__ volatile("" : "+r"(left));
        return left - 1;
}

/* clang-format off */

/* Repeats and times the statement or block that follows. Once in a body. */
#define bench_loop(b)                                                                                                 \
        for (struct bench *bench_scope_ __attribute__((cleanup(bench_scope_left_))) = (b), *bench_more_ = bench_scope_; \
             bench_more_; bench_more_ = bench_loop_over_(bench_scope_))                                               \
                for (uint64_t bench_left_ = bench_scope_->begin(bench_scope_);                                        \
                     __builtin_expect(bench_left_ != 0, 1) || (bench_left_ = bench_scope_->next(bench_scope_)) != 0;  \
                     bench_left_ = bench_step_(bench_left_))

/* Within the loop: the number of this iteration in its batch, from 0. */
#define bench_index(b) ((b)->batch - bench_left_)

/* Within the loop: ten times the statement, and the report is per statement. */
#define BENCH_REPEAT10(...)                                                                                           \
        do {                                                                                                          \
                bench_scope_->repeat = 10;                                                                            \
                BENCH_FIVE_(__VA_ARGS__)                                                                              \
                BENCH_FIVE_(__VA_ARGS__)                                                                              \
        } while (0)
#define BENCH_FIVE_(...)                                                                                              \
        __VA_ARGS__;                                                                                                  \
        __VA_ARGS__;                                                                                                  \
        __VA_ARGS__;                                                                                                  \
        __VA_ARGS__;                                                                                                  \
        __VA_ARGS__;

/* Memory may have changed: earlier reads are repeated, earlier writes are carried out. */
#define bench_clobber() __asm__ volatile("" : : : "memory")

/* clang-format on */

/* Ends the benchmark here: it failed, or it cannot run on this machine. printf's format. Neither returns. */
#define bench_fail(b, ...) ((b)->fail((b), __VA_ARGS__))
#define bench_skip(b, ...) ((b)->skip((b), __VA_ARGS__))

/* Ends the benchmark unless @i is an argument of the kind that @function reads. */
static inline void bench_check_argument_(struct bench *b, const char *function, unsigned i, uint32_t kind) {
        static const char *const kinds[] = { "a whole number: bench_arg", "a real number: bench_arg_real",
                "a text: bench_arg_text" };

        if (i >= b->n_args)
                b->misuse(b, "%s(b, %u), but the benchmark has %u argument%s", function, i, (unsigned)b->n_args,
                                b->n_args == 1 ? "" : "s");
        if (b->arguments[i].kind != kind)
                b->misuse(b, "%s(b, %u), but the argument %s is %s(b, %u)", function, i, b->arguments[i].name,
                                kinds[b->arguments[i].kind], i);
}

/* The value of argument @i of this benchmark, in the order of .args; fails the benchmark if there is none. */
static inline int64_t bench_arg(struct bench *b, unsigned i) {
        bench_check_argument_(b, "bench_arg", i, BENCH_AXIS_INTEGERS);
        return b->args[i];
}
/* ... of BENCH_REALS, and of BENCH_TEXTS, whose text lives as long as the process. */
static inline double bench_arg_real(struct bench *b, unsigned i) {
        bench_check_argument_(b, "bench_arg_real", i, BENCH_AXIS_REALS);
        return b->arguments[i].real;
}
static inline const char *bench_arg_text(struct bench *b, unsigned i) {
        bench_check_argument_(b, "bench_arg_text", i, BENCH_AXIS_TEXTS);
        return b->arguments[i].text;
}

/* The number of iterations in the batch that runs now. Those untimed before a batch are one of their own to the body. */
static inline uint64_t bench_batch(const struct bench *b) {
        return b->batch;
}

/* One iteration does @n operations: the report is per operation. Before the loop. */
static inline void bench_ops(struct bench *b, uint64_t n) {
        b->ops = n;
}

/* One iteration handles @n items, or bytes: the report adds items or bytes a second. Before the loop. */
static inline void bench_items(struct bench *b, double n) {
        b->items = n;
}
static inline void bench_bytes(struct bench *b, double n) {
        b->bytes = n;
}

/*
 * Reports a number of the author's own under @name; numbers under one name are added up. Outside the loop, or within that of one thread: then
 * it is the number of an iteration, each sample has its own (--keep-samples), and the report has their mean.
 */
static inline void bench_counter(struct bench *b, const char *name, double value) {
        b->counter(b, name, value);
}

/*
 * A short text beside the row's result, such as the variant that the machine made the code take; printf's format, cut to
 * 63 bytes. The last call counts; of several threads and processes that of the first which makes one. Outside the loop.
 */
#define bench_label(b, ...) ((b)->label((b), __VA_ARGS__))

/*
 * This thread's number, from 0, and the number of threads that run the body. Each has a `b` of its own, and so its own
 * set-up, all at the same time. Shared data is made in .setup, or by thread 0 before its loop and used by the others
 * within theirs: no thread is in a batch before all are. All run equally many iterations, and each runs .reset after
 * them. Times are those of one thread, rates those of all. bench_ops(), bench_items() and bench_bytes() are per thread;
 * bench_counter() is added up over all. A thread that leaves its loop ends the benchmark for all.
 */
static inline unsigned bench_thread(const struct bench *b) {
        return b->thread;
}
static inline unsigned bench_threads(const struct bench *b) {
        return b->threads;
}

/*
 * A pointer from .setup to the body, .reset and .teardown, in every thread: .setup sets it, the others read it. It is
 * NULL where nothing set it. Set elsewhere, it holds for the thread that set it alone.
 */
static inline void bench_set_context(struct bench *b, void *context) {
        b->context = context;
}
static inline void *bench_context(const struct bench *b) {
        return b->context;
}

static inline uint64_t bench_timer_ticks_(void) {
#if defined(__x86_64__) || defined(__i386__)
        uint32_t low, high;

        __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
#else
# error "bench_timer: this header knows the time-stamp counter of x86 only"
#endif
}

static inline uint64_t bench_clock_ticks_(bench_clock *clock) {
        return __builtin_expect(!clock, 1) ? bench_timer_ticks_() : clock();
}

/* Keeps the marks so far; events from here on are not of the batch. */
static inline void bench_watch_stop_(struct bench_watch *watch) {
        uint32_t selector = 1;

        if (!watch)
                return;
        if (watch->canary)
                __asm__ volatile("mov %%es, %0" : "=r"(selector) : : "memory");
        watch->interrupted |= (selector & 0xffff) == 0;
        watch->switched |= watch->sequence && *watch->sequence == 0;
}

static inline void bench_watch_go_on_(struct bench_watch *watch) {
        if (!watch)
                return;
        if (watch->sequence)
                *watch->sequence = watch->sequence_armed;
        if (watch->canary)
                __asm__ volatile("mov %w0, %%es" : : "r"(1) : "memory");
}

/*
 * The code between the two is not timed: its page faults, its waiting, and interrupts meanwhile mark no sample either.
 * A pair costs about as much as two readings of the clock, which is calibrated and taken off; the effect of the pause on
 * caches and branch predictors is not. Both in the same iteration, and in the thread that runs the body.
 */
static inline void bench_pause(struct bench *b) {
        if (b->pause_began_ticks)
                b->misuse(b, "bench_pause(), but it is paused already");
        b->pause_began_ticks = bench_clock_ticks_(b->clock);
        bench_clobber(); /* compilers know that malloc() does not read this; the counter of allocations does */
        bench_watch_stop_(b->watch);
}
static inline void bench_resume(struct bench *b) {
        uint64_t began_ticks = b->pause_began_ticks;

        if (!began_ticks)
                b->misuse(b, "bench_resume() without bench_pause()");
        bench_watch_go_on_(b->watch);
        b->n_pauses++;
        b->pause_began_ticks = 0;
        b->paused_ticks += bench_clock_ticks_(b->clock) - began_ticks;
}

/*
 * This iteration took @ns, by a clock of the author's own: a device's, a simulator's, another thread's. Within the loop,
 * once in each iteration, and then in all of them. Such times take the place of benchd's, which still decides by its own
 * clock how many iterations there are. They have no cycles, no net and no first call; nothing is taken off them, and what
 * benchd finds out about its own clock is not said of them.
 */
static inline void bench_manual_ns(struct bench *b, double ns) {
        if (!(ns >= 0))
                b->misuse(b, "bench_manual_ns(b, %g): a time is 0 or more", ns);
        b->manual_ns += ns;
        b->n_manual++;
}

/*
 * Prepares one input of @size bytes for each iteration of a batch, before it is timed: @fill(input, index, ctx) makes
 * one, @drop (or NULL) takes it down after the batch. Before the loop. All inputs of a batch together take at most half
 * of the second-level cache, which bounds its length. @index begins at 0 in each batch: inputs that follow from it alone
 * are the same in all batches, and a processor may learn them; a counter behind @ctx makes others.
 */
static inline void bench_inputs(struct bench *b, size_t size, void (*fill)(void *input, uint64_t index, void *ctx),
                void (*drop)(void *input, void *ctx), void *ctx) {
        struct bench_inputs_wish wish = { size, fill, drop, ctx, { 0, 0 } };

        b->inputs(b, &wish);
}

/* The next input. Within the loop, once an iteration; more often is refused. */
static inline void *bench_input(struct bench *b) {
        void *input = b->input;

        if (!input)
                b->misuse(b, "bench_input() without bench_inputs()");
        b->input += b->input_bytes;
        return input;
}

/*
 * ---- in any program: a stopwatch in seconds, or in ticks
 *
 *      bench_timer timer;
 *
 *      bench_timer_start(&timer);
 *      ...
 *      printf("%g s\n", bench_timer_seconds(&timer));
 *
 * The ticks are those of the time-stamp counter. bench_timer_seconds() finds its Hz by itself, within some millionths; `benchctl status`
 * and benchd_event_clock() tell it more exactly, and whether the counter can be trusted on this machine: where not, another clock may
 * serve. Neither takes the cost of reading the clock off.
 */

typedef struct bench_timer {
        uint64_t started_ticks;
        uint64_t elapsed_ticks; /* before started_ticks */
        bench_clock *clock;     /* NULL: the time-stamp counter */
        uint32_t running;
        uint32_t padding;
} bench_timer;

/* The ticks that ran so far, without those paused. */
static inline uint64_t bench_timer_check(const bench_timer *timer) {
        return timer->elapsed_ticks + (timer->running ? bench_clock_ticks_(timer->clock) - timer->started_ticks : 0);
}

/* Goes on after a pause; does nothing if it runs. */
static inline void bench_timer_resume(bench_timer *timer) {
        if (timer->running)
                return;
        timer->running = 1;
        timer->started_ticks = bench_clock_ticks_(timer->clock);
}

/* Stops until it is resumed; does nothing if it is stopped. */
static inline void bench_timer_pause(bench_timer *timer) {
        timer->elapsed_ticks = bench_timer_check(timer);
        timer->running = 0;
}

/* Begins at zero, by @clock; NULL for the time-stamp counter. */
static inline void bench_timer_start_by(bench_timer *timer, bench_clock *clock) {
        timer->elapsed_ticks = 0;
        timer->clock = clock;
        timer->running = 0;
        bench_timer_resume(timer);
}

/* Begins at zero, by the time-stamp counter. */
static inline void bench_timer_start(bench_timer *timer) {
        bench_timer_start_by(timer, NULL);
}

/* libc's clock_gettime() by a name of its own: strict C11 leaves it out of <time.h>. */
struct bench_time_ {
        long s, ns;
};
extern int bench_clock_gettime_(int clock, struct bench_time_ *time) __asm__("clock_gettime");

#define BENCH_CLOCK_MONOTONIC_RAW_ 4

/* A moment by both clocks. */
struct bench_moment_ {
        uint64_t ticks;
        uint64_t ns; /* of CLOCK_MONOTONIC_RAW; 0: it cannot be read */
};

/* Takes the least interrupted of several attempts. */
static inline struct bench_moment_ bench_timer_moment_(bench_clock *clock) {
        struct bench_moment_ moment = { 0, 0 };
        uint64_t least_ticks = UINT64_MAX;

        for (int i = 0; i < 16; i++) {
                struct bench_time_ raw = { 0, 0 };
                uint64_t before = bench_clock_ticks_(clock), took;

                if (bench_clock_gettime_(BENCH_CLOCK_MONOTONIC_RAW_, &raw) != 0)
                        return moment;
                took = bench_clock_ticks_(clock) - before;
                if (took >= least_ticks)
                        continue;
                least_ticks = took;
                moment.ticks = before + took / 2;
                moment.ns = (uint64_t)raw.s * 1000000000u + (uint64_t)raw.ns;
        }
        return moment;
}

/* Looks at both clocks for 20 ms. Returns the ticks of a nanosecond; 0 where they cannot be told. */
static inline double bench_timer_calibrate_(bench_clock *clock) {
        struct bench_moment_ first = bench_timer_moment_(clock), last;

        do
                last = bench_timer_moment_(clock);
        while (last.ns != 0 && last.ns - first.ns < 20000000);
        return last.ns == 0 ? 0 : (double)(last.ticks - first.ticks) / (double)(last.ns - first.ns);
}

/*
 * The nanoseconds that ran so far, without those paused. The first call, in each source file, takes 20 ms to set the counter
 * beside CLOCK_MONOTONIC_RAW, after what is timed: the counter's rate is then known to some millionths, and each reading to the counter's
 * step. The ticks of a timer by another clock are set beside it anew each time. NaN where the clock stands, or the kernel tells no time.
 */
static inline double bench_timer_ns(const bench_timer *timer) {
        static double known; /* of the time-stamp counter; 0: not yet. Threads that come at once find it each */
        const uint64_t ticks = bench_timer_check(timer);
        double ticks_per_ns = 0;

        if (!timer->clock)
                __atomic_load(&known, &ticks_per_ns, __ATOMIC_RELAXED);
        if (ticks_per_ns == 0)
                ticks_per_ns = bench_timer_calibrate_(timer->clock);
        if (!timer->clock)
                __atomic_store(&known, &ticks_per_ns, __ATOMIC_RELAXED);
        return ticks_per_ns > 0 ? (double)ticks / ticks_per_ns : __builtin_nan("");
}

/* The same in seconds. */
static inline double bench_timer_seconds(const bench_timer *timer) {
        return bench_timer_ns(timer) / 1e9;
}

/* ---- how a loop is left: break passes the end of the for statement, return and goto only leave its scope */

static inline struct bench *bench_loop_over_(struct bench *b) {
        if (b->loop_state == BENCH_LOOP_RUNNING)
                b->loop_state = BENCH_LOOP_BROKEN;
        return NULL;
}

static inline void bench_scope_left_(struct bench **scope) {
        if ((*scope)->loop_state == BENCH_LOOP_RUNNING)
                (*scope)->loop_state = BENCH_LOOP_RETURNED;
}

/* ---- the module: one exported symbol that spans the sections */

extern struct bench_descriptor *__start_benchd_descriptors[] __attribute__((weak, visibility("hidden")));
extern struct bench_descriptor *__stop_benchd_descriptors[] __attribute__((weak, visibility("hidden")));
extern struct bench_area *__start_benchd_areas[] __attribute__((weak, visibility("hidden")));
extern struct bench_area *__stop_benchd_areas[] __attribute__((weak, visibility("hidden")));

#ifdef __clang__
# define BENCH_COMPILER_ __VERSION__
#else
# define BENCH_COMPILER_ "gcc " __VERSION__
#endif
#ifdef __OPTIMIZE__
# define BENCH_OPTIMIZED_ 1u
#else
# define BENCH_OPTIMIZED_ 0u
#endif

/*
 * ---- in any program: a measurement in one statement
 *
 *      BENCH_HERE(strlen_1000) {
 *              bench_opaque(s);
 *              bench_use(strlen(s));
 *      }
 *
 * prints
 *
 *      strlen_1000                       5.932 ns an iteration, 5242880 iterations in 20 batches
 *
 * It repeats and times the statement or block that follows, where it stands: batches of doubled length until one takes 1 ms, 50 ms of
 * them untimed, then twenty, or as many as fit in 3 s. The line has their median. That is the time in this process alone, in its one layout
 * of memory, on any core, beside any other work, and includes the loop: nothing tells how far it can be trusted. BENCH() and `benchctl run`
 * do. Words that take a `b` need BENCH(); hints and BENCH_REPEAT10 serve here too.
 */
/* clang-format off */
#define BENCH_HERE(name_)                                                                                             \
        for (struct bench_here_ bench_here_ __attribute__((cleanup(bench_here_report_))) = bench_here_new_(#name_),   \
             *bench_here_more_ = &bench_here_; bench_here_more_; bench_here_more_ = NULL)                             \
                bench_loop(&bench_here_more_->b)
/* clang-format on */

#define BENCH_HERE_BATCHES_   20
#define BENCH_HERE_TARGET_NS_ 1e6
#define BENCH_HERE_WARM_NS_   50e6
#define BENCH_HERE_MOST_NS_   3e9

/* libc's by names of their own, as above. */
extern int bench_printf_(const char *format, ...) __asm__("printf") __attribute__((format(printf, 1, 2)));
extern int bench_fflush_(void *stream) __asm__("fflush");

struct bench_here_ {
        struct bench b; /* the first member */
        const char *name;
        double ticks_per_ns; /* 0: they cannot be told */
        uint64_t began_ticks, batch_ticks;
        uint64_t iterations;                    /* of the batches that count */
        double batches_ns[BENCH_HERE_BATCHES_]; /* of an iteration, in ascending order */
        int n_batches;
        int warm;
};

static inline uint64_t bench_here_begin_(struct bench *b) BENCH_NOEXCEPT_ {
        struct bench_here_ *here = (struct bench_here_ *)(void *)b;

        here->ticks_per_ns = bench_timer_calibrate_(NULL);
        b->loop_state = BENCH_LOOP_RUNNING;
        b->batch = here->ticks_per_ns > 0;
        here->began_ticks = here->batch_ticks = bench_timer_ticks_();
        return b->batch;
}

static inline void bench_here_keep_(struct bench_here_ *here, double ns) {
        int i = here->n_batches++;

        for (; i > 0 && here->batches_ns[i - 1] > ns; i--)
                here->batches_ns[i] = here->batches_ns[i - 1];
        here->batches_ns[i] = ns;
        here->iterations += here->b.batch;
}

static inline uint64_t bench_here_next_(struct bench *b) BENCH_NOEXCEPT_ {
        const uint64_t ticks = bench_timer_ticks_();
        struct bench_here_ *here = (struct bench_here_ *)(void *)b;
        const double batch_ns = (double)(ticks - here->batch_ticks) / here->ticks_per_ns;
        const double passed_ns = (double)(ticks - here->began_ticks) / here->ticks_per_ns;

        if (here->warm)
                bench_here_keep_(here, batch_ns / (double)b->batch);
        else if (batch_ns < BENCH_HERE_TARGET_NS_)
                b->batch *= 2;
        else
                here->warm = passed_ns >= BENCH_HERE_WARM_NS_;
        if (b->batch == 0 || here->n_batches == BENCH_HERE_BATCHES_ ||
                        (here->n_batches > 0 && passed_ns > BENCH_HERE_MOST_NS_)) {
                b->loop_state = BENCH_LOOP_COMPLETE;
                return 0;
        }
        here->batch_ticks = bench_timer_ticks_();
        return b->batch;
}

static inline struct bench_here_ bench_here_new_(const char *name) {
        static struct bench_here_ blank;
        struct bench_here_ here = blank;

        here.b.begin = bench_here_begin_;
        here.b.next = bench_here_next_;
        here.b.repeat = 1;
        here.name = name;
        return here;
}

static inline void bench_here_print_(const struct bench_here_ *here) {
        static const char *const units[] = { "ps", "ns", "\302\265s", "ms", "s" };
        const int n = here->n_batches, unit_last = (int)(sizeof units / sizeof *units) - 1;
        double time = (here->batches_ns[(n - 1) / 2] + here->batches_ns[n / 2]) / 2 / (double)here->b.repeat * 1000;
        int unit = 0;

        for (; time >= 999.95 && unit < unit_last; unit++)
                time /= 1000;
        bench_printf_("%-32s  %.4g %s an iteration, %llu iteration%s in %d batch%s\n", here->name, time, units[unit],
                        (unsigned long long)(here->iterations * here->b.repeat),
                        here->iterations * here->b.repeat == 1 ? "" : "s", n, n == 1 ? "" : "es");
}

static inline void bench_here_report_(struct bench_here_ *here) {
        static int told; /* in this source file */

        if (!__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
                bench_printf_("# In this process alone, beside any other work%s: times are for orientation only. BENCH() and 'benchctl run' "
                              "measure.\n",
                                BENCH_OPTIMIZED_ ? "" : ", and built without optimisation");
        if (here->b.loop_state == BENCH_LOOP_COMPLETE && here->n_batches > 0)
                bench_here_print_(here);
        else
                bench_printf_("%-32s  %s.\n", here->name,
                                here->ticks_per_ns > 0 ? "It left the loop by break, goto, return or an exception"
                                                       : "The clock cannot be read");
        bench_fflush_(NULL);
}

/*
 * gcc aligns a variable of 32 bytes and more to 32, unless told how. The tables of a module are told, since a module moves within its cache
 * line by no less than its largest alignment.
 */
#define BENCH_RECORD_ __attribute__((aligned(8)))

#ifndef BENCH_NO_MODULE /* the runner reads modules and is not one */
extern struct bench_module benchd_module;
__attribute__((weak, used, visibility("default"))) BENCH_RECORD_ struct bench_module benchd_module = {
        BENCH_ABI,
        sizeof(struct bench_module),
        BENCH_COMPILER_,
        BENCH_OPTIMIZED_,
        BENCH_REVISION,
        __start_benchd_descriptors,
        __stop_benchd_descriptors,
        __start_benchd_areas,
        __stop_benchd_areas,
};
#endif

#ifdef __cplusplus
}
#endif

/* clang-format off */

/*
 * ---- hints: a value stays where the compiler holds it
 *
 * A number, a pointer or a vector is taken in the register that it is in. A struct of up to 16 bytes is taken in up to four words as wide as
 * its alignment, each in a register of its kind. Everything else is taken in memory, where it lies. Nothing is copied.
 */
#define BENCH_IN_MEMORY_  0
#define BENCH_IN_GENERAL_ 1 /* a general register */
#define BENCH_IN_VECTOR_  2
#define BENCH_IN_X87_     3
#define BENCH_IN_PARTS_   4 /* real and imaginary, in vector registers */
#define BENCH_IN_WORDS_   5

/* Values of __builtin_classify_type(): integers, characters, enumerations, booleans and pointers have 1 to 5. */
#define BENCH_CLASS_INTEGER_ 1
#define BENCH_CLASS_POINTER_ 5
#define BENCH_CLASS_COMPLEX_ 9
#define BENCH_CLASS_VECTOR_  19 /* of later compilers */
#define BENCH_CLASS_NONE_    -1 /* of a vector in earlier ones */

/* The widest vectors that this file is compiled for, in bytes. */
#if defined(__AVX512F__)
# define BENCH_VECTOR_MAX_ 64
#elif defined(__AVX__)
# define BENCH_VECTOR_MAX_ 32
#else
# define BENCH_VECTOR_MAX_ 16
#endif

#if defined(__x86_64__) && defined(__SSE2__)
# define BENCH_FITS_WORDS_(size, align) ((size) > 0 && (size) <= 16 && (size) <= 4 * (align))
#else
# define BENCH_FITS_WORDS_(size, align) 0
#endif

/* clang 14 takes a _Float16 in a vector register only where it has instructions for it. */
#if defined(__FLT16_MAX__) && (!defined(__clang__) || defined(__AVX512FP16__))
# define BENCH_HALF_ _Float16
#else
# define BENCH_HALF_ float
#endif

/* clang refuses a long double, too, where vector registers may not be used. */
#ifdef __SSE2__
# define BENCH_LONG_DOUBLE_ long double
#else
# define BENCH_LONG_DOUBLE_ double
#endif

#define BENCH_INLINE_ static inline __attribute__((always_inline))

/*
 * The types by which words are read. gcc splits a struct before it knows the kinds of its words, and makes an integer of each that is read as
 * one, a pointer of none that is a double elsewhere: so words of 8 bytes are read as pointers, before doubles are.
 */
typedef uint8_t bench_word1_ __attribute__((may_alias));
typedef uint16_t bench_word2_ __attribute__((may_alias));
typedef float bench_word4_ __attribute__((may_alias));
typedef void *bench_word8_ __attribute__((may_alias));
typedef double bench_real8_ __attribute__((may_alias));
typedef float bench_word16_ __attribute__((vector_size(16), may_alias));

/* Takes the word at @word in a register of @kind; @hides its origin, or only uses it. */
#define BENCH_TAKE_WORD_(type, kind)                                                                                  \
        do {                                                                                                          \
                type bench_word_ = *(const type *)word;                                                               \
                if (hides) {                                                                                          \
                        __asm__ volatile("" : "+" kind(bench_word_));                                                 \
                        *(type *)word = bench_word_;                                                                  \
                } else                                                                                                \
                        __asm__ volatile("" : : kind(bench_word_));                                                   \
        } while (0)

BENCH_INLINE_ void bench_take_word_(void *word, size_t size, int is_real, int hides) {
        if (size == 16)
                BENCH_TAKE_WORD_(bench_word16_, "v");
        else if (size == 8 && is_real)
                BENCH_TAKE_WORD_(bench_real8_, "v");
        else if (size == 8)
                BENCH_TAKE_WORD_(bench_word8_, "r");
        else if (size == 4 && is_real)
                BENCH_TAKE_WORD_(bench_word4_, "v");
        else if (size == 4)
                BENCH_TAKE_WORD_(bench_word4_, "r");
        else if (size == 2)
                BENCH_TAKE_WORD_(bench_word2_, "r");
        else
                BENCH_TAKE_WORD_(bench_word1_, "r");
}

/*
 * The kind of each word is known from the convention of calls, which passes such a value in registers of the kinds of its members. So va_arg
 * takes one from registers that are made up here, and its bytes then tell which these were. Compilers fold all of it away.
 */
enum {
        BENCH_PASSED_REAL_ = 0,     /* in the lower half of a vector register */
        BENCH_PASSED_REAL_END_ = 1, /* in its upper half: one register holds all 16 bytes */
        BENCH_PASSED_GENERAL_ = 2,  /* in a general register, or on the stack */
};

union bench_passed_ {
        __builtin_va_list list;
        struct {
                unsigned next_general, next_vector; /* bytes into the registers: 6 of 8, then those of 16 */
                const void *stack, *registers;
        } from;
};

BENCH_INLINE_ void bench_pass_(union bench_passed_ *passed) {
# define BENCH_EIGHT_(byte) (UINT64_C(0x0101010101010101) * (byte))
        static const uint64_t registers[] __attribute__((aligned(16))) = { BENCH_EIGHT_(BENCH_PASSED_GENERAL_),
                BENCH_EIGHT_(BENCH_PASSED_GENERAL_), 0, 0, 0, 0, /* two are the most that 16 bytes take */
                BENCH_EIGHT_(BENCH_PASSED_REAL_), BENCH_EIGHT_(BENCH_PASSED_REAL_END_),
                BENCH_EIGHT_(BENCH_PASSED_REAL_), BENCH_EIGHT_(BENCH_PASSED_REAL_END_) };

        passed->from.next_general = 0;
        passed->from.next_vector = 6 * 8;
        passed->from.stack = registers;
        passed->from.registers = registers;
}

/* Takes the @size bytes at @value in words; @from tells how each byte was passed. */
BENCH_INLINE_ void bench_take_words_(void *value, size_t size, size_t align, const void *from, int hides) {
        const unsigned char *of = (const unsigned char *)from;
        const size_t n = align < 16 ? align : of[8] == BENCH_PASSED_REAL_END_ ? 16 : 8;
        char *words = (char *)value;

        bench_take_word_(words, n, of[0] == BENCH_PASSED_REAL_, hides);
        if (size > n)
                bench_take_word_(words + n, n, of[n] == BENCH_PASSED_REAL_, hides);
        if (size > 2 * n)
                bench_take_word_(words + 2 * n, n, of[2 * n] == BENCH_PASSED_REAL_, hides);
        if (size > 3 * n)
                bench_take_word_(words + 3 * n, n, of[3 * n] == BENCH_PASSED_REAL_, hides);
}

/* ---- BENCH(name, options): descriptor, pointer to it, and the head of the body's function */

/* gcc writes variables in any order by default; clang keeps the order of the source. */
#ifdef __clang__
# define BENCH_SECTION_(name) __attribute__((used, retain, section(name)))
#else
# define BENCH_SECTION_(name) __attribute__((used, retain, no_reorder, section(name)))
#endif
#define BENCH_HEAD_(head, ...) head
#define BENCH_TEXT_(text) #text
#define BENCH_STRING_(text) BENCH_TEXT_(text)
#define BENCH_PASTE_(a, b) a##b
#define BENCH_NAME_(a, b) BENCH_PASTE_(a, b)

/*
 * Keeps the source of this file inside the module, for `benchctl source` and `unpack`: a byte 1 and the file's name, ended by
 * a zero byte, then the text, ended by another. Once in a file: BENCH_EMBED_SOURCE;
 */
#define BENCH_EMBED_SOURCE                                                                                            \
        __asm__(".pushsection benchd_source,\"\",@progbits\n\t.byte 1\n\t.asciz \"" __FILE__                           \
                "\"\n\t.incbin \"" __FILE__ "\"\n\t.byte 0\n\t.popsection\n")

/*
 * BENCH(name, .option = value, ...) { body }
 *
 * Defines a benchmark: an identifier, any of the fields of struct bench_options, and the body, whose parameter is `b`.
 *
 * BENCH_AREA(name, .option = value, ...);
 *
 * Describes an area, with the fields of struct bench_area_options. Optional. A benchmark belongs to it by .area = "name", or if it has no
 * .area and its source file has that name. A plain run leaves out the benchmarks of an area with .hidden = 1: they run when its name is
 * written out.
 */
#define BENCH(...) BENCH_DEFINE_(BENCH_HEAD_(__VA_ARGS__, ), __VA_ARGS__)
#define BENCH_AREA(...) BENCH_AREA_DEFINE_(BENCH_HEAD_(__VA_ARGS__, ), __VA_ARGS__)

#define BENCH_ARGS_WORDS_ "BENCH_ARGS takes whole numbers: use BENCH_REALS for real ones, BENCH_TEXTS for texts"
#define BENCH_TEXTS_WORDS_ "BENCH_TEXTS takes texts in quotes"

#ifndef __cplusplus

# define BENCH_TAIL_(head, ...) __VA_ARGS__

# define BENCH_DEFINE_(name_, ...)                                                                                     \
        static void BENCH_NAME_(bench_body_, name_)(struct bench * b) __attribute__((nonnull));                                                 \
        static struct bench_descriptor BENCH_NAME_(bench_descriptor_, name_) BENCH_RECORD_ = {                         \
                .size = sizeof(struct bench_descriptor),                                                              \
                .line = __LINE__,                                                                                     \
                .name = BENCH_STRING_(name_),                                                                          \
                .file = __FILE__,                                                                                     \
                .run = BENCH_NAME_(bench_body_, name_),                                                                \
                .options = { BENCH_TAIL_(__VA_ARGS__, .end = 0) },                                                    \
        };                                                                                                            \
        static struct bench_descriptor *BENCH_NAME_(bench_pointer_, name_) BENCH_SECTION_("benchd_descriptors") =      \
                        &BENCH_NAME_(bench_descriptor_, name_);                                                        \
        static void BENCH_NAME_(bench_body_, name_)(struct bench * b __attribute__((unused)))

# define BENCH_AREA_DEFINE_(name_, ...)                                                                           \
        static struct bench_area BENCH_NAME_(bench_area_, name_) BENCH_RECORD_ = {                                \
                .size = sizeof(struct bench_area),                                                                    \
                .name = BENCH_STRING_(name_),                                                                     \
                .options = { BENCH_TAIL_(__VA_ARGS__, .end = 0) },                                                    \
        };                                                                                                            \
        static struct bench_area *BENCH_NAME_(bench_area_pointer_, name_) BENCH_SECTION_("benchd_areas") =        \
                        &BENCH_NAME_(bench_area_, name_)

/*
 * .args: the values of one argument, each of them a result of its own:
 *
 *      BENCH_ARGS(n, 1, 2, 3)                  whole numbers
 *      BENCH_REALS(load, 0.5, 0.75)            real numbers, told apart by their first 15 digits
 *      BENCH_TEXTS(text, "0", "1e300")         texts of 1 to 31 letters, digits and _ . - + : @ %
 *      BENCH_RANGE(n, first, last, factor)     first, first * factor, ... and last; from 1 on
 *      BENCH_LINEAR(n, first, last, step)      first, first + step, ... and last; at most 256
 *
 * BENCH_PRODUCT, BENCH_PRODUCT3 or BENCH_PRODUCT4 of two to four of these, written out (in C no macro of your own may
 * stand for one there).
 */
# define BENCH_ARGS(...)   { { BENCH_AXIS_BENCH_ARGS(__VA_ARGS__) } }
# define BENCH_REALS(...)  { { BENCH_AXIS_BENCH_REALS(__VA_ARGS__) } }
# define BENCH_TEXTS(...)  { { BENCH_AXIS_BENCH_TEXTS(__VA_ARGS__) } }
# define BENCH_RANGE(...)  { { BENCH_AXIS_BENCH_RANGE(__VA_ARGS__) } }
# define BENCH_LINEAR(...) { { BENCH_AXIS_BENCH_LINEAR(__VA_ARGS__) } }
# define BENCH_AXIS_BENCH_ARGS(name_, ...)                                                                            \
        {                                                                                                             \
                .name = #name_,                                                                                       \
                .n_values = BENCH_COUNT_VALUES_("BENCH_ARGS", int64_t, __VA_ARGS__) +                                 \
                            BENCH_CHECK_EACH_(BENCH_IS_WHOLE_, 0, BENCH_ARGS_WORDS_, __VA_ARGS__),                   \
                .values = { __VA_ARGS__ },                                                                            \
        }
# define BENCH_AXIS_BENCH_REALS(name_, ...)                                                                           \
        {                                                                                                             \
                .name = #name_, .kind = BENCH_AXIS_REALS,                                                             \
                .n_values = BENCH_COUNT_VALUES_("BENCH_REALS", double, __VA_ARGS__), .reals = { __VA_ARGS__ },        \
        }
# define BENCH_AXIS_BENCH_TEXTS(name_, ...)                                                                           \
        {                                                                                                             \
                .name = #name_, .kind = BENCH_AXIS_TEXTS,                                                             \
                .n_values = BENCH_COUNT_VALUES_("BENCH_TEXTS", const char *, __VA_ARGS__) +                           \
                            BENCH_CHECK_EACH_(BENCH_IS_TEXT_, "", BENCH_TEXTS_WORDS_, __VA_ARGS__),                  \
                .texts = { __VA_ARGS__ },                                                                             \
        }
# define BENCH_AXIS_BENCH_RANGE(name_, first_, last_, factor_)                                                        \
        BENCH_AXIS_BETWEEN_(BENCH_AXIS_INTEGERS, "BENCH_RANGE", name_, first_, last_, factor_)
# define BENCH_AXIS_BENCH_LINEAR(name_, first_, last_, step_)                                                         \
        BENCH_AXIS_BETWEEN_(BENCH_AXIS_LINEAR, "BENCH_LINEAR", name_, first_, last_, step_)
# define BENCH_AXIS_BETWEEN_(kind_, macro_, name_, first_, last_, factor_)                                            \
        {                                                                                                             \
                .name = #name_, .kind = kind_,                                                                        \
                .n_values = BENCH_CHECK_EACH_(BENCH_IS_WHOLE_, 0, macro_ " takes whole numbers", first_, last_,       \
                                    factor_),                                                                         \
                .first = (first_), .last = (last_), .factor = (factor_),                                              \
        }
# define BENCH_PRODUCT(a, b)        { { BENCH_AXIS_##a, BENCH_AXIS_##b } }
# define BENCH_PRODUCT3(a, b, c)    { { BENCH_AXIS_##a, BENCH_AXIS_##b, BENCH_AXIS_##c } }
# define BENCH_PRODUCT4(a, b, c, d) { { BENCH_AXIS_##a, BENCH_AXIS_##b, BENCH_AXIS_##c, BENCH_AXIS_##d } }
# define BENCH_THREADS(...)                                                                                            \
        { { BENCH_CHECK_(BENCH_COUNT_(uint32_t, __VA_ARGS__) <= BENCH_THREADS_MAX,                                    \
                    "too many counts in BENCH_THREADS (BENCH_THREADS_MAX is the most)") +                             \
            BENCH_CHECK_EACH_(BENCH_IS_WHOLE_, 0, "BENCH_THREADS takes whole numbers", __VA_ARGS__) +                 \
            __VA_ARGS__ } }

# define BENCH_COUNT_(type, ...)      (sizeof((type[]){ __VA_ARGS__ }) / sizeof(type))
# define BENCH_COUNT_VALUES_(macro, type, ...)                                                                        \
        (BENCH_COUNT_(type, __VA_ARGS__) + BENCH_CHECK_(BENCH_COUNT_(type, __VA_ARGS__) <= BENCH_VALUES_MAX,          \
                                                   "too many values in " macro " (BENCH_VALUES_MAX is the most)"))
# define BENCH_IS_WHOLE_(value)                                                                                       \
        _Generic((value), float: 0, double: 0, long double: 0, char *: 0, const char *: 0, default: 1)
# define BENCH_IS_TEXT_(value)        _Generic((value), char *: 1, const char *: 1, default: 0)

# define BENCH_CHECK_(condition, text) (0 * sizeof(struct { _Static_assert(condition, text); char byte; }))

/* Checks that @is holds for each value; @filler, for which it holds, stands for those that are missing. */
# define BENCH_CHECK_EACH_(is, filler, text, ...)                                                                     \
        (0 * sizeof(struct { BENCH_EACH24_(is, text, __VA_ARGS__, filler, filler, filler, filler, filler, filler,     \
                filler, filler, filler, filler, filler, filler, filler, filler, filler, filler, filler, filler,       \
                filler, filler, filler, filler, filler, filler) char byte; }))
# define BENCH_EACH24_(is, text, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, ...)         \
        BENCH_EACH8_(is, text, a, b, c, d, e, f, g, h)                                                                \
        BENCH_EACH8_(is, text, i, j, k, l, m, n, o, p)                                                                \
        BENCH_EACH8_(is, text, q, r, s, t, u, v, w, x)
# define BENCH_EACH8_(is, text, a, b, c, d, e, f, g, h)                                                               \
        _Static_assert(is(a), text); _Static_assert(is(b), text); _Static_assert(is(c), text);                        \
        _Static_assert(is(d), text); _Static_assert(is(e), text); _Static_assert(is(f), text);                        \
        _Static_assert(is(g), text); _Static_assert(is(h), text);

/* The type of @value as an initialiser: without qualifiers, and a pointer where it is an array. */
# define BENCH_TYPE_(value) __typeof__(__extension__({ __auto_type bench_typed_ = ((void)0, (value)); bench_typed_; }))
# define BENCH_CLASS_(type) __builtin_classify_type(*(type *)sizeof(type))
# define BENCH_IS_(type, other) __builtin_types_compatible_p(type, other)
# define BENCH_IS_INTEGER_(type) (BENCH_CLASS_(type) >= BENCH_CLASS_INTEGER_ && BENCH_CLASS_(type) <= BENCH_CLASS_POINTER_ && sizeof(type) <= 16)
# define BENCH_IS_REAL_(type) (BENCH_IS_(type, float) || BENCH_IS_(type, double) || BENCH_IS_(type, BENCH_HALF_))
# define BENCH_IS_COMPLEX_(type) (BENCH_IS_(type, _Complex float) || BENCH_IS_(type, _Complex double))
# define BENCH_IS_X87_(type) (BENCH_IS_(type, long double) && __LDBL_MANT_DIG__ == 64)
# define BENCH_IS_VECTOR_(type) ((BENCH_CLASS_(type) == BENCH_CLASS_NONE_ || BENCH_CLASS_(type) == BENCH_CLASS_VECTOR_) && sizeof(type) >= 16)
# define BENCH_KIND_(type)                                                                                            \
        (BENCH_IS_INTEGER_(type) ? BENCH_IN_GENERAL_                                                                  \
                : BENCH_IS_REAL_(type) ? BENCH_IN_VECTOR_                                                             \
                : BENCH_IS_COMPLEX_(type) ? BENCH_IN_PARTS_                                                           \
                : BENCH_IS_X87_(type) ? BENCH_IN_X87_                                                                 \
                : BENCH_IS_VECTOR_(type) ? (sizeof(type) <= BENCH_VECTOR_MAX_ ? BENCH_IN_VECTOR_ : BENCH_IN_MEMORY_)  \
                : BENCH_FITS_WORDS_(sizeof(type), _Alignof(type)) ? BENCH_IN_WORDS_                                   \
                : BENCH_IN_MEMORY_)
/* An array is in memory, as is a struct that is volatile, or const, which the compiler then refuses. */
# define BENCH_IS_QUALIFIED_(type) (BENCH_IS_(type *, const type *) || BENCH_IS_(type *, volatile type *))
# define BENCH_KIND_OF_VARIABLE_(value, type)                                                                         \
        (!BENCH_IS_(__typeof__(value), type) ||                                                                       \
                        (BENCH_KIND_(type) >= BENCH_IN_PARTS_ && BENCH_IS_QUALIFIED_(__typeof__(value)))              \
                ? BENCH_IN_MEMORY_                                                                                    \
                : BENCH_KIND_(type))

/* Compilers check the statements for the other kinds, too: there a value that suits the statement stands for @value. */
# define BENCH_OF_(kind, wanted, value, otherwise) __builtin_choose_expr((kind) == (wanted), value, otherwise)
# define BENCH_TAKE_WORDS_(kind, type, value, hides)                                                                  \
        __extension__({                                                                                               \
                typedef __typeof__(BENCH_OF_(kind, BENCH_IN_WORDS_, *(type *)sizeof(type), 0)) bench_words_;          \
                union bench_passed_ bench_passed_;                                                                    \
                bench_pass_(&bench_passed_);                                                                          \
                bench_words_ bench_from_ = __builtin_va_arg(bench_passed_.list, bench_words_);                        \
                bench_take_words_((void *)&(value), sizeof(bench_words_), _Alignof(bench_words_), &bench_from_, hides); \
        })

/*
 * Evaluates @value and counts its result as used. A store that @value makes is kept where other code can see the memory: pass the
 * pointer to an array through bench_use() once, or the compiler may drop a store such as bench_use(a[i] = 10) and keep the 10.
 */
# define bench_use(value)                                                                                             \
        __extension__({                                                                                               \
                typedef BENCH_TYPE_(value) bench_type_;                                                               \
                enum { bench_kind_ = BENCH_KIND_(bench_type_) };                                                      \
                if (bench_kind_ == BENCH_IN_MEMORY_)                                                                  \
                        __asm__ volatile("" : : "rm"(BENCH_OF_(bench_kind_, BENCH_IN_MEMORY_, ((void)0, (value)), 0))); \
                else                                                                                                  \
                        BENCH_USE_COPY_(bench_kind_, bench_type_,                                                     \
                                BENCH_OF_(bench_kind_, BENCH_IN_MEMORY_, 0, ((void)0, (value))));                     \
        })
# define BENCH_USE_COPY_(kind, type, value)                                                                           \
        __extension__({                                                                                               \
                __auto_type bench_value_ = value;                                                                     \
                if (kind == BENCH_IN_GENERAL_)                                                                        \
                        __asm__ volatile("" : : "r"(BENCH_OF_(kind, BENCH_IN_GENERAL_, bench_value_, 0)));            \
                else if (kind == BENCH_IN_VECTOR_)                                                                    \
                        __asm__ volatile("" : : "v"(BENCH_OF_(kind, BENCH_IN_VECTOR_, bench_value_, 0.0)));           \
                else if (kind == BENCH_IN_X87_)                                                                       \
                        __asm__ volatile("" : : "f"(BENCH_OF_(kind, BENCH_IN_X87_, bench_value_, (BENCH_LONG_DOUBLE_)0)));             \
                else if (kind == BENCH_IN_PARTS_)                                                                     \
                        __asm__ volatile("" : : "v"(__real__ BENCH_OF_(kind, BENCH_IN_PARTS_, bench_value_, 0.0)),    \
                                "v"(__imag__ BENCH_OF_(kind, BENCH_IN_PARTS_, bench_value_, 0.0)));                   \
                else                                                                                                  \
                        BENCH_TAKE_WORDS_(kind, type, bench_value_, 0);                                               \
        })

/* Hides the origin of the value of the variable @value: the compiler must assume any value. */
# define bench_opaque(value)                                                                                          \
        __extension__({                                                                                               \
                typedef BENCH_TYPE_(value) bench_type_;                                                               \
                enum { bench_kind_ = BENCH_KIND_OF_VARIABLE_(value, bench_type_) };                                   \
                int64_t bench_general_ = 0;                                                                           \
                double bench_vector_ = 0;                                                                             \
                BENCH_LONG_DOUBLE_ bench_x87_ = 0;                                                                    \
                _Complex double bench_complex_ = 0;                                                                   \
                if (bench_kind_ == BENCH_IN_GENERAL_)                                                                 \
                        __asm__ volatile("" : "+r"(BENCH_OF_(bench_kind_, BENCH_IN_GENERAL_, value, bench_general_))); \
                else if (bench_kind_ == BENCH_IN_VECTOR_)                                                             \
                        __asm__ volatile("" : "+v"(BENCH_OF_(bench_kind_, BENCH_IN_VECTOR_, value, bench_vector_)));  \
                else if (bench_kind_ == BENCH_IN_X87_)                                                                \
                        __asm__ volatile("" : "+t"(BENCH_OF_(bench_kind_, BENCH_IN_X87_, value, bench_x87_)));        \
                else if (bench_kind_ == BENCH_IN_PARTS_) {                                                            \
                        __auto_type bench_real_ = __real__ BENCH_OF_(bench_kind_, BENCH_IN_PARTS_, value, bench_complex_); \
                        __auto_type bench_imaginary_ = __imag__ BENCH_OF_(bench_kind_, BENCH_IN_PARTS_, value, bench_complex_); \
                        __asm__ volatile("" : "+v"(bench_real_), "+v"(bench_imaginary_));                             \
                        __real__ BENCH_OF_(bench_kind_, BENCH_IN_PARTS_, value, bench_complex_) = bench_real_;        \
                        __imag__ BENCH_OF_(bench_kind_, BENCH_IN_PARTS_, value, bench_complex_) = bench_imaginary_;   \
                } else if (bench_kind_ == BENCH_IN_WORDS_)                                                              \
                        BENCH_TAKE_WORDS_(bench_kind_, bench_type_,                                                   \
                                BENCH_OF_(bench_kind_, BENCH_IN_WORDS_, value, bench_general_), 1);                   \
                else                                                                                                  \
                        __asm__ volatile("" : "+m"(BENCH_OF_(bench_kind_, BENCH_IN_MEMORY_, value, bench_general_))); \
        })

#else /* C++: no designated initialisers in C++17, so each option becomes an assignment in a constexpr function */

# define BENCH_DEFINE_(name_, ...)                                                                                     \
        static void BENCH_NAME_(bench_body_, name_)(struct bench * b) __attribute__((nonnull));                                                 \
        static void BENCH_NAME_(bench_run_, name_)(struct bench * b) {                                                 \
                bench_run_caught_(b, BENCH_NAME_(bench_body_, name_));                                                 \
        }                                                                                                             \
        static constexpr struct bench_options BENCH_NAME_(bench_options_, name_)() {                                   \
                struct bench_options bench_o_ = {};                                                                   \
                BENCH_ASSIGN_(__VA_ARGS__)                                                                            \
                return bench_o_;                                                                                      \
        }                                                                                                             \
        static struct bench_descriptor BENCH_NAME_(bench_descriptor_, name_) BENCH_RECORD_ = {                         \
                sizeof(struct bench_descriptor), __LINE__, BENCH_STRING_(name_), __FILE__,                             \
                BENCH_NAME_(bench_run_, name_), BENCH_NAME_(bench_options_, name_)(),                                   \
        };                                                                                                            \
        static struct bench_descriptor *BENCH_NAME_(bench_pointer_, name_) BENCH_SECTION_("benchd_descriptors") =      \
                        &BENCH_NAME_(bench_descriptor_, name_);                                                        \
        static void BENCH_NAME_(bench_body_, name_)(struct bench * b __attribute__((unused)))

# define BENCH_AREA_DEFINE_(name_, ...)                                                                           \
        static constexpr struct bench_area_options BENCH_NAME_(bench_area_options_, name_)() {                    \
                struct bench_area_options bench_o_ = {};                                                              \
                BENCH_ASSIGN_(__VA_ARGS__)                                                                            \
                return bench_o_;                                                                                      \
        }                                                                                                             \
        static struct bench_area BENCH_NAME_(bench_area_, name_) BENCH_RECORD_ = {                                \
                sizeof(struct bench_area), 0, BENCH_STRING_(name_), BENCH_NAME_(bench_area_options_, name_)(), \
        };                                                                                                            \
        static struct bench_area *BENCH_NAME_(bench_area_pointer_, name_) BENCH_SECTION_("benchd_areas") =        \
                        &BENCH_NAME_(bench_area_, name_)

# define BENCH_ASSIGN_(...)                                                                                           \
        BENCH_PICK16_(__VA_ARGS__, BENCH_A15_, BENCH_A14_, BENCH_A13_, BENCH_A12_, BENCH_A11_, BENCH_A10_, BENCH_A9_,  \
                BENCH_A8_, BENCH_A7_, BENCH_A6_, BENCH_A5_, BENCH_A4_, BENCH_A3_, BENCH_A2_, BENCH_A1_, BENCH_A0_, )   \
        (__VA_ARGS__)
# define BENCH_PICK16_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, picked, ...) picked
# define BENCH_A0_(name)
# define BENCH_A1_(name, a)       bench_o_ a;
# define BENCH_A2_(name, a, ...)  bench_o_ a; BENCH_A1_(name, __VA_ARGS__)
# define BENCH_A3_(name, a, ...)  bench_o_ a; BENCH_A2_(name, __VA_ARGS__)
# define BENCH_A4_(name, a, ...)  bench_o_ a; BENCH_A3_(name, __VA_ARGS__)
# define BENCH_A5_(name, a, ...)  bench_o_ a; BENCH_A4_(name, __VA_ARGS__)
# define BENCH_A6_(name, a, ...)  bench_o_ a; BENCH_A5_(name, __VA_ARGS__)
# define BENCH_A7_(name, a, ...)  bench_o_ a; BENCH_A6_(name, __VA_ARGS__)
# define BENCH_A8_(name, a, ...)  bench_o_ a; BENCH_A7_(name, __VA_ARGS__)
# define BENCH_A9_(name, a, ...)  bench_o_ a; BENCH_A8_(name, __VA_ARGS__)
# define BENCH_A10_(name, a, ...) bench_o_ a; BENCH_A9_(name, __VA_ARGS__)
# define BENCH_A11_(name, a, ...) bench_o_ a; BENCH_A10_(name, __VA_ARGS__)
# define BENCH_A12_(name, a, ...) bench_o_ a; BENCH_A11_(name, __VA_ARGS__)
# define BENCH_A13_(name, a, ...) bench_o_ a; BENCH_A12_(name, __VA_ARGS__)
# define BENCH_A14_(name, a, ...) bench_o_ a; BENCH_A13_(name, __VA_ARGS__)
# define BENCH_A15_(name, a, ...) bench_o_ a; BENCH_A14_(name, __VA_ARGS__)

# define BENCH_ARGS(name_, ...)                      bench_args_(#name_, __VA_ARGS__)
# define BENCH_REALS(name_, ...)                     bench_reals_(#name_, __VA_ARGS__)
# define BENCH_TEXTS(name_, ...)                     bench_texts_(#name_, __VA_ARGS__)
# define BENCH_RANGE(name_, first_, last_, factor_)                                                                   \
        bench_range_(#name_, BENCH_AXIS_INTEGERS, first_, last_, factor_)
# define BENCH_LINEAR(name_, first_, last_, step_)   bench_range_(#name_, BENCH_AXIS_LINEAR, first_, last_, step_)
# define BENCH_PRODUCT(...)                          bench_product_(__VA_ARGS__)
# define BENCH_PRODUCT3(...)                         bench_product_(__VA_ARGS__)
# define BENCH_PRODUCT4(...)                         bench_product_(__VA_ARGS__)
# define BENCH_THREADS(...)                          bench_threads_(__VA_ARGS__)

/* An exception that leaves the body ends the benchmark, with the exception's words. */
static inline void bench_run_caught_(struct bench *b, bench_function *body) {
# ifdef __cpp_exceptions
        try {
                body(b);
        } catch (const std::exception &exception) {
                b->threw(b, exception.what());
        } catch (...) {
                b->threw(b, nullptr);
        }
# else
        body(b);
# endif
}

/* True of numbers without a fraction. */
template <typename Value>
static constexpr bool bench_is_whole_ = std::is_integral_v<Value> || std::is_enum_v<Value>;

template <typename... Values>
static constexpr struct bench_args bench_args_(const char *name, Values... values) {
        static_assert(sizeof...(values) <= BENCH_VALUES_MAX, "too many values in BENCH_ARGS");
        static_assert((bench_is_whole_<Values> && ...), BENCH_ARGS_WORDS_);
        const int64_t list[] = { static_cast<int64_t>(values)... };

        return { { bench_axis(name, sizeof...(values), list) } };
}

template <typename... Values>
static constexpr struct bench_args bench_reals_(const char *name, Values... values) {
        static_assert(sizeof...(values) <= BENCH_VALUES_MAX, "too many values in BENCH_REALS");
        const double list[] = { static_cast<double>(values)... };

        return { { bench_axis(name, sizeof...(values), list) } };
}

template <typename... Values>
static constexpr struct bench_args bench_texts_(const char *name, Values... values) {
        static_assert(sizeof...(values) <= BENCH_VALUES_MAX, "too many values in BENCH_TEXTS");
        static_assert((std::is_convertible_v<Values, const char *> && ...), BENCH_TEXTS_WORDS_);
        const char *const list[] = { values... };

        return { { bench_axis(name, sizeof...(values), list) } };
}

template <typename First, typename Last, typename Factor>
static constexpr struct bench_args bench_range_(const char *name, uint32_t kind, First first, Last last,
                Factor factor) {
        static_assert(bench_is_whole_<First> && bench_is_whole_<Last> && bench_is_whole_<Factor>,
                        "BENCH_RANGE and BENCH_LINEAR take whole numbers");

        return { { bench_axis(name, kind, static_cast<int64_t>(first), static_cast<int64_t>(last),
                        static_cast<int64_t>(factor)) } };
}

template <typename... Args>
static constexpr struct bench_args bench_product_(Args... each) {
        static_assert(sizeof...(each) <= BENCH_AXES_MAX, "too many arguments in BENCH_PRODUCT");

        return { { each.axes[0]... } };
}

template <typename... Counts>
static constexpr struct bench_thread_counts bench_threads_(Counts... counts) {
        static_assert(sizeof...(counts) <= BENCH_THREADS_MAX, "too many counts in BENCH_THREADS");
        static_assert((bench_is_whole_<Counts> && ...), "BENCH_THREADS takes whole numbers");
        const uint32_t list[] = { static_cast<uint32_t>(counts)... };
        struct bench_thread_counts threads = {};
        unsigned n = 0;

        for (const uint32_t count : list)
                threads.counts[n++] = count;
        return threads;
}

template <typename Value>
static constexpr int bench_class_ = __builtin_classify_type(*static_cast<Value *>(nullptr));

/* True of classes that are no more than their bytes: not of std::atomic, whose bytes may not be written back. */
template <typename Value>
static constexpr bool bench_is_plain_ = std::is_trivially_copy_constructible_v<Value> && std::is_trivially_copy_assignable_v<Value> &&
                                        std::is_trivially_destructible_v<Value> && !std::is_empty_v<Value>;

/* The kind of register for values of a type without qualifiers. */
template <typename Value>
static constexpr int bench_kind_() {
        if constexpr (std::is_same_v<Value, float> || std::is_same_v<Value, double> || std::is_same_v<Value, BENCH_HALF_>)
                return BENCH_IN_VECTOR_;
        else if constexpr (std::is_same_v<Value, long double>)
                return __LDBL_MANT_DIG__ == 64 ? BENCH_IN_X87_ : BENCH_IN_VECTOR_;
        else if constexpr (std::is_array_v<Value> || std::is_function_v<Value>)
                return BENCH_IN_MEMORY_;
        else if constexpr (std::is_class_v<Value> || std::is_union_v<Value>)
                return bench_is_plain_<Value> && BENCH_FITS_WORDS_(sizeof(Value), alignof(Value)) ? BENCH_IN_WORDS_ : BENCH_IN_MEMORY_;
        else if constexpr (bench_class_<Value> == BENCH_CLASS_COMPLEX_ && sizeof(Value) <= 16)
                return BENCH_IN_PARTS_;
        else if constexpr ((bench_class_<Value> >= BENCH_CLASS_INTEGER_ && bench_class_<Value> <= BENCH_CLASS_POINTER_) ||
                           (std::is_scalar_v<Value> && sizeof(Value) <= 8))
                return BENCH_IN_GENERAL_;
        else if constexpr (bench_class_<Value> == BENCH_CLASS_NONE_ || bench_class_<Value> == BENCH_CLASS_VECTOR_)
                return sizeof(Value) < 16 ? BENCH_IN_WORDS_ : sizeof(Value) <= BENCH_VECTOR_MAX_ ? BENCH_IN_VECTOR_ : BENCH_IN_MEMORY_;
        else
                return BENCH_FITS_WORDS_(sizeof(Value), alignof(Value)) ? BENCH_IN_WORDS_ : BENCH_IN_MEMORY_;
}

template <typename Value>
BENCH_INLINE_ void bench_take_words_of_(Value *value, int hides) {
        union bench_passed_ passed;

        bench_pass_(&passed);
# ifdef __clang__
#  pragma clang diagnostic push
#  pragma clang diagnostic ignored "-Wnon-pod-varargs"
# endif
        const Value from = __builtin_va_arg(passed.list, Value);
# ifdef __clang__
#  pragma clang diagnostic pop
# endif
        bench_take_words_(value, sizeof(Value), alignof(Value), &from, hides);
}

/*
 * Evaluates @value and counts its result as used. A store that @value makes is kept where other code can see the memory: pass the
 * pointer to an array through bench_use() once, or the compiler may drop a store such as bench_use(a[i] = 10) and keep the 10.
 */
template <typename Value>
BENCH_INLINE_ void bench_use(const Value &value) {
        constexpr int kind = bench_kind_<std::remove_cv_t<Value>>();

        if constexpr (std::is_array_v<Value>)
                __asm__ volatile("" : : "r"(&value[0]));
        else if constexpr (std::is_function_v<Value> || kind == BENCH_IN_GENERAL_)
                __asm__ volatile("" : : "r"(value));
        else if constexpr (kind == BENCH_IN_VECTOR_)
                __asm__ volatile("" : : "v"(value));
        else if constexpr (kind == BENCH_IN_X87_)
                __asm__ volatile("" : : "f"(value));
        else if constexpr (kind == BENCH_IN_PARTS_)
                __asm__ volatile("" : : "v"(__real__ value), "v"(__imag__ value));
        else if constexpr (kind == BENCH_IN_WORDS_ && !std::is_volatile_v<Value>)
                bench_take_words_of_(const_cast<Value *>(&value), 0);
        else
                __asm__ volatile("" : : "m"(value));
}

/* Hides the origin of the value of the variable @value: the compiler must assume any value. */
template <typename Value>
BENCH_INLINE_ void bench_opaque(Value &value) {
        constexpr int kind = bench_kind_<std::remove_cv_t<Value>>();

        static_assert(!std::is_const_v<Value>, "bench_opaque() takes a variable that is not const");
        if constexpr (kind == BENCH_IN_GENERAL_)
                __asm__ volatile("" : "+r"(value));
        else if constexpr (kind == BENCH_IN_VECTOR_)
                __asm__ volatile("" : "+v"(value));
        else if constexpr (kind == BENCH_IN_X87_)
                __asm__ volatile("" : "+t"(value));
        else if constexpr (kind == BENCH_IN_PARTS_ && !std::is_volatile_v<Value>) {
                auto real = __real__ value, imaginary = __imag__ value;

                __asm__ volatile("" : "+v"(real), "+v"(imaginary));
                __real__ value = real;
                __imag__ value = imaginary;
        } else if constexpr (kind == BENCH_IN_WORDS_ && !std::is_volatile_v<Value>)
                bench_take_words_of_(&value, 1);
        else
                __asm__ volatile("" : "+m"(value));
}

#endif

#endif
