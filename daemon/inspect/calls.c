/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/calls.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "inspect/code.h"
#include "inspect/image.h"
#include "inspect/loop.h"
#include "util/cleanup.h"
#include "util/error.h"

#define CALLS_DEPTH         2u
#define CALLS_FUNCTIONS_MAX 32u /* searched for one loop */

typedef struct CallName {
        const char *name;
        InspectionCallKind kind;
} CallName;

/* Names of the C library, without the variants of import_kind(). */
static const CallName call_names[] = {
        { "write", INSPECTION_CALL_OUTPUT },
        { "writev", INSPECTION_CALL_OUTPUT },
        { "printf", INSPECTION_CALL_OUTPUT },
        { "vprintf", INSPECTION_CALL_OUTPUT },
        { "fprintf", INSPECTION_CALL_OUTPUT },
        { "vfprintf", INSPECTION_CALL_OUTPUT },
        { "dprintf", INSPECTION_CALL_OUTPUT },
        { "vdprintf", INSPECTION_CALL_OUTPUT },
        { "puts", INSPECTION_CALL_OUTPUT },
        { "fputs", INSPECTION_CALL_OUTPUT },
        { "putchar", INSPECTION_CALL_OUTPUT },
        { "putc", INSPECTION_CALL_OUTPUT },
        { "fputc", INSPECTION_CALL_OUTPUT },
        { "fwrite", INSPECTION_CALL_OUTPUT },
        { "fflush", INSPECTION_CALL_OUTPUT },
        { "perror", INSPECTION_CALL_OUTPUT },
        { "read", INSPECTION_CALL_INPUT },
        { "readv", INSPECTION_CALL_INPUT },
        { "pread", INSPECTION_CALL_INPUT },
        { "fread", INSPECTION_CALL_INPUT },
        { "recv", INSPECTION_CALL_INPUT },
        { "recvfrom", INSPECTION_CALL_INPUT },
        { "recvmsg", INSPECTION_CALL_INPUT },
        { "scanf", INSPECTION_CALL_INPUT },
        { "fscanf", INSPECTION_CALL_INPUT },
        { "fgets", INSPECTION_CALL_INPUT },
        { "fgetc", INSPECTION_CALL_INPUT },
        { "getc", INSPECTION_CALL_INPUT },
        { "getchar", INSPECTION_CALL_INPUT },
        { "getline", INSPECTION_CALL_INPUT },
        { "open", INSPECTION_CALL_FILE },
        { "openat", INSPECTION_CALL_FILE },
        { "creat", INSPECTION_CALL_FILE },
        { "fopen", INSPECTION_CALL_FILE },
        { "freopen", INSPECTION_CALL_FILE },
        { "opendir", INSPECTION_CALL_FILE },
        { "stat", INSPECTION_CALL_FILE },
        { "lstat", INSPECTION_CALL_FILE },
        { "fstatat", INSPECTION_CALL_FILE },
        { "access", INSPECTION_CALL_FILE },
        { "unlink", INSPECTION_CALL_FILE },
        { "rename", INSPECTION_CALL_FILE },
        { "mkstemp", INSPECTION_CALL_FILE },
        { "sleep", INSPECTION_CALL_SLEEP },
        { "usleep", INSPECTION_CALL_SLEEP },
        { "nanosleep", INSPECTION_CALL_SLEEP },
        { "clock_nanosleep", INSPECTION_CALL_SLEEP },
        { "thrd_sleep", INSPECTION_CALL_SLEEP },
        { "poll", INSPECTION_CALL_SLEEP },
        { "ppoll", INSPECTION_CALL_SLEEP },
        { "select", INSPECTION_CALL_SLEEP },
        { "pselect", INSPECTION_CALL_SLEEP },
        { "epoll_wait", INSPECTION_CALL_SLEEP },
        { "fsync", INSPECTION_CALL_SYNC },
        { "fdatasync", INSPECTION_CALL_SYNC },
        { "msync", INSPECTION_CALL_SYNC },
        { "syncfs", INSPECTION_CALL_SYNC },
        { "sync_file_range", INSPECTION_CALL_SYNC },
        { "kmpc_fork_call", INSPECTION_CALL_PARALLEL },
        { "kmpc_fork_teams", INSPECTION_CALL_PARALLEL },
        { "kmpc_omp_task", INSPECTION_CALL_PARALLEL },
};

/* Prefixes of libgomp's functions that run a region in a team. */
static const char *const team_names[] = { "GOMP_parallel", "GOMP_teams" };

/* Prefixes of std::ostream's functions, which a stream in memory uses as well. */
static const char *const stream_names[] = { "_ZNSolsE", "_ZNSo", "_ZStlsI", "_ZSt16__ostream_insert", "_ZSt4endl",
        "_ZSt5flush" };

/* The streams that lead out of the process. */
static const char *const streams[] = { "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog" };

/* Copies @name without the marks of a library's variants: __isoc99_, __xstat's x, _chk, 64, _unlocked. */
static void plain_name(const char *name, char plain[static INSPECTION_CALLED_MAX]) {
        static const char *const fronts[] = { "__isoc99_", "__isoc23_", "__x", "__", "_IO_" };
        static const char *const ends[] = { "_chk", "_unlocked", "64" };

        for (size_t i = 0; i < N_ELEMENTS(fronts); i++)
                if (strncmp(name, fronts[i], strlen(fronts[i])) == 0) {
                        name += strlen(fronts[i]);
                        break;
                }
        snprintf(plain, INSPECTION_CALLED_MAX, "%s", name);
        for (size_t i = 0; i < N_ELEMENTS(ends); i++) {
                const size_t n = strlen(plain), n_end = strlen(ends[i]);

                if (n > n_end && strcmp(plain + n - n_end, ends[i]) == 0)
                        plain[n - n_end] = 0;
        }
}

static bool begins_with_one_of(const char *name, const char *const *list, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (strncmp(name, list[i], strlen(list[i])) == 0)
                        return true;
        return false;
}

/* The search for one loop. */
typedef struct CallSearch {
        const Image *image;
        Decoder *decoder;
        InspectionCall *calls;
        uint64_t seen[CALLS_FUNCTIONS_MAX];
        size_t n_seen;
        bool prints_to_stream; /* a function on the way names a stream that leads out of the process */
} CallSearch;

static void search_note(CallSearch *search, InspectionCallKind kind, const char *function, const char *through) {
        InspectionCall *call = &search->calls[kind];

        if (call->function[0])
                return;
        snprintf(call->function, sizeof call->function, "%s", function);
        snprintf(call->through, sizeof call->through, "%s", through ? through : "");
}

static void search_name(CallSearch *search, const char *name, const char *through) {
        char plain[INSPECTION_CALLED_MAX];

        plain_name(name, plain);
        for (size_t i = 0; i < N_ELEMENTS(call_names); i++)
                if (strcmp(call_names[i].name, plain) == 0)
                        search_note(search, call_names[i].kind, plain, through);
        if (begins_with_one_of(name, team_names, N_ELEMENTS(team_names)))
                search_note(search, INSPECTION_CALL_PARALLEL, plain, through);
        if (search->prints_to_stream && begins_with_one_of(name, stream_names, N_ELEMENTS(stream_names)))
                search_note(search, INSPECTION_CALL_OUTPUT, "std::ostream", through);
}

/* The pointer to a stream may be loaded anywhere in the function, before its loop as well. */
static void search_streams(CallSearch *search, const Code *code) {
        for (uint32_t i = 0; i < code->n; i++) {
                const DecoderInstruction *instruction = &code->instructions[i];

                if (instruction->name && instruction->kind == CODE_LOAD &&
                                begins_with_one_of(instruction->name, streams, N_ELEMENTS(streams)))
                        search->prints_to_stream = true;
        }
}

static bool search_is_new(CallSearch *search, uint64_t function) {
        for (size_t i = 0; i < search->n_seen; i++)
                if (search->seen[i] == function)
                        return false;
        if (search->n_seen == CALLS_FUNCTIONS_MAX)
                return false;
        search->seen[search->n_seen++] = function;
        return true;
}

static bool is_call(const DecoderInstruction *instruction) {
        return instruction->leaves || instruction->kind == CODE_CALL || instruction->kind == CODE_CALL_MEMORY;
}

/* Searches the calls of @code that are timed by @flags (NULL: all), and the called functions, @depth deep. */
static int search_code(CallSearch *search, const Code *code, const uint8_t *flags, const char *through,
                unsigned depth) {
        search_streams(search, code);
        for (uint32_t i = 0; i < code->n; i++) {
                const DecoderInstruction *instruction = &code->instructions[i];
                const uint64_t callee = code_callee(instruction);
                _cleanup_(code_freep) Code *called = NULL;
                const ImageSymbol *symbol;
                int r;

                if (!is_call(instruction) || (flags && !(flags[i] & INSPECTION_TIMED)))
                        continue;
                if (instruction->name)
                        search_name(search, instruction->name, through);
                if (callee == 0 || depth == 0 || !search_is_new(search, callee))
                        continue;
                r = code_new(search->decoder, callee, &called);
                if (r)
                        return error_trace(r);
                symbol = image_symbol(search->image, callee);
                r = search_code(search, called, NULL,
                                through  ? through
                                : symbol ? symbol->name
                                         : "a function of the module",
                                depth - 1);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

int calls_find(const Image *image, Decoder *decoder, const Code *code, const Loop *loop,
                InspectionCall ret_calls[static _INSPECTION_CALL_N]) {
        CallSearch search = { .image = image,
                .decoder = decoder,
                .calls = ret_calls,
                .seen = { code->entry },
                .n_seen = 1 };

        return error_trace(search_code(&search, code, loop->flags, NULL, CALLS_DEPTH));
}
