/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The sample block: the results of one runner process, in shared memory that the launcher made and sized.
 *
 * The module shares the runner's address space, so nothing here can be trusted. When the runner is dead the block is
 * copied once and checked; statistics are made from the copy.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/runner-plan.h"
#include "words/mark.h"

/* Instruments that measure along with benchd, so that their own work is timed with the benchmark: one bit each. */

enum {
        INSTRUMENT_TRACER = 1u << 0,
        INSTRUMENT_PRELOADED = 1u << 1, /* a library that neither the runner nor the module needs */
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

/* Writes a word for each bit of @present, in the order of the bits. Returns their number. */
size_t sample_instrument_words(uint32_t present, const char *ret_words[static INSTRUMENTS_MAX]);

#define SAMPLE_BLOCK_MAGIC   0x636c6273u /* "sblc" */
#define SAMPLE_BLOCK_VERSION 0u

#define SAMPLE_BLOCK_MESSAGE_MAX  512u
#define SAMPLE_BLOCK_COUNTERS_MAX 16u
#define SAMPLE_BLOCK_LABEL_MAX    64u
#define SAMPLE_BLOCK_COUNTED_MAX  256u /* samples with counts of their own */

/* The shortest batch by the body's own clock: sums, squares and reciprocals of such times stay finite. */
#define SAMPLE_MANUAL_MIN_NS 1e-6
#define SAMPLE_MANUAL_MAX_NS 1e18

#define SAMPLE_OPS_MAX 0x1p62 /* operations of an iteration, which is an integer in a report */

#define CRASH_SYMBOL_MAX    128u
#define CRASH_FILE_MAX      64u
#define LISTING_ENTRIES_MAX 1024u
#define LISTING_VALUES_MAX  24u  /* BENCH_VALUES_MAX */
#define LISTING_STEPS_MAX   256u /* values of a linear range */
#define LISTING_THREADS_MAX 8u   /* BENCH_THREADS_MAX */
#define LISTING_TEXT_MAX    192u

enum {
        _SAMPLE_BLOCK_E_SUCCESS,

        SAMPLE_BLOCK_E_INVALID, /* not a block that a runner writes */
};

/* The phase that the process is in: written by the runner as it goes, so that the report of a death can name it. */
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

/* How the runner ended, by its own account. */
typedef enum RunnerEnd {
        RUNNER_END_NONE, /* not reported: it died */
        RUNNER_END_COMPLETE,

        RUNNER_END_BREAK = 10, /* the loop was left by break */
        RUNNER_END_RETURN,     /* ... by return or goto */
        RUNNER_END_JUMP,       /* ... by longjmp */
        RUNNER_END_EXCEPTION,  /* ... by a C++ exception */
        RUNNER_END_NO_LOOP,
        RUNNER_END_SECOND_LOOP,
        RUNNER_END_FAILED,      /* bench_fail */
        RUNNER_END_SKIPPED,     /* bench_skip */
        RUNNER_END_UNSUPPORTED, /* a feature of bench.h that this runner does not have */
        RUNNER_END_EXIT,        /* exit() within the body */
        RUNNER_END_MISUSE,      /* a use of bench.h that cannot be timed */
        RUNNER_END_THREAD,      /* pthread_exit() in one of several threads */
        RUNNER_END_THREAD_LEFT, /* threads that batches started outlived them again and again */
        RUNNER_END_CHILD,       /* a child that the body forked came back to the runner */
        RUNNER_END_DIRECTORY,   /* set by the newborn: the plan's directory cannot be had */
        RUNNER_END_SEE,         /* ... or a path that the body is to see */
        RUNNER_END_DESCRIPTORS, /* the pipes to the launcher are closed, or are other files now */

        RUNNER_END_NOT_ELF = 30,
        RUNNER_END_MACHINE,       /* an ELF file for another architecture */
        RUNNER_END_NOT_SHARED,    /* an ELF file that is no shared object */
        RUNNER_END_LOAD,          /* dlopen's words */
        RUNNER_END_LIBRARY,       /* dlopen's words, for a library sent along */
        RUNNER_END_NO_BENCHMARKS, /* none compiled in */
        RUNNER_END_ABI,
        RUNNER_END_BAD_DESCRIPTOR, /* a name that is too long or not of the allowed characters, too many, ... */
        RUNNER_END_NO_SUCH_BENCHMARK,
        RUNNER_END_HIDDEN,      /* it has benchmarks, but their table is not exported */
        RUNNER_END_NO_SECTIONS, /* it can be loaded, but its code cannot be read from its file */

        RUNNER_END_CONFINE = 50, /* the runner could not give up its rights */
        RUNNER_END_INTERNAL,
} RunnerEnd;

/* The place of a module within its cache line. */
typedef enum SampleImageState {
        IMAGE_AS_LINKED,    /* not moved by request */
        IMAGE_FREE,         /* where the draw put it */
        IMAGE_FREE_CODE_32, /* ... or 16 bytes before: its code is aligned to 32, so only two of the four places fit */
        IMAGE_FREE_DATA_32, /* ... its data is aligned to 32 */
        IMAGE_FIXED_CODE,   /* its code is aligned to over 32 bytes */
        IMAGE_FIXED_DATA,   /* ... its data is */
        IMAGE_FIXED_STRIPPED, /* no section headers, so alignments are unknown */
        IMAGE_FIXED_SEGMENTS, /* the page that one of its segments ends in has no room */
        IMAGE_FIXED_FORM,     /* it has something that this runner cannot move */
        _IMAGE_STATE_N,
} SampleImageState;

/* True if a module of this @state was moved to the drawn place, as near as its alignment allows. */
static inline bool sample_image_is_moved(uint32_t state) {
        return state == IMAGE_FREE || state == IMAGE_FREE_CODE_32 || state == IMAGE_FREE_DATA_32;
}

#define SAMPLE_FLAG_LED (1u << 31) /* untimed iterations ran right before it, so its own cost differs; not a mark */

/* One batch. */
typedef struct Sample {
        uint64_t start_ticks;
        uint64_t ticks; /* from start to stop, including the batch's own cost */
        uint64_t iterations;
        uint64_t paused_ticks;       /* including the cost of pausing; at most ticks */
        uint64_t ruler_before_ticks; /* 0: no ruler was run */
        uint64_t ruler_after_ticks;
        uint32_t cpu_start;
        uint32_t cpu_stop;
        uint32_t flags;    /* MARK_*, SAMPLE_FLAG_LED */
        uint32_t thread;   /* that ran it, from 0 */
        uint32_t counters; /* COUNTER_* that counts has; 0: none, or did not count all the time */
        uint32_t padding;
        uint64_t counts[RUNNER_COUNTERS_MAX]; /* including the batch's own cost */
        double manual_ns; /* of all iterations, by the body's own clock or the CPU-time clock; 0: timed by ticks */
} Sample;

/* Says whether the probes beside the batches could detect others on the core. */
typedef enum SampleProbes {
        SAMPLE_PROBES_NONE, /* this core has none, or the method or clock does without: their flags are never set */
        SAMPLE_PROBES_ON,
        SAMPLE_PROBES_OFF, /* the body itself leaves the core slower, which would look like a neighbour */
        _SAMPLE_PROBES_N,
} SampleProbes;

/* Changes that the module made to the measured thread. */
enum {
        CONDUCT_AFFINITY = 1u << 0,
        CONDUCT_POLICY = 1u << 1,
        CONDUCT_NICE = 1u << 2,
};

/* The threads of a process beside the measured ones. */
enum {
        CONDUCT_THREADS_WERE = 1u << 0, /* it had a second thread at some time */
        CONDUCT_THREADS_ARE = 1u << 1,  /* it had more after its last batch */
        CONDUCT_THREADS_POOL = 1u << 2, /* a loaded library starts one thread per CPU */
        CONDUCT_THREADS_CPU = 1u << 3,  /* it was born with one CPU for all threads */
};

/* Says whether the process was traced, by a debugger, strace or a profiler. The larger value prevails. */
typedef enum SampleTracer {
        SAMPLE_TRACER_UNKNOWN, /* not looked, or /proc did not say */
        SAMPLE_TRACER_NONE,
        SAMPLE_TRACER_ATTACHED,
        _SAMPLE_TRACER_N,
} SampleTracer;

#define INSTRUMENT_NAME_MAX 64u

typedef struct SampleInstruments {
        uint32_t present; /* INSTRUMENT_*, without the tracer (SampleTracer) */
        uint32_t padding;
        char preloaded[INSTRUMENT_NAME_MAX]; /* the first library of INSTRUMENT_PRELOADED; else empty */
} SampleInstruments;

/* A module's side effects, and what was done about them. */
typedef struct SampleConduct {
        uint32_t changed; /* CONDUCT_* */
        uint32_t others_permille; /* CPU time of all other threads while the measured one was timed, in thousandths of the time that passed */
        uint32_t threads;          /* CONDUCT_THREADS_* */
        uint32_t writing_samples;  /* that printed */
        uint32_t blocking_samples; /* that slept or waited in timed code */
        uint32_t waiting_samples;  /* ... or in a pause */
        uint32_t switched_off;     /* DETECTOR_* that its own work would trigger */
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
        uint64_t window_wait_ns; /* between requests for windows and their grants */
        uint32_t windows_asked;
        uint32_t windows_fifo; /* granted with SCHED_FIFO */
        uint32_t interrupted;  /* batches */
        uint32_t preempted;
} SampleTracePhase;

typedef struct SampleCounter {
        char name[RUNNER_NAME_MAX];
        double value;
} SampleCounter;

/* The amounts of an iteration that one thread's body reported. */
typedef struct SampleThread {
        double ops_per_iteration;
        double items_per_iteration;
        double bytes_per_iteration;
} SampleThread;

/* How a crash accessed the bad address. */
typedef enum BlockCrashAccess {
        CRASH_ACCESS_NONE, /* no address, or the processor did not report it */
        CRASH_ACCESS_READ,
        CRASH_ACCESS_WRITE,
        CRASH_ACCESS_JUMP,
        CRASH_ACCESS_STACK, /* right below the stack pointer: the stack is full */
        _CRASH_ACCESS_N,
} BlockCrashAccess;

/* The place of an instruction. */
typedef struct BlockCrashPlace {
        char symbol[CRASH_SYMBOL_MAX]; /* empty: the file has none there */
        char file[CRASH_FILE_MAX];     /* empty: the module itself */
        uint64_t offset;               /* from the symbol; without one, the address as linked */
        uint32_t found;                /* 1: the fields are valid */
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
        char message[SAMPLE_BLOCK_MESSAGE_MAX]; /* details, from dlopen, bench_fail or what() */
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
        uint64_t loop_address; /* return address of the loop's first batch; 0: the loop did not begin */
        uint32_t stack_offset_bytes;
        uint32_t environment_bytes;
        uint32_t fifo_windows;  /* granted with SCHED_FIFO */
        uint32_t other_windows; /* granted without */
        uint32_t long_batches;  /* 1: a batch does not fit a window, so it ran without FIFO */
        uint32_t crowded; /* 1: pauses or the other side left no room in the budget for batches of the target length */
        uint32_t n_counters;  /* of different names; each is the sum over the threads */
        uint32_t inputs_max;  /* prepared at once, so the longest batch; 0: none were asked for */
        uint32_t memory_lock; /* OpsOutcome; 0: not reached */
        uint32_t probes;      /* SampleProbes */
        double rise;          /* factor by which an iteration's time rose with the length of batches; else 0 */
        uint32_t n_trace;     /* 0: not wanted */
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
        uint32_t n_links;                             /* of the module, 1 to MODULE_LINKS_MAX; 0: it was not loaded */
        char label[SAMPLE_BLOCK_LABEL_MAX];           /* empty: it gave none */
        SampleInstruments instruments;
        uint64_t mapped_bytes;         /* private anonymous memory, after the last sample; 0: not known */
        uint64_t unwritten_bytes;      /* ... read but never written, so all of it is the page of zeros */
        uint64_t unwritten_huge_bytes; /* ... possibly a huge page of zeros */
        double cpu_cost_ns; /* cost of a batch by the clock of CPU time, already subtracted from manual_ns; 0: another clock */
        double cpu_step_ns; /* step of the CPU-time clock; 0: another clock times them */
        uint32_t files;     /* FILE_KIND_* that it used */
        uint32_t left_fifo; /* 1: sampled without FIFO, since the body gives up its CPU */
        uint32_t n_counted; /* counters that the body reports for each iteration; `counters` has their means */
        char counted[SAMPLE_BLOCK_COUNTERS_MAX][RUNNER_NAME_MAX];
        double counts[SAMPLE_BLOCK_COUNTED_MAX][SAMPLE_BLOCK_COUNTERS_MAX]; /* of an iteration of the first samples */
} SampleBlock;

/* The samples of @block that have counts of their own. */
static inline uint32_t sample_block_n_counted(const SampleBlock *block) {
        return block->n_samples < SAMPLE_BLOCK_COUNTED_MAX ? block->n_samples : SAMPLE_BLOCK_COUNTED_MAX;
}

typedef struct ListingAxis {
        char name[RUNNER_NAME_MAX];
        uint32_t n_values; /* 0: a range */
        uint32_t kind;     /* ArgumentKind; a range has integers */
        union {
                int64_t integers[LISTING_VALUES_MAX];
                double reals[LISTING_VALUES_MAX];
                char texts[LISTING_VALUES_MAX][ARGUMENT_TEXT_MAX];
        };
        int64_t first, last;
        int64_t factor; /* from value to value; 0: a step is added */
        int64_t step;
} ListingAxis;

/* Value @index of @axis, below n_values. */
ArgumentValue listing_axis_value(const ListingAxis *axis, uint32_t index);

#define LISTING_NO_WARMUP UINT32_MAX /* BENCH_NO_WARMUP */

/* Why a benchmark runs only when it is named. */
enum {
        LISTING_HIDDEN_ITSELF = 1u << 0, /* its own name has to be written out */
        LISTING_HIDDEN_AREA = 1u << 1,   /* its area's name is enough */
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
        char method[RUNNER_NAME_MAX]; /* name of an older method; or empty */
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
        ClockFacts clock; /* except invariant, which the launcher knows */
        ClockChecks checks;
        uint32_t suspects_tested; /* bits 1 << place, from 0, of the plan's suspects that were tested */
        uint32_t suspects_found;  /* ... that are hardware threads of the same core */
} CalibrationBlock;

/* The reason why allocations could be counted or not. */
typedef enum MemoryState {
        MEMORY_STATE_COUNTED,
        MEMORY_STATE_NO_LIBRARY, /* it was not preloaded */
        MEMORY_STATE_OWN_MALLOC, /* the module has its own allocator */
        MEMORY_STATE_LOST,       /* there was no memory to track all blocks */
        _MEMORY_STATE_N,
} MemoryState;

typedef struct MemoryBlock {
        BlockHead head;
        uint32_t state; /* MemoryState */
        uint32_t padding;
        uint64_t iterations; /* for the next four fields */
        uint64_t allocations;
        uint64_t frees;
        uint64_t bytes;         /* requested */
        int64_t retained_bytes; /* allocated by the loop and still held at the end of a batch */
        uint64_t iterations_per_batch;
        uint64_t peak_bytes_per_batch; /* the most that it held at once */
        uint64_t peak_bytes_per_iteration;
        uint64_t iterations_counted; /* including batches of one iteration */
        uint64_t leaked_blocks;      /* of these iterations, not freed by the end of the tear-down */
        uint64_t leaked_bytes;
} MemoryBlock;

/* The operations of an iteration by the thread that ran @sample, a sample of @block, which is checked. */
double sample_block_ops(const SampleBlock *block, const Sample *sample);

#define BLOCK_LOCKSTEP_BYTES 4096u /* behind the blocks of two sides, for the two processes only */

/*
 * The bytes that a runner with @plan writes: the block of its mode; for a comparison one SampleBlock per side, and the
 * page that the two share.
 */
size_t block_size(const RunnerPlan *plan);

/*
 * Check a copy of an untrusted block: lengths, counts and enums in range, strings terminated, numbers finite. A block
 * that passes can be read without further care. Return 0 or E_INVALID.
 */
int sample_block_check(const SampleBlock *block);
int listing_block_check(const ListingBlock *block);
int calibration_block_check(const CalibrationBlock *block);
int memory_block_check(const MemoryBlock *block);
bool block_head_is_valid(const BlockHead *head);

/* Kinds of files that a benchmark used, seen at its last sample: one bit each. */

enum {
        FILE_KIND_MEMORY = 1u << 0, /* a file in memory was open, or was in a directory that the body may write to */
        FILE_KIND_MEMORY_CHANGED = 1u << 1, /* ... and was written, made or removed after the set-up */
        FILE_KIND_DISK = 1u << 2,           /* this and the following by open descriptors: any other regular file */
        FILE_KIND_SOCKET = 1u << 3,
        FILE_KIND_PIPE = 1u << 4,
        FILE_KIND_DEVICE = 1u << 5, /* including a terminal */
        FILE_KIND_EVENT = 1u << 6,  /* a file without a name: eventfd, epoll, timerfd, io_uring, ... */
        _FILE_KINDS = (1u << 7) - 1,
};

#define FILE_KINDS_MAX 7u

/* Writes a word for each bit of @kinds, in the order of the bits. Returns their number. */
size_t block_file_kind_words(uint32_t kinds, const char *ret_words[static FILE_KINDS_MAX]);

/*
 * The text for each way in which a runner reports its end, for the reports of benchd and of a runner that runs alone.
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
        bool words_alone; /* the runner's words replace the sentence, if there are any */
} RunnerEndWords;

/* Returns NULL for an @end that needs no text (NONE, COMPLETE), has another one (EXIT), or does not exist. */
const RunnerEndWords *runner_end_words(uint32_t end);
