/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "inspect/loop.h"

#include <benchd/bench.h>

#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/code.h"
#include "inspect/image.h"
#include "util/cleanup.h"
#include "util/error.h"

#define LOOP_REACH_BACK 10u /* instructions before a call that may set its registers */
#define LOOP_CALLS_MAX  32u /* candidates for the call for the next batch */

/* ---- the call for the next batch */

/* The value of a register, as far as earlier instructions show: another register, or memory at base + displacement. */
typedef struct LoopOrigin {
        uint32_t reg; /* CODE_NONE: memory */
        uint32_t base;
        int64_t displacement;
} LoopOrigin;

/* True for a register that calls preserve: its value may be set long before. */
static bool is_kept(uint32_t reg) {
        return reg == X86_REG_RBX || reg == X86_REG_RBP || (reg >= X86_REG_R12 && reg <= X86_REG_R15);
}

static LoopOrigin origin_of(const Code *code, uint32_t at, uint32_t reg) {
        for (uint32_t i = 1; i <= LOOP_REACH_BACK && i <= at && !is_kept(reg); i++) {
                const DecoderInstruction *before = &code->instructions[at - i];

                if (before->to != reg || before->kind == CODE_TEST)
                        continue;
                if (before->kind == CODE_MOVE)
                        reg = before->from;
                else if (before->kind == CODE_LOAD)
                        return (LoopOrigin){ CODE_NONE, before->base, before->displacement };
                else
                        break;
        }
        return (LoopOrigin){ .reg = reg };
}

static bool origins_are_equal(const LoopOrigin *a, const LoopOrigin *b) {
        return a->reg == b->reg && (a->reg != CODE_NONE || (a->base == b->base && a->displacement == b->displacement));
}

static bool loads_next(const DecoderInstruction *instruction, uint32_t reg) {
        return instruction->kind == CODE_LOAD && instruction->to == reg && instruction->base != CODE_NONE &&
               instruction->displacement == offsetof(struct bench, next);
}

/*
 * The place of the load of b->next into @reg: the last before @at, or anywhere, since compilers may keep the pointer in a register
 * throughout the loop. CODE_NONE if there is none.
 */
static uint32_t find_load(const Code *code, uint32_t at, uint32_t reg) {
        for (uint32_t i = at; i > 0; i--)
                if (loads_next(&code->instructions[i - 1], reg))
                        return i - 1;
        for (uint32_t i = at + 1; i < code->n; i++)
                if (loads_next(&code->instructions[i], reg))
                        return i;
        return CODE_NONE;
}

/*
 * The place of the load of b->next whose value is spilled to the slot that @slot names, as happens when a compiler runs
 * out of registers.
 */
static uint32_t find_spilled_load(const Code *code, const DecoderInstruction *slot) {
        if (slot->base != X86_REG_RSP && slot->base != X86_REG_RBP)
                return CODE_NONE;
        for (uint32_t i = 0; i < code->n; i++) {
                const DecoderInstruction *store = &code->instructions[i];

                if (store->kind != CODE_STORE || store->from == CODE_NONE || store->base != slot->base ||
                                store->displacement != slot->displacement)
                        continue;
                for (uint32_t k = 1; k <= LOOP_REACH_BACK && k <= i; k++)
                        if (loads_next(&code->instructions[i - k], store->from))
                                return i - k;
        }
        return CODE_NONE;
}

/* The last instruction shortly before @at that writes @reg; NULL if there is none. */
static const DecoderInstruction *find_write(const Code *code, uint32_t at, uint32_t reg) {
        for (uint32_t i = 1; i <= LOOP_REACH_BACK && i <= at; i++)
                if (code->instructions[at - i].to == reg && code->instructions[at - i].kind != CODE_TEST)
                        return &code->instructions[at - i];
        return NULL;
}

/* The place where a call loads its pointer from a struct, at the offset of b->next; CODE_NONE if it does not. */
static uint32_t find_structure(const Code *code, uint32_t call) {
        const DecoderInstruction *instruction = &code->instructions[call], *slot = instruction;
        uint32_t load = CODE_NONE;

        if (instruction->kind == CODE_CALL_REGISTER)
                slot = find_write(code, call, instruction->to);
        else if (instruction->kind != CODE_CALL_MEMORY || instruction->base == CODE_NONE)
                return CODE_NONE;
        if (slot && (slot == instruction || slot->kind == CODE_LOAD))
                load = find_spilled_load(code, slot);
        if (load != CODE_NONE)
                return load;
        if (instruction->kind == CODE_CALL_REGISTER)
                return find_load(code, call, instruction->to);
        return instruction->displacement == offsetof(struct bench, next) ? call : CODE_NONE;
}

/*
 * 0: not a call of a struct's function at the offset of `next`; 1: such a call; 2: with the struct as its argument, as
 * in b->next(b).
 */
static unsigned call_likeness(const Code *code, uint32_t call) {
        const uint32_t load = find_structure(code, call);
        LoopOrigin structure, argument;

        if (load == CODE_NONE)
                return 0;
        structure = origin_of(code, load, code->instructions[load].base);
        argument = origin_of(code, call, X86_REG_RDI);
        return origins_are_equal(&structure, &argument) ? 2 : 1;
}

static size_t find_calls(const Code *code, uint32_t calls[static LOOP_CALLS_MAX]) {
        unsigned best = 1;
        size_t n = 0;

        for (uint32_t i = 0; i < code->n && n < LOOP_CALLS_MAX; i++) {
                const unsigned likeness = call_likeness(code, i);

                if (likeness < best)
                        continue;
                if (likeness > best)
                        n = 0;
                best = likeness;
                calls[n++] = i;
        }
        return n;
}

/* ---- ways round */

enum {
        WAY_ALLOWED = 1u << 0,
        WAY_AHEAD = 1u << 1,
        WAY_BACK = 1u << 2,
        WAY_TRIED = 1u << 3,
};

/* A search in the graph of a function's instructions. */
typedef struct LoopSearch {
        const Code *code;
        uint8_t *ways;  /* WAY_*, of each instruction */
        uint32_t *todo; /* as many entries */
} LoopSearch;

/*
 * Sets @way on all instructions that @edges lead to from @start, through allowed ones; on @start too if they lead back.
 */
static void search_reach(LoopSearch *search, const CodeEdges *edges, uint32_t start, uint8_t way) {
        size_t n = 0;

        search->todo[n++] = start;
        while (n > 0) {
                const uint32_t from = search->todo[--n];

                for (uint32_t e = edges->first[from]; e < edges->first[from + 1]; e++) {
                        const uint32_t to = edges->to[e];

                        if (!(search->ways[to] & WAY_ALLOWED) || (search->ways[to] & way))
                                continue;
                        search->ways[to] |= way;
                        search->todo[n++] = to;
                }
        }
}

/* Finds the instructions that are on a cycle through @start. Returns their number; their ways are AHEAD and BACK. */
static uint32_t search_cycle(LoopSearch *search, uint32_t start) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < search->code->n; i++)
                search->ways[i] &= ~(WAY_AHEAD | WAY_BACK);
        search_reach(search, &search->code->after, start, WAY_AHEAD);
        if (!(search->ways[start] & WAY_AHEAD))
                return 0;
        search_reach(search, &search->code->before, start, WAY_BACK);
        for (uint32_t i = 0; i < search->code->n; i++)
                n += (search->ways[i] & (WAY_AHEAD | WAY_BACK)) == (WAY_AHEAD | WAY_BACK);
        return n;
}

static bool is_on_cycle(const LoopSearch *search, uint32_t i) {
        return (search->ways[i] & (WAY_AHEAD | WAY_BACK)) == (WAY_AHEAD | WAY_BACK);
}

/*
 * Finds the largest cycle around @call that does not contain it, and marks it in @flags if it is larger than @n_best.
 * Returns the larger size.
 */
static uint32_t search_loop(LoopSearch *search, uint32_t call, uint32_t n_best, uint8_t *flags) {
        const uint32_t n = search->code->n;

        memset(search->ways, WAY_ALLOWED, n);
        if (search_cycle(search, call) == 0)
                return n_best;
        for (uint32_t i = 0; i < n; i++)
                search->ways[i] = is_on_cycle(search, i) && i != call ? WAY_ALLOWED : 0;
        for (uint32_t i = 0; i < n; i++) {
                uint32_t n_here;

                if ((search->ways[i] & (WAY_ALLOWED | WAY_TRIED)) != WAY_ALLOWED)
                        continue;
                n_here = search_cycle(search, i);
                for (uint32_t k = 0; k < n; k++)
                        if (is_on_cycle(search, k))
                                search->ways[k] |= WAY_TRIED;
                if (n_here <= n_best)
                        continue;
                n_best = n_here;
                for (uint32_t k = 0; k < n; k++)
                        flags[k] = is_on_cycle(search, k) ? INSPECTION_IN_LOOP : 0;
        }
        return n_best;
}

/* ---- its timed part */

typedef enum LoopPause {
        LOOP_GOES_ON,
        LOOP_PAUSES,
        LOOP_RESUMES,
} LoopPause;

/* Recognised by the names of called functions, or, if inlined, by the field of `b` that they write. */
static LoopPause pause_of(const Image *image, const DecoderInstruction *instruction) {
        const uint64_t callee = code_callee(instruction);
        const ImageSymbol *symbol = callee ? image_symbol(image, callee) : NULL;

        if (symbol && strstr(symbol->name, "bench_pause"))
                return LOOP_PAUSES;
        if (symbol && strstr(symbol->name, "bench_resume"))
                return LOOP_RESUMES;
        if (instruction->base == CODE_NONE || instruction->displacement != offsetof(struct bench, pause_began_ticks))
                return LOOP_GOES_ON;
        if (instruction->kind == CODE_STORE)
                return LOOP_PAUSES;
        return instruction->kind == CODE_STORE_ZERO ? LOOP_RESUMES : LOOP_GOES_ON;
}

enum {
        TIME_RUNS = 1u << 0,
        TIME_PAUSES = 1u << 1,
};

/* Queues an instruction, with time running or paused before it. */
static void time_enter(LoopSearch *search, const uint8_t *flags, uint32_t i, uint8_t time, size_t *n_todo) {
        if (!(flags[i] & INSPECTION_IN_LOOP) || (search->ways[i] & time))
                return;
        search->ways[i] |= time;
        search->todo[(*n_todo)++] = i << 1 | (time == TIME_PAUSES);
}

/* Time runs when the loop is entered. All code that may be reached while it runs is timed. */
static void mark_timed(const Image *image, LoopSearch *search, uint8_t *flags) {
        const Code *code = search->code;
        size_t n_todo = 0;

        memset(search->ways, 0, code->n);
        for (uint32_t i = 0; i < code->n; i++)
                for (uint32_t e = code->before.first[i]; e < code->before.first[i + 1]; e++)
                        if (!(flags[code->before.to[e]] & INSPECTION_IN_LOOP))
                                time_enter(search, flags, i, TIME_RUNS, &n_todo);
        while (n_todo > 0) {
                const uint32_t entry = search->todo[--n_todo], i = entry >> 1;
                const LoopPause pause = pause_of(image, &code->instructions[i]);
                uint8_t time = entry & 1 ? TIME_PAUSES : TIME_RUNS;

                if (pause != LOOP_GOES_ON)
                        time = pause == LOOP_PAUSES ? TIME_PAUSES : TIME_RUNS;
                for (uint32_t e = code->after.first[i]; e < code->after.first[i + 1]; e++)
                        time_enter(search, flags, code->after.to[e], time, &n_todo);
        }
        for (uint32_t i = 0; i < code->n; i++)
                if (search->ways[i] & TIME_RUNS)
                        flags[i] |= INSPECTION_TIMED;
}

/* ---- the whole */

/* True for the load of b->next that gcc -Os leaves in the loop, for the call after it. */
static bool is_load_for_call(const Code *code, const uint8_t *flags, const DecoderInstruction *instruction) {
        if (!loads_next(instruction, instruction->to))
                return false;
        for (uint32_t i = 0; i < code->n; i++)
                if (code->instructions[i].kind == CODE_CALL_REGISTER && code->instructions[i].to == instruction->to &&
                                !(flags[i] & INSPECTION_IN_LOOP))
                        return true;
        return false;
}

/* Recognises a loop that only subtracts 1 from a register, tests it and jumps. */
static InspectionFact find_empty(const Code *code, const uint8_t *flags) {
        unsigned n_counts = 0;

        for (uint32_t i = 0; i < code->n; i++) {
                if (!(flags[i] & INSPECTION_IN_LOOP))
                        continue;
                switch ((DecoderKind)code->instructions[i].kind) {
                case CODE_COUNT_DOWN:
                        n_counts++;
                        break;
                case CODE_PADDING:
                case CODE_MOVE:
                case CODE_TEST:
                case CODE_BRANCH:
                case CODE_JUMP:
                        break;
                default:
                        if (!is_load_for_call(code, flags, &code->instructions[i]))
                                return INSPECTION_NO;
                }
        }
        return n_counts == 1 ? INSPECTION_YES : INSPECTION_NO;
}

/* True for a branch that leaves the block from @first to the jump at its end. */
static bool is_exit(const DecoderInstruction *branch, const DecoderInstruction *first, const DecoderInstruction *jump) {
        return branch->target < first->address || branch->target > jump->address;
}

/*
 * True for a block that only adds one constant to a register, compares, and jumps back to its beginning unless it is left. Its values may
 * be moved between registers. A nop counts as work of the author, since no compiler aligns code there.
 */
static bool is_counting(const Code *code, const uint8_t *flags, uint32_t first, uint32_t jump) {
        unsigned n_counts = 0, n_exits = code->instructions[jump].kind == CODE_BRANCH;

        for (uint32_t i = first; i < jump; i++) {
                const DecoderInstruction *instruction = &code->instructions[i];

                if (!(flags[i] & INSPECTION_TIMED) ||
                                instruction->address + instruction->n_bytes != instruction[1].address)
                        return false;
                switch ((DecoderKind)instruction->kind) {
                case CODE_COUNT_DOWN:
                case CODE_COUNT:
                        n_counts++;
                        break;
                case CODE_CONSTANT:
                case CODE_MOVE:
                case CODE_TEST:
                case CODE_COMPARE:
                        break;
                case CODE_BRANCH:
                        n_exits++;
                        if (!is_exit(instruction, &code->instructions[first], &code->instructions[jump]))
                                return false;
                        break;
                default:
                        return false;
                }
        }
        return n_counts == 1 && n_exits == 1;
}

/* The address of the jump that closes an inner loop which only counts; 0: none. */
static uint64_t find_counting(const Code *code, const Loop *loop) {
        for (uint32_t i = 0; i < code->n; i++) {
                const DecoderInstruction *jump = &code->instructions[i];
                uint32_t first;

                if ((jump->kind != CODE_BRANCH && jump->kind != CODE_JUMP) || jump->leaves ||
                                jump->target >= jump->address || !(loop->flags[i] & INSPECTION_TIMED))
                        continue;
                first = code_find(code, jump->target);
                if (first != CODE_NONE && i - first + 1 < loop->n && is_counting(code, loop->flags, first, i))
                        return jump->address;
        }
        return 0;
}

/* Counts the instructions of the loop that lie in @part (NULL: all), and finds the first and the last of them. */
static uint32_t find_part(const Image *image, const Code *code, const ImageSymbol *part, Loop *loop) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < code->n; i++) {
                const DecoderInstruction *instruction = &code->instructions[i];

                if (!(loop->flags[i] & INSPECTION_IN_LOOP) ||
                                (part && image_symbol(image, instruction->address) != part))
                        continue;
                if (n++ == 0)
                        loop->start = instruction->address;
                loop->end = instruction->address + instruction->n_bytes;
        }
        return n;
}

/* Parts of the loop that the compiler moved away from its function are rarely executed, and may lie anywhere. */
static void find_bounds(const Image *image, const Code *code, Loop *loop) {
        loop->n = find_part(image, code, image_symbol(image, code->entry), loop);
        if (loop->n == 0)
                loop->n = find_part(image, code, NULL, loop);
}

static void search_clear(LoopSearch *search) {
        free(search->ways);
        free(search->todo);
}

int loop_find(const Image *image, const Code *code, Loop *ret_loop) {
        _cleanup_(search_clear) LoopSearch search = { .code = code };
        _cleanup_(loop_clear) Loop loop = {};
        uint32_t calls[LOOP_CALLS_MAX], n_best = 0;
        size_t n_calls;

        n_calls = find_calls(code, calls);
        if (n_calls == 0)
                return LOOP_E_NONE;
        search.ways = calloc(code->n + 1, 1);
        search.todo = calloc(2 * (size_t)code->n + 2, sizeof *search.todo);
        loop.flags = calloc(code->n + 1, 1);
        if (!search.ways || !search.todo || !loop.flags)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n_calls; i++)
                n_best = search_loop(&search, calls[i], n_best, loop.flags);
        if (n_best == 0)
                return LOOP_E_NONE;
        mark_timed(image, &search, loop.flags);
        find_bounds(image, code, &loop);
        loop.empty = find_empty(code, loop.flags);
        loop.counting = find_counting(code, &loop);
        *ret_loop = loop;
        loop.flags = NULL;
        return 0;
}

void loop_clear(Loop *loop) {
        free(loop->flags);
        loop->flags = NULL;
}
