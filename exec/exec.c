/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The module behind 'benchctl exec': a benchmark for each command, whose body has the stage run it and reports the time that the stage
 * measured. So whole commands have the plan, the probes, the turns and the verdicts of a benchmark. In a comparison the other side is
 * exec-reference.so, of the same source: its benchmarks have the names of their counterparts, and all of them run the first command.
 *
 * The commands are the client's: when the module is loaded, its table is filled with their names.
 */

#define BENCH_NO_MODULE
#include <benchd/bench.h>

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "exec-wire.h"

#ifdef EXEC_REFERENCE
# define EXEC_OLD true
#else
# define EXEC_OLD false
#endif

/* ---- the stage */

static int stage_connect(char ret_token[static EXEC_TOKEN_BYTES]) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        const char *place = getenv(EXEC_VARIABLE), *colon = place ? strchr(place, ':') : NULL;
        int fd;

        if (!colon || colon - place + 1 != EXEC_TOKEN_BYTES || strlen(colon + 1) >= sizeof address.sun_path) {
                errno = EINVAL;
                return -1;
        }
        memcpy(ret_token, place, EXEC_TOKEN_BYTES - 1);
        ret_token[EXEC_TOKEN_BYTES - 1] = '\0';
        strcpy(address.sun_path, colon + 1);
        fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) < 0) {
                close(fd);
                return -1;
        }
        return fd;
}

static bool stage_ask(int fd, const ExecAsk *ask, void *ret_answer, size_t n_answer) {
        ssize_t n;

        if (send(fd, ask, sizeof *ask, MSG_NOSIGNAL) != sizeof *ask)
                return false;
        do
                n = recv(fd, ret_answer, n_answer, 0);
        while (n < 0 && errno == EINTR);
        return n == (ssize_t)n_answer;
}

/* ---- a body */

static void count_run(struct bench *b, const double counts[static _EXEC_COUNTS_N]) {
        static const char *const names[_EXEC_COUNTS_N] = {
                [EXEC_USER_NS] = "user_ns",
                [EXEC_SYSTEM_NS] = "system_ns",
                [EXEC_MAX_RSS_BYTES] = "max_rss_bytes",
                [EXEC_MINOR_FAULTS] = "minor_faults",
                [EXEC_MAJOR_FAULTS] = "major_faults",
                [EXEC_VOLUNTARY_SWITCHES] = "voluntary_switches",
                [EXEC_INVOLUNTARY_SWITCHES] = "involuntary_switches",
                [EXEC_READ_BYTES] = "read_bytes",
                [EXEC_WRITTEN_BYTES] = "written_bytes",
                [EXEC_STORAGE_BYTES] = "storage_read_bytes",
                [EXEC_DROPPED_BYTES] = "dropped_bytes",
                [EXEC_SHELL_NS] = "shell_ns",
                [EXEC_START_NS] = "start_ns",
                [EXEC_EXIT_CODE] = "exit_code",
        };

        for (size_t i = 0; i < _EXEC_COUNTS_N; i++)
                if (!isnan(counts[i]))
                        bench_counter(b, names[i], counts[i]);
}

static void run_command(struct bench *b, uint32_t command) {
        ExecAsk ask = { .question = EXEC_RUN, .command = EXEC_OLD ? 0 : command };
        char note[EXEC_NOTE_BYTES] = "";
        ExecRun run;
        int fd;

        fd = stage_connect(ask.token);
        if (fd < 0)
                bench_fail(b, "benchctl, which runs the command, cannot be reached: %s", strerror(errno));
        bench_loop(b) {
                if (!stage_ask(fd, &ask, &run, sizeof run))
                        bench_fail(b, "benchctl, which runs the command, has ended");
                if (run.failed[0])
                        bench_fail(b, "%s", run.failed);
                if (run.note[0])
                        memcpy(note, run.note, sizeof note);
                count_run(b, run.counts);
                bench_manual_ns(b, run.wall_ns);
        }
        if (note[0])
                bench_label(b, "%s", note);
        close(fd);
}

/* ---- the table: a body does not know which benchmark it is of, so each has its own function */

/* clang-format off */
#define EACH_OF_8(of, n) of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7)
#define EACH(of)                                                                                                      \
        EACH_OF_8(of, 0) EACH_OF_8(of, 01) EACH_OF_8(of, 02) EACH_OF_8(of, 03)                                        \
        EACH_OF_8(of, 04) EACH_OF_8(of, 05) EACH_OF_8(of, 06) EACH_OF_8(of, 07)

#define BODY(n) static void command_##n(struct bench *b) { run_command(b, n); }
EACH(BODY)

#define NAME(n) command_##n,
static bench_function *const bodies[EXEC_COMMANDS_MAX] = { EACH(NAME) };
/* clang-format on */

static ExecDescription descriptions[EXEC_COMMANDS_MAX];
static struct bench_descriptor descriptors[EXEC_COMMANDS_MAX];
static struct bench_descriptor *table[EXEC_COMMANDS_MAX];

extern struct bench_module benchd_module;
__attribute__((used, visibility("default"))) struct bench_module benchd_module = {
        .abi = BENCH_ABI,
        .size = sizeof(struct bench_module),
        .compiler = BENCH_COMPILER_,
        .optimized = BENCH_OPTIMIZED_,
        .revision = BENCH_REVISION,
        .descriptors = table,
        .descriptors_end = table,
};

/* A run of one command measures it; with several, each but the first has a benchmark, and is compared with the first. */
static void table_add(uint32_t command) {
        struct bench_descriptor *descriptor = &descriptors[command];

        *descriptor = (struct bench_descriptor){
                .size = sizeof *descriptor,
                .name = descriptions[command].name,
                .file = "exec.c",
                .run = bodies[command],
                .options = {
                        .area = "exec",
                        .title = descriptions[EXEC_OLD ? 0 : command].title,
                        .iterations = 1,
                        .warmup_ms = BENCH_NO_WARMUP,
                        .prime = BENCH_NO,
                },
        };
        *benchd_module.descriptors_end++ = descriptor;
}

/* Without the stage the table stays empty, and the listing says that the module holds no benchmark. */
__attribute__((constructor)) static void table_fill(void) {
        ExecAsk ask = { .question = EXEC_DESCRIBE };
        int fd = stage_connect(ask.token);
        uint32_t n = fd >= 0 ? 1 : 0;

        for (; ask.command < n; ask.command++) {
                ExecDescription *description = &descriptions[ask.command];

                if (!stage_ask(fd, &ask, description, sizeof *description) || description->n > EXEC_COMMANDS_MAX)
                        break;
                n = description->n;
        }
        for (uint32_t i = n > 1 ? 1 : 0; n > 0 && i < ask.command; i++)
                table_add(i);
        if (fd >= 0)
                close(fd);
}
