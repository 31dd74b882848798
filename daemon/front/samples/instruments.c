/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/instruments.h"

#include "util/cleanup.h"
#include "util/error.h"

#define OF_SANITIZER "its checks are timed with it. Build it without -fsanitize"
#define OF_VARIABLE                                                                                                    \
 " is set: the loader's own work for it is timed with each call into a library. Leave it out of --env"

static const struct {
        uint32_t instrument;
        WarningKind kind;
        const char *sentence;
} rows[] = {
        { INSTRUMENT_TRACER, WARNING_TRACED,
                        "unfit: a debugger or tracer was attached, and each stop is timed too. Detach it and run again" },
        { INSTRUMENT_PRELOADED, WARNING_INSTRUMENTED,
                        " was preloaded into its process (/etc/ld.so.preload): functions that it replaces are timed in "
                        "their place. Take it out of that file, unless it belongs to the measured program" },
        { INSTRUMENT_LD_AUDIT, WARNING_INSTRUMENTED, "LD_AUDIT" OF_VARIABLE },
        { INSTRUMENT_LD_PROFILE, WARNING_INSTRUMENTED, "LD_PROFILE" OF_VARIABLE },
        { INSTRUMENT_PROFILING, WARNING_INSTRUMENTED,
                        "it was built for a profiler: a call of mcount is timed with each function. Build it without -pg" },
        { INSTRUMENT_FUNCTION_HOOKS, WARNING_INSTRUMENTED,
                        "it was built with hooks at the start and end of each function, which are timed. Build it without "
                        "-finstrument-functions" },
        { INSTRUMENT_COVERAGE, WARNING_INSTRUMENTED,
                        "it was built for coverage: counting each branch is timed with it. Build it without --coverage" },
        { INSTRUMENT_ADDRESS_SANITIZER, WARNING_INSTRUMENTED, "it was built with AddressSanitizer: " OF_SANITIZER },
        { INSTRUMENT_THREAD_SANITIZER, WARNING_INSTRUMENTED, "it was built with ThreadSanitizer: " OF_SANITIZER },
        { INSTRUMENT_MEMORY_SANITIZER, WARNING_INSTRUMENTED, "it was built with MemorySanitizer: " OF_SANITIZER },
        { INSTRUMENT_UNDEFINED_SANITIZER, WARNING_INSTRUMENTED,
                        "it was built with UndefinedBehaviorSanitizer: " OF_SANITIZER },
        { INSTRUMENT_VALGRIND, WARNING_INSTRUMENTED,
                        "it ran under valgrind, whose times are not those of the processor. Run it without" },
};

int instruments_list(uint32_t present, Arena *arena, char ***ret_words, size_t *ret_n) {
        const char *words[INSTRUMENTS_MAX];
        const size_t n = sample_instrument_words(present, words);
        char **list = arena_zero(arena, INSTRUMENTS_MAX * sizeof *list);

        if (!list)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n; i++)
                list[i] = (char *)words[i];
        *ret_words = list;
        *ret_n = n;
        return 0;
}

void instruments_report(uint32_t present, const char *preloaded, Arena *arena, WarningList *warnings) {
        for (size_t i = 0; i < N_ELEMENTS(rows); i++)
                if (present & rows[i].instrument)
                        warning_add(warnings, arena, rows[i].kind, "%s%s",
                                        rows[i].instrument == INSTRUMENT_PRELOADED ? preloaded : "", rows[i].sentence);
}
