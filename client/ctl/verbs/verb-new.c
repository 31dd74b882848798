/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * new: writes a source file to begin with, which runs at once and shows by three benchmarks what most need: set-up and an
 * argument, work that is not timed, and code of one's own. It is valid C and C++.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ask/compile.h"
#include "ctl/ask/retry.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/hint.h"
#include "ctl/model/settings.h"
#include "ctl/show/output.h"
#include "ctl/verbs/verbs.h"
#include "util/cleanup.h"
#include "util/file-draft.h"
#include "util/file-name.h"

/* clang-format off */
static const char template[] =
                "/*\n"
                " * Benchmarks of your own: 'benchctl run' compiles this file and measures them.\n"
                " * Change what you like. All words are in the manual bench.h(3).\n"
                " */\n"
                "\n"
                "#include <benchd/bench.h>\n"
                "#include <stdlib.h>\n"
                "#include <string.h>\n"
                "\n"
                "/* Begin here: put your own code into the loop. */\n"
                "BENCH(parse, .about = \"strtod of a short number\") {\n"
                "    const char *text = \"3.14159\"; /* before the loop: set-up, not timed */\n"
                "\n"
                "    bench_loop(b) { /* timed, and repeated until it lasts long enough */\n"
                "        bench_opaque(text); /* the compiler must not know the value */\n"
                "        bench_use(strtod(text, NULL)); /* nor leave out an unused result */\n"
                "    }\n"
                "}\n"
                "\n"
                "/* One row for each value of the argument: n = 16, 64, 256, 1024, 4096. */\n"
                "BENCH(length, .about = \"strlen of n bytes in L1\",\n"
                "      .args = BENCH_RANGE(n, 16, 4096, 4)) {\n"
                "    size_t n = (size_t)bench_arg(b, 0);\n"
                "    char *text = (char *)malloc(n + 1);\n"
                "\n"
                "    memset(text, 'x', n);\n"
                "    text[n] = '\\0';\n"
                "    bench_bytes(b, (double)n); /* of an iteration, for the throughput */\n"
                "    bench_loop(b) {\n"
                "        bench_opaque(text);\n"
                "        bench_use(strlen(text));\n"
                "    }\n"
                "    free(text); /* behind the loop: not timed either */\n"
                "}\n"
                "\n"
                "static int compare_ints(const void *left, const void *right) {\n"
                "    int a = *(const int *)left, b = *(const int *)right;\n"
                "\n"
                "    return (a > b) - (a < b);\n"
                "}\n"
                "\n"
                "/* Work that each iteration needs and that is not to be timed is a pause. */\n"
                "BENCH(sort, .about = \"qsort of n random numbers\",\n"
                "      .args = BENCH_ARGS(n, 100, 1000)) {\n"
                "    size_t n = (size_t)bench_arg(b, 0);\n"
                "    int *numbers = (int *)malloc(n * sizeof *numbers);\n"
                "    unsigned seed = 1;\n"
                "\n"
                "    bench_items(b, (double)n);\n"
                "    bench_loop(b) {\n"
                "        bench_pause(b);\n"
                "        for (size_t i = 0; i < n; i++)\n"
                "            numbers[i] = rand_r(&seed);\n"
                "        bench_resume(b);\n"
                "        qsort(numbers, n, sizeof *numbers, compare_ints);\n"
                "        bench_clobber(); /* the compiler takes all memory for read */\n"
                "    }\n"
                "    free(numbers);\n"
                "}\n";
/* clang-format on */

/* The area of the benchmarks is named after the file, as compile.c does it. Returns 0 or an exit code. */
static int check_name(const char *path) {
        if (compile_is_source(path) && *file_name_of(path) != '.')
                return 0;
        complain("'%s' is not named as source code in C or C++.", path);
        complain_hint("For example: benchctl new mybench.c, or mybench.cc");
        return EXIT_USAGE;
}

static int write_template(const char *path) {
        _cleanup_(file_draft_clear) FileDraft draft = FILE_DRAFT_NONE;
        int r;

        r = file_draft_open_new(path, &draft);
        if (r == 0)
                r = file_draft_write(&draft, template, sizeof template - 1);
        if (r == FILE_DRAFT_E_EXISTS) {
                complain("%s exists already, and was left unchanged.", path);
                return EXIT_USAGE;
        }
        return r ? complain_unwritten("", path, r) : 0;
}

int verb_new(const Settings *settings) {
        const SettingsWords *words = &settings->arguments;
        char quoted[HINT_WORD_MAX];
        int r;

        r = check_name(words->words[0]);
        if (r == 0)
                r = write_template(words->words[0]);
        if (r)
                return r;
        hint_quote(words->words[0], quoted);
        printf("%s holds three benchmarks to begin with. Next:\n"
               "  benchctl edit %s\n"
               "  benchctl run%s %s\n",
                        words->words[0], quoted, retry_private_option(settings), quoted);
        return output_check_stdout();
}
