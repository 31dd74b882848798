/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/static-limit.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/base/json-path.h"
#include "ctl/model/instruction.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/text-stream.h"

#define LIMIT_PROGRAM    "llvm-mca"
#define LIMIT_ITERATIONS 500 /* simulated: the filling of the pipeline is then less than a hundredth */
#define LIMIT_PLACE      ".Lplace"
#define LIMIT_HEAD       ".intel_syntax noprefix\n" LIMIT_PLACE ":\n"
#define LIMIT_HEAD_LINES 2u
#define LIMIT_SAFE                                                                                                     \
 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,+-*:[](){}" /* no separator, directive or comment */

extern char **environ;

/* ---- the program */

static bool is_branch(const char *text) {
        static const char *const beginnings[] = { "j", "bnd j", "notrack j", "loop", "xbegin" };

        for (size_t i = 0; i < N_ELEMENTS(beginnings); i++)
                if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
                        return true;
        return false;
}

/* Every branch goes to one label: the model predicts it, and an address would be taken for memory. */
char *static_program_line(const json_t *instruction) {
        const char *text = json_text_at(instruction, "text"), *last;
        char *line = NULL;

        if (!text || !islower((unsigned char)*text) || text[strspn(text, LIMIT_SAFE)] != '\0')
                return NULL;
        last = strrchr(text, ' ');
        if (is_branch(text) && last && isdigit((unsigned char)last[1]) && !strchr(last, ']'))
                return asprintf(&line, "%.*s %s", (int)(last - text), text, LIMIT_PLACE) < 0 ? NULL : line;
        return strdup(text);
}

/* Each function once, however often it is called. */
static void leave_out(json_t *left_out, const char *function) {
        const json_t *known;

        json_each(i, known, left_out)
                if (strcmp(json_string_value(known), function) == 0)
                        return;
        json_array_append_new(left_out, json_string(function));
}

static void program_write(StaticProgram *program, const json_t *code, FILE *out) {
        const json_t *instructions = json_at(json_array_get(json_at(code, "functions"), 0), "instructions");
        const json_t *loop = json_at(code, "benchmark.loop");
        size_t n_back = 0;
        const json_t *instruction;

        fputs(LIMIT_HEAD, out);
        json_each(i, instruction, instructions) {
                _cleanup_(freep) char *line = NULL;
                double address, target;

                if (!instruction_in_loop(instruction) || !json_flag_at(instruction, "timed"))
                        continue;
                if (instruction_is_call(instruction)) {
                        leave_out(program->left_out, json_text_or(instruction, "target", "a function"));
                        continue;
                }
                line = static_program_line(instruction);
                fprintf(out, "%s\n", line ? line : "?");
                program->n++;
                n_back += instruction_jumps_into(instruction, loop) &&
                          json_number_at(instruction, "address", &address) &&
                          json_number_at(instruction, "target_address", &target) && target <= address;
        }
        program->inner_loop = n_back > 1;
}

int static_program_new(const json_t *code, StaticProgram *ret_program) {
        _cleanup_(static_program_clear) StaticProgram program = { .left_out = json_array() };
        _cleanup_(text_stream_clear) TextStream text = {};

        program_write(&program, code, text_stream_open(&text));
        program.text = text_stream_take(&text);
        if (!program.left_out || !program.text)
                return error_origin(-ENOMEM);
        if (program.n == 0)
                return STATIC_LIMIT_E_NONE;
        *ret_program = program;
        program = (StaticProgram){};
        return 0;
}

void static_program_clear(StaticProgram *program) {
        free(program->text);
        json_decref(program->left_out);
        *program = (StaticProgram){};
}

/* ---- what llvm-mca printed */

__attribute__((format(printf, 1, 2))) static json_t *problem_new(const char *format, ...) {
        _cleanup_(freep) char *text = NULL;
        va_list arguments;
        int n;

        va_start(arguments, format);
        n = vasprintf(&text, format, arguments);
        va_end(arguments);
        return n < 0 ? NULL
                     : json_pack("{s:s, s:n, s:n, s:n, s:n, s:n, s:[], s:b, s:s}", "program", LIMIT_PROGRAM, "cpu",
                                       "throughput_cycles", "cycles", "instructions", "micro_operations", "left_out",
                                       "inner_loop", false, "problem", text);
}

/* The first of @complaints that is an error: "<stdin>:4:2: error: invalid instruction mnemonic 'x'", with the line that it is about. */
static json_t *read_refusal(const StaticProgram *program, const char *complaints) {
        const char *error = strstr(complaints, "error: "), *line = program->text;
        const char *place = error;
        unsigned number = 0;

        if (!error)
                return problem_new("llvm-mca printed nothing that can be read.");
        while (place > complaints && place[-1] != '\n')
                place--;
        if (sscanf(place, "<stdin>:%u:", &number) != 1 || number <= LIMIT_HEAD_LINES)
                return problem_new("llvm-mca refuses the loop: %.*s.", (int)strcspn(error + 7, "\n"), error + 7);
        for (unsigned i = 1; i < number && line; i++) {
                line = strchr(line, '\n');
                line = line ? line + 1 : NULL;
        }
        line = line ? line : "";
        return problem_new("llvm-mca refuses the instruction '%.*s': %.*s.", (int)strcspn(line, "\n"), line,
                        (int)strcspn(error + 7, "\n"), error + 7);
}

static bool is_known(const char *cpu) {
        return cpu && strcmp(cpu, "generic") != 0 && strncmp(cpu, "x86-64", 6) != 0;
}

json_t *static_limit_read(const StaticProgram *program, const char *printed, const char *complaints) {
        /* It numbers equal units by a byte, from 0. */
        json_t *whole = json_loads(printed, JSON_ALLOW_NUL, NULL), *limit;
        const json_t *region = json_array_get(json_at(whole, "CodeRegions"), 0);
        const char *cpu = json_text_at(whole, "TargetInfo.CPUName");
        double iterations, cycles, micro_operations, throughput;

        if (strstr(complaints, "error: ") || !json_number_at(region, "SummaryView.Iterations", &iterations) ||
                        !json_number_at(region, "SummaryView.TotalCycles", &cycles) ||
                        !json_number_at(region, "SummaryView.TotaluOps", &micro_operations) ||
                        !json_number_at(region, "SummaryView.BlockRThroughput", &throughput) || iterations <= 0)
                limit = read_refusal(program, complaints);
        else if (!is_known(cpu))
                limit = problem_new("llvm-mca does not know this CPU.");
        else
                limit = json_pack("{s:s, s:s, s:f, s:f, s:I, s:f, s:O, s:b, s:n}", "program", LIMIT_PROGRAM, "cpu", cpu,
                                "throughput_cycles", throughput, "cycles", cycles / iterations, "instructions",
                                (json_int_t)program->n, "micro_operations", micro_operations / iterations, "left_out",
                                program->left_out, "inner_loop", program->inner_loop, "problem");
        json_decref(whole);
        return limit;
}

/* ---- running it */

/* Three memory files: its input, output and complaints. None of them can fill up like a pipe. */
typedef struct Files {
        int input;
        int output;
        int complaints;
} Files;

static void files_clear(Files *files) {
        fd_close(files->input);
        fd_close(files->output);
        fd_close(files->complaints);
}

static int files_open(const char *input, Files *ret_files) {
        int r;

        r = fd_memfd_new("loop", &ret_files->input);
        if (r == 0)
                r = fd_memfd_new("limit", &ret_files->output);
        if (r == 0)
                r = fd_memfd_new("complaints", &ret_files->complaints);
        if (r)
                return error_trace(r);
        if (write(ret_files->input, input, strlen(input)) != (ssize_t)strlen(input) ||
                        lseek(ret_files->input, 0, SEEK_SET) != 0)
                return error_origin(-EIO);
        return 0;
}

static char *read_all(int fd) {
        struct stat status;
        char *text;
        size_t n;

        if (fstat(fd, &status) < 0)
                return NULL;
        text = calloc(1, (size_t)status.st_size + 1);
        if (text && status.st_size > 0 && fd_read_at(fd, 0, text, (size_t)status.st_size, &n) != 0)
                text[0] = '\0';
        return text;
}

/* Runs it to its end. Returns 0 or an errno: ENOENT where it is not installed. */
static int run(const Files *files) {
        static const char iterations[] = "--iterations=";
        char option[sizeof iterations + 16];
        posix_spawn_file_actions_t actions;
        pid_t pid;
        int r;

        snprintf(option, sizeof option, "%s%d", iterations, LIMIT_ITERATIONS);
        posix_spawn_file_actions_init(&actions);
        r = posix_spawn_file_actions_adddup2(&actions, files->input, STDIN_FILENO);
        r = r ? r : posix_spawn_file_actions_adddup2(&actions, files->output, STDOUT_FILENO);
        r = r ? r : posix_spawn_file_actions_adddup2(&actions, files->complaints, STDERR_FILENO);
        r = r ? r
              : posix_spawnp(&pid, LIMIT_PROGRAM, &actions, NULL,
                                (char *const[]){ (char *)LIMIT_PROGRAM, (char *)"--json", option, NULL }, environ);
        posix_spawn_file_actions_destroy(&actions);
        while (r == 0 && waitpid(pid, NULL, 0) < 0)
                r = errno == EINTR ? 0 : errno;
        return r;
}

json_t *static_limit_new(const json_t *code) {
        _cleanup_(static_program_clear) StaticProgram program = {};
        _cleanup_(files_clear) Files files = { -1, -1, -1 };
        _cleanup_(freep) char *printed = NULL, *complaints = NULL;
        int r;

        r = static_program_new(code, &program);
        if (r == STATIC_LIMIT_E_NONE)
                return problem_new("No timed loop was found in the machine code.");
        if (r || files_open(program.text, &files) != 0)
                return NULL;
        r = run(&files);
        if (r == ENOENT)
                return problem_new("llvm-mca is not installed: install the package llvm.");
        if (r)
                return problem_new("llvm-mca cannot be run: %s.", strerror(r));
        printed = read_all(files.output);
        complaints = read_all(files.complaints);
        return printed && complaints ? static_limit_read(&program, printed, complaints) : NULL;
}
