/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/glossary.h"

#include <string.h>

#include "util/cleanup.h"
#include "words/warning.h"

/* clang-format off */
static const GlossaryTerm terms[] = {
        { "time", "the time of one operation: the mean over the processes of their medians" },
        { "interval", "the 95 % interval of the time: of 100 such runs, 95 have the true value in theirs" },
        { "95 % interval", "of 100 such measurements, 95 have the true value in theirs" },
        { "cycles", "the cycles of the core for one operation" },
        { "quiet", "measured while nothing else used the core; the time is that of the quiet samples" },
        { "shared", "measured while another hardware thread used the same core" },
        { "disturbed", "interrupted by something else that took the core away for a while" },
        { "while shared", "the time of the samples beside a busy neighbour, and their share" },
        { "distribution", "the quiet samples from the fastest 1 % to the slowest 1 %, in twelve bars" },
        { "note", "the worst finding of the row; the sentences below the table say what to do" },
        { "average", "the mean of all samples, with a rare slow part that the median does not show" },
        { "throughput", "bytes or items that one second of this speed processes" },
        { "rate", "items that one second of this speed processes" },
        { "allocations", "blocks of memory that one operation allocates" },
        { "bytes", "bytes of memory that one operation allocates" },
        { "retained", "bytes that one operation allocates and does not free" },
        { "peak", "most bytes that are allocated at once within one iteration" },
        { "user", "CPU time of the processes in the program itself" },
        { "in kernel", "CPU time of the processes in the kernel, on the program's behalf" },
        { "system", "CPU time in the kernel, on the program's behalf" },
        { "remark", "processes that the command left behind, which were ended; files that were dropped (--cold)" },
        { "peak memory", "the largest resident set of any of its processes" },
        { "runs", "how often it was run" },
        { "minor faults", "pages of memory that were made available without a read from the disk" },
        { "major faults", "pages of memory that were read from the disk" },
        { "waits", "how often it gave the CPU up to wait" },
        { "preempted", "how often another program took the CPU" },
        { "read", "bytes that went through its reads, of files and of all else" },
        { "written", "bytes that went through its writes, to files and to all else" },
        { "reference", "the time of the first command" },
        { "× reference", "the time divided by that of the first command: below 1 is faster" },
        { "net", "the time less that of an empty loop" },
        { "median", "half of the samples took less time" },
        { "mean", "the sum of the samples by their number" },
        { "stddev", "standard deviation: how far samples typically lie from the mean" },
        { "sdev", "standard deviation: how far runs typically lie from the mean" },
        { "min", "the fastest sample" },
        { "max", "the slowest sample" },
        { "samples", "measured batches; each times many iterations of the loop" },
        { "batch", "how many iterations of the loop one sample times, and how many operations an iteration has" },
        { "process", "a fresh start of the program: its memory layout, and so its speed, differs from the others" },
        { "processes", "fresh starts of the program: memory layouts, and so speeds, differ between them" },
        { "commit", "the commit that the module was built from; dirty: files differed from it" },
        { "first call", "the time of the very first call in a process, with cold caches" },
        { "iteration", "the time of one turn of the loop, which is several operations" },
        { "within", "the spread of the samples inside one process" },
        { "between", "the spread from process to process, such as by their memory layout" },
        { "ess", "effective sample size: how many independent samples all of them are worth" },
        { "drift", "the change of the time from the first sample of a process to its last" },
        { "harness error", "how much the time of the measuring loop itself may add" },
        { "1 sd (68.3 %)", "the share of samples within one standard deviation; 68.3 % of a normal distribution" },
        { "2 sd (95.4 %)", "the share of samples within two standard deviations; 95.4 % of a normal distribution" },
        { "median lies in", "the 95 % interval of the median of all samples" },
        { "raw speed", "the fastest of all runs: the speed without any disturbance" },
        { "gymnastics", "the mean without the fastest and the slowest run, as judges of gymnastics count" },
        { "modes", "clusters of times: their centre and their share of the samples" },
        { "new / old", "the time of the new side divided by that of the old: below 1 is faster" },
        { "verdict", "faster, slower, same (within the margin) or unresolved (the interval does not decide)" },
        { "margin", "the smallest difference that counts" },
        { "p", "how often chance alone gives at least such a difference where both sides are the same" },
        { "detectable", "the smallest difference that this run would have found" },
        { "spread", "how far machines differ beyond the spread of each" },
        { "machines", "how many machines have a part in the number" },
        { "between processes", "the spread from process to process" },
        { "p alike", "how often chance alone gives such a spread where all machines are alike" },
        { "machines needed", "as many machines as would settle the row" },
        { "odd", "a machine whose number differs from the others' by more than chance" },
        { "change", "slower or faster than the run before, of equal conditions" },
        { "machine class", "machines with the same value have equal processors, caches and memory", true },
        { "isolation", "how other programs are kept off the CPU that measures", true },
        { "scheduler", "the policy under which the benchmark runs; under fifo no ordinary program preempts it", true },
        { "comparability key", "results with the same key were measured under the same conditions", true },
        { "noise floor", "as short as the clock and the loop can tell: the number may be all harness" },
        { "loop cost", "as short as the loop that repeats it: the number may be all loop" },
        { "own time", "the benchmark timed itself" },
        { "beside a neighbour", "measured while another hardware thread used the same core" },
        { "other conditions", "the machine or its settings differed from those of the run before" },
        { "not reliable", "other work took so much of the core that the number may not be that of the program" },
};
/* clang-format on */

const GlossaryTerm *glossary_term(size_t index) {
        return index < N_ELEMENTS(terms) ? &terms[index] : NULL;
}

const char *glossary_find(const char *word, bool of_machine) {
        for (size_t i = 0; i < N_ELEMENTS(terms); i++)
                if (terms[i].of_machine == of_machine && strcmp(terms[i].word, word) == 0)
                        return terms[i].meaning;
        for (WarningKind kind = 0; !of_machine && kind < _WARNING_KIND_N; kind++) {
                const char *note = warning_words(kind)->note;

                if (note && strcmp(note, word) == 0)
                        return warning_words(kind)->meaning;
        }
        return NULL;
}
