/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The sample block: what one runner process tells, in shared memory that the launcher made and sized.
 *
 * The module shares the runner's address space, so everything here is the submitter's word. It is copied once when the
 * runner is dead, and then checked; statistics are made from the copy.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/runner-plan.h"
#include "words/mark.h"

/* Instruments that measure along with benchd, and whose own work is therefore timed with the benchmark's: a bit each. */

enum {
        INSTRUMENT_TRACER = 1u << 0,
        INSTRUMENT_PRELOADED = 1u << 1, /* a library that neither the runner nor the module asked for */
        INSTRUMENT_LD_AUDIT = 1u << 2,  /* set in the environment */
        INSTRUMENT_LD_PROFILE = 1u << 3,
        INSTRUMENT_PROFILING = 1u << 4, /* from here on by the symbols of the module's files: -pg */
        INSTRUMENT_FUNCTION_HOOKS = 1u << 5,
        INSTRUMENT_COVERAGE = 1u << 6,
        INSTRUMENT_ADDRESS_SANITIZER = 1u << 7,
        INSTRUMENT_THREAD_SANITIZER = 1u << 8,
        INSTRUMENT_MEMORY_SANITIZER = 1u << 9,
        INSTRUMENT_UNDEFINED_SANITIZER = 1u << 10,
        INSTRUMENT_VALGRIND = 1u << 11,
        _INSTRUMENTS = (1u << 12) - 1,
};

#define INSTRUMENTS_MAX 12u

/* Writes the words of @present, one each, in the order of the bits. Returns their number. */
size_t sample_instrument_words(uint32_t present, const char *ret_words[static INSTRUMENTS_MAX]);

#define SAMPLE_BLOCK_MAGIC   0x636c6273u /* "sblc" */
#define SAMPLE_BLOCK_VERSION 0u

#define SAMPLE_BLOCK_MESSAGE_MAX  512u
#define SAMPLE_BLOCK_COUNTERS_MAX 16u
#define SAMPLE_BLOCK_LABEL_MAX    64u

/* A batch by the body's own clock: far from where sums, squares and reciprocals of such times end. */
#define SAMPLE_MANUAL_MIN_NS 1e-6
#define SAMPLE_MANUAL_MAX_NS 1e18

#define SAMPLE_OPS_MAX 0x1p62 /* operations of an iteration, which a report has as an integer */

#define CRASH_SYMBOL_MAX    128u
#define CRASH_FILE_MAX      64u
#define LISTING_ENTRIES_MAX 1024u
#define LISTING_VALUES_MAX  24u  /* BENCH_VALUES_MAX */
#define LISTING_STEPS_MAX   256u /* values of a linear range */
#define LISTING_THREADS_MAX 8u   /* BENCH_THREADS_MAX */
#define LISTING_TEXT_MAX    192u

enum {
        _SAMPLE_BLOCK_E_SUCCESS,

        SAMPLE_BLOCK_E_INVALID, /* not what a runner writes */
};

/* How far the process got: written by the runner as it goes, so that a death can be placed. */
typedef enum RunnerPhase {
        RUNNER_PHASE_BORN,
        RUNNER_PHASE_LOADING, /* libraries and module; constructors run */
        RUNNER_PHASE_SETUP,   /* body before its loop */
        RUNNER_PHASE_FIRST_CALL,
        RUNNER_PHASE_WARMUP,
        RUNNER_PHASE_SAMPLING,
        RUNNER_PHASE_LOOP,     /* the runner's own empty loop */
        RUNNER_PHASE_TEARDOWN, /* body after its loop */
        RUNNER_PHASE_DONE,
        _RUNNER_PHASE_N,
} RunnerPhase;

/* How it ended, by its own account. */
typedef enum RunnerEnd {
        RUNNER_END_NONE, /* it did not say: it died */
        RUNNER_END_COMPLETE,

        RUNNER_END_BREAK = 10, /* the loop was left by break */
        RUNNER_END_RETURN,     /* ... by return or goto */
        RUNNER_END_JUMP,       /* ... by longjmp */
        RUNNER_END_EXCEPTION,  /* ... by a C++ exception */
        RUNNER_END_NO_LOOP,
        RUNNER_END_SECOND_LOOP,
        RUNNER_END_FAILED,      /* bench_fail */
        RUNNER_END_SKIPPED,     /* bench_skip */
        RUNNER_END_UNSUPPORTED, /* a name of bench.h that this runner does not do */
        RUNNER_END_EXIT,        /* exit() within the body */
        RUNNER_END_MISUSE,      /* bench.h used in a way that cannot be timed */
        RUNNER_END_THREAD,      /* pthread_exit() in one of several threads */
        RUNNER_END_THREAD_LEFT, /* threads that the batches started outlived them, time and again */
        RUNNER_END_CHILD,       /* a child that the body forked came back to the runner */
        RUNNER_END_DIRECTORY,   /* by the newborn: the directory of the plan cannot be had */
        RUNNER_END_SEE,         /* ... or a path that the body is to see */
        RUNNER_END_DESCRIPTORS, /* the pipes to the launcher are closed, or are other files now */

        RUNNER_END_NOT_ELF = 30,
        RUNNER_END_MACHINE,       /* an ELF file for another architecture */
        RUNNER_END_NOT_SHARED,    /* an ELF file that is no shared object */
        RUNNER_END_LOAD,          /* dlopen's words */
        RUNNER_END_LIBRARY,       /* dlopen's words on a library sent along */
        RUNNER_END_NO_BENCHMARKS, /* none was compiled into it */
        RUNNER_END_ABI,
        RUNNER_END_BAD_DESCRIPTOR, /* a name that is too long or not of the allowed characters, too many, ... */
        RUNNER_END_NO_SUCH_BENCHMARK,
        RUNNER_END_HIDDEN,      /* it has benchmarks, but their table is not exported */
        RUNNER_END_NO_SECTIONS, /* it can be loaded, and its code cannot be read as a file */

        RUNNER_END_CONFINE = 50, /* the runner could not give up its rights */
        RUNNER_END_INTERNAL,
} RunnerEnd;

/* The place of a module within its cache line. */
typedef enum SampleImageState {
        IMAGE_AS_LINKED,      /* nobody wanted it elsewhere */
        IMAGE_FREE,           /* where it was drawn */
        IMAGE_FREE_CODE_32,   /* ... or 16 bytes before: its code is aligned to 32, so it has two places of the four */
        IMAGE_FREE_DATA_32,   /* its data is */
        IMAGE_FIXED_CODE,     /* its code is aligned to over 32 bytes */
        IMAGE_FIXED_DATA,     /* its data is */
        IMAGE_FIXED_STRIPPED, /* it has no section headers, so nothing tells what is aligned to what */
        IMAGE_FIXED_SEGMENTS, /* the page that one of its segments ends in has no room */
        IMAGE_FIXED_FORM,     /* it holds something that this runner cannot move */
        _IMAGE_STATE_N,
} SampleImageState;

/* True if a module of this @state was moved to where it was drawn, as near as its alignment allows. */
static inline bool sample_image_is_moved(uint32_t state) {
        return state == IMAGE_FREE || state == IMAGE_FREE_CODE_32 || state == IMAGE_FREE_DATA_32;
}

#define SAMPLE_FLAG_LED (1u << 31) /* iterations ran untimed right before it: what is its own cost then; no mark */

/* One batch. */
typedef struct Sample {
        uint64_t start_ticks;
        uint64_t ticks; /* from start to stop, the batch's own cost still in it */
        uint64_t iterations;
        uint64_t paused_ticks;       /* with what pausing cost; at most ticks */
        uint64_t ruler_before_ticks; /* 0: no ruler was run */
        uint64_t ruler_after_ticks;
        uint32_t cpu_start;
        uint32_t cpu_stop;
        uint32_t flags;    /* MARK_*, SAMPLE_FLAG_LED */
        uint32_t thread;   /* that ran it, from 0 */
        uint32_t counters; /* COUNTER_*, those in counts; 0: none, or not all the time */
        uint32_t padding;
        uint64_t counts[RUNNER_COUNTERS_MAX]; /* the batch's own cost still in them */
        double manual_ns; /* by the body's own clock, or that of CPU time, of all iterations; 0: by ticks */
} Sample;

/* Tells whether the probes beside the batches could tell who used the core. */
typedef enum SampleProbes {
        SAMPLE_PROBES_NONE, /* this core has none, or the method or clock leaves them out: no flag of theirs is set */
        SAMPLE_PROBES_ON,
        SAMPLE_PROBES_OFF, /* the body leaves the core slower than it found it, which is not a neighbour's doing */
        _SAMPLE_PROBES_N,
} SampleProbes;

/* Changes that the module made to the thread that measures it. */
enum {
        CONDUCT_AFFINITY = 1u << 0,
        CONDUCT_POLICY = 1u << 1,
        CONDUCT_NICE = 1u << 2,
};

/* The threads of a process beside those that are measured. */
enum {
        CONDUCT_THREADS_WERE = 1u << 0, /* it had a second thread at some time */
        CONDUCT_THREADS_ARE = 1u << 1,  /* it had some after its last batch */
        CONDUCT_THREADS_POOL = 1u << 2, /* a library is loaded that starts as many as it finds CPUs */
        CONDUCT_THREADS_CPU = 1u << 3,  /* it was born with one CPU for all of them */
};

/* Tells whether somebody traced the process: a debugger, strace, a profiler. The larger one is the stronger word. */
typedef enum SampleTracer {
        SAMPLE_TRACER_UNKNOWN, /* it did not come to looking, or /proc did not tell */
        SAMPLE_TRACER_NONE,
        SAMPLE_TRACER_ATTACHED,
        _SAMPLE_TRACER_N,
} SampleTracer;

#define INSTRUMENT_NAME_MAX 64u

typedef struct SampleInstruments {
        uint32_t present; /* INSTRUMENT_*, but for the tracer (SampleTracer) */
        uint32_t padding;
        char preloaded[INSTRUMENT_NAME_MAX]; /* the first library of INSTRUMENT_PRELOADED; else empty */
} SampleInstruments;

/* A module's doings beside its work, and what was done about them. */
typedef struct SampleConduct {
        uint32_t changed; /* CONDUCT_* */
        uint32_t others_permille; /* CPU time of all threads but the measured one while it was, in thousandths of the time that passed */
        uint32_t threads;          /* CONDUCT_THREADS_* */
        uint32_t writing_samples;  /* that printed */
        uint32_t blocking_samples; /* that slept or waited where they were timed */
        uint32_t waiting_samples;  /* ... or in a pause */
        uint32_t switched_off;     /* DETECTOR_*, that its own work would fire */
        uint32_t tracer;           /* SampleTracer */
        uint64_t n_blocked;        /* times that the samples slept or waited */
} SampleConduct;

/* One phase of a process, and what happened in it. */
typedef struct SampleTracePhase {
        uint32_t phase; /* RunnerPhase */
        uint32_t batches;
        uint64_t start_ticks;
        uint64_t end_ticks;
        uint64_t iterations;     /* of all batches, of all threads */
        uint64_t window_wait_ns; /* between asking for windows and being granted them */
        uint32_t windows_asked;
        uint32_t windows_fifo; /* granted with SCHED_FIFO */
        uint32_t interrupted;  /* batches */
        uint32_t preempted;
} SampleTracePhase;

typedef struct SampleCounter {
        char name[RUNNER_NAME_MAX];
        double value;
} SampleCounter;

/* One thread's own words on an iteration of its body. */
typedef struct SampleThread {
        double ops_per_iteration;
        double items_per_iteration;
        double bytes_per_iteration;
} SampleThread;

/* How a crash touched the address that it was not to touch. */
typedef enum BlockCrashAccess {
        CRASH_ACCESS_NONE, /* there is no address, or the processor did not tell it */
        CRASH_ACCESS_READ,
        CRASH_ACCESS_WRITE,
        CRASH_ACCESS_JUMP,
        CRASH_ACCESS_STACK, /* it is right below the stack pointer: the stack is full */
        _CRASH_ACCESS_N,
} BlockCrashAccess;

/* The place of an instruction. */
typedef struct BlockCrashPlace {
        char symbol[CRASH_SYMBOL_MAX]; /* empty: the file names none there */
        char file[CRASH_FILE_MAX];     /* empty: the module itself */
        uint64_t offset;               /* from the symbol; without one the address at which the file was linked */
        uint32_t found;                /* 1: all this holds */
        uint32_t padding;
} BlockCrashPlace;

/* A fatal signal, as a handler in the process saw it. */
typedef struct BlockCrash {
        uint32_t signal; /* 0: there was none, or no handler */
        uint32_t access; /* BlockCrashAccess */
        uint64_t address;
        BlockCrashPlace at;
        BlockCrashPlace caller; /* in the module, where `at` is not */
} BlockCrash;

/* The head of every block, whatever the mode. */
typedef struct BlockHead {
        uint32_t magic;
        uint32_t version;
        uint32_t phase; /* RunnerPhase */
        uint32_t end;   /* RunnerEnd */
        int32_t code;   /* of exit() */
        uint32_t padding;
        char message[SAMPLE_BLOCK_MESSAGE_MAX]; /* more words, from dlopen, bench_fail or what() */
        BlockCrash crash;
} BlockHead;

typedef struct SampleBlock {
        BlockHead head;
        uint64_t first_call_ticks; /* 0: none was taken */
        uint64_t warmup_ticks;
        uint64_t warmup_batches;
        uint64_t iterations; /* of each batch sampled */
        uint64_t user_ns;    /* CPU time of the process at its end */
        uint64_t system_ns;
        uint64_t loop_address; /* where the body goes on when its loop has begun; 0: it did not */
        uint32_t stack_offset_bytes;
        uint32_t environment_bytes;
        uint32_t fifo_windows;  /* granted with SCHED_FIFO */
        uint32_t other_windows; /* granted without */
        uint32_t long_batches;  /* 1: a batch does not fit a window, so it ran without FIFO */
        uint32_t crowded; /* 1: pauses, or the other side, left the budget no room for batches of the target's length */
        uint32_t n_counters;  /* of different names; each is the sum over the threads */
        uint32_t inputs_max;  /* prepared at once, so the longest batch; 0: none were asked for */
        uint32_t memory_lock; /* OpsOutcome; 0: it did not come to it */
        uint32_t probes;      /* SampleProbes */
        double rise; /* of an iteration's time from shorter batches to the longest, where it rose with their length; else 0 */
        uint32_t n_trace; /* 0: not wanted */
        uint32_t n_samples;
        uint32_t n_loop_samples; /* 0: none were taken */
        uint32_t n_threads;      /* that ran the body */
        SampleConduct conduct;
        SampleThread threads[RUNNER_THREADS_MAX];
        SampleTracePhase trace[RUNNER_TRACE_MAX];
        SampleCounter counters[SAMPLE_BLOCK_COUNTERS_MAX];
        Sample samples[RUNNER_SAMPLES_MAX];
        Sample loop_samples[RUNNER_LOOP_SAMPLES_MAX]; /* of the empty loop, without pauses */
        uint32_t image_state;                         /* SampleImageState */
        uint32_t image_offset_bytes;                  /* of the module, from where it was linked */
        char label[SAMPLE_BLOCK_LABEL_MAX];           /* empty: it gave none */
        SampleInstruments instruments;
        uint64_t mapped_bytes;         /* private memory of no file, after the last sample; 0: not known */
        uint64_t unwritten_bytes;      /* ... that was read and never written, so all of it is the page of zeros */
        uint64_t unwritten_huge_bytes; /* ... which perhaps is a huge page, in the places of these */
        double cpu_cost_ns; /* cost of a batch by the clock of CPU time, already subtracted from manual_ns; 0: another clock */
        double cpu_step_ns; /* by which that clock advances; 0: another times them */
        uint32_t files;     /* FILE_KIND_*, those that it used */
        uint32_t left_fifo; /* 1: it was sampled without FIFO, since it gives its CPU up by itself */
} SampleBlock;

typedef struct ListingAxis {
        char name[RUNNER_NAME_MAX];
        uint32_t n_values; /* 0: a range */
        uint32_t kind;     /* ArgumentKind; of a range integers */
        union {
                int64_t integers[LISTING_VALUES_MAX];
                double reals[LISTING_VALUES_MAX];
                char texts[LISTING_VALUES_MAX][ARGUMENT_TEXT_MAX];
        };
        int64_t first, last;
        int64_t factor; /* from value to value; 0: they go in steps */
        int64_t step;
} ListingAxis;

/* Value @index of the n_values of @axis. */
ArgumentValue listing_axis_value(const ListingAxis *axis, uint32_t index);

#define LISTING_NO_WARMUP UINT32_MAX /* BENCH_NO_WARMUP */

/* Who says that a benchmark runs only when it is named. */
enum {
        LISTING_HIDDEN_ITSELF = 1u << 0, /* its own name has to be written out */
        LISTING_HIDDEN_AREA = 1u << 1,   /* its area's name will do */
};

typedef struct ListingEntry {
        char area[RUNNER_NAME_MAX];
        char name[RUNNER_NAME_MAX];
        char title[LISTING_TEXT_MAX];
        char about[LISTING_TEXT_MAX];
        ListingAxis axes[RUNNER_ARGS_MAX];
        uint32_t n_axes;
        uint32_t n_threads;
        uint32_t threads[LISTING_THREADS_MAX];
        uint32_t hidden; /* LISTING_HIDDEN_* */
        uint32_t reference;
        uint64_t iterations; /* 0: not given */
        uint64_t min_time_ns;
        uint32_t samples;
        uint32_t processes;
        uint32_t warmup_ms;           /* or LISTING_NO_WARMUP */
        uint32_t resets;              /* 1: its state is reset after each batch */
        char method[RUNNER_NAME_MAX]; /* an older one by name; or empty */
        uint32_t cpus;                /* for threads that its body starts; 0: not given */
        uint32_t padding;
} ListingEntry;

typedef struct ListingBlock {
        BlockHead head;
        char compiler[LISTING_TEXT_MAX];
        uint32_t optimized;
        uint32_t n_entries;
        ListingEntry entries[LISTING_ENTRIES_MAX];
} ListingBlock;

typedef struct CalibrationBlock {
        BlockHead head;
        ClockFacts clock; /* without invariant, which the launcher knows */
        ClockChecks checks;
        uint32_t suspects_tested; /* bits 1 << place, from 0, among the plan's suspects: it was found out of them */
        uint32_t suspects_found;  /* ... those that are hardware threads of the same core */
} CalibrationBlock;

/* The reason why allocations could be counted or not. */
typedef enum MemoryState {
        MEMORY_STATE_COUNTED,
        MEMORY_STATE_NO_LIBRARY, /* it was not preloaded */
        MEMORY_STATE_OWN_MALLOC, /* the module has an allocator of its own */
        MEMORY_STATE_LOST,       /* there was no memory to remember all blocks */
        _MEMORY_STATE_N,
} MemoryState;

typedef struct MemoryBlock {
        BlockHead head;
        uint32_t state; /* MemoryState */
        uint32_t padding;
        uint64_t iterations; /* that the next four are of */
        uint64_t allocations;
        uint64_t frees;
        uint64_t bytes;         /* asked for */
        int64_t retained_bytes; /* of what the loop allocated, at the end of a batch more than at its beginning */
        uint64_t iterations_per_batch;
        uint64_t peak_bytes_per_batch; /* of what it allocated, the most at once */
        uint64_t peak_bytes_per_iteration;
        uint64_t iterations_counted; /* with those alone in their batch */
        uint64_t leaked_blocks;      /* of these, not freed by the end of the tear-down */
        uint64_t leaked_bytes;
} MemoryBlock;

/* The operations of an iteration, by the thread that ran @sample, one of @block, which is checked. */
double sample_block_ops(const SampleBlock *block, const Sample *sample);

#define BLOCK_LOCKSTEP_BYTES 4096u /* behind those of two sides, for the two processes alone */

/* The bytes that a runner with @plan writes: the block of its mode; of a comparison a SampleBlock for each side, and what the two share. */
size_t block_size(const RunnerPlan *plan);

/*
 * Check a copy of a block whoever wrote it: lengths, counts and enums in range, strings ended, numbers finite. A block
 * that passes can be read without further care. Return 0 or E_INVALID.
 */
int sample_block_check(const SampleBlock *block);
int listing_block_check(const ListingBlock *block);
int calibration_block_check(const CalibrationBlock *block);
int memory_block_check(const MemoryBlock *block);
bool block_head_is_valid(const BlockHead *head);

/* Kinds of files that a benchmark used, seen when its last sample was taken: a bit each. */

enum {
        FILE_KIND_MEMORY = 1u << 0,         /* a file in memory was open, or lay where a body may write */
        FILE_KIND_MEMORY_CHANGED = 1u << 1, /* ... and was written, made or removed since the set-up */
        FILE_KIND_DISK = 1u << 2,           /* from here on by what was open: any other regular file */
        FILE_KIND_SOCKET = 1u << 3,
        FILE_KIND_PIPE = 1u << 4,
        FILE_KIND_DEVICE = 1u << 5, /* a terminal among them */
        FILE_KIND_EVENT = 1u << 6,  /* a file without a name: eventfd, epoll, timerfd, io_uring, ... */
        _FILE_KINDS = (1u << 7) - 1,
};

#define FILE_KINDS_MAX 7u

/* Writes the words of @kinds, one each, in the order of the bits. Returns their number. */
size_t block_file_kind_words(uint32_t kinds, const char *ret_words[static FILE_KINDS_MAX]);

/*
 * The words for each way in which a runner ends by its own account, for the reports of benchd and those of a runner that
 * runs alone.
 */

typedef enum RunnerEndBlame {
        RUNNER_END_BLAME_BENCHMARK,
        RUNNER_END_BLAME_MODULE,
        RUNNER_END_BLAME_DAEMON,
} RunnerEndBlame;

typedef struct RunnerEndWords {
        RunnerEnd end;
        const char *code;     /* of the table in PROTOCOL.md */
        const char *sentence; /* without its full stop; the runner's words follow after a colon */
        RunnerEndBlame blame;
        bool words_alone; /* the runner's words are the sentence, where there are any */
} RunnerEndWords;

/* NULL for an @end that needs no words (NONE, COMPLETE), has others (EXIT), or does not exist. */
const RunnerEndWords *runner_end_words(uint32_t end);
