/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/context.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "util/error.h"

#define PAGE_BYTES  4096u
#define GUARD_BYTES PAGE_BYTES
#define READY_BYTES (256u << 10) /* of the stack, touched before anything runs on it */

struct Context {
        void *stack_pointer; /* of the side that does not run */
        ContextFunction function;
        void *argument;
        char *mapping;
        size_t n_mapping;
};

/* context-switch.S: saves this side's registers on its stack, swaps *@stack_pointer with %rsp, restores the other side's. */
void context_switch(void **stack_pointer) __attribute__((visibility("hidden")));

/* Registers that a fresh stack starts with, as context_switch() pops them. */
typedef struct ContextFrame {
        uint32_t mxcsr;
        uint16_t x87_control;
        uint16_t padding;
        uint64_t r15, r14, r13, r12, rbx, rbp;
        void (*entry)(void);
        uint64_t return_address; /* none: unwinders stop here */
} ContextFrame;

/* The one that this thread runs, for context_enter(), which nobody can pass an argument. */
static _Thread_local Context *context_running = NULL;

static void context_enter(void) {
        Context *context = context_running;

        context->function(context->argument);
        for (;;)
                context_yield(context);
}

static void *context_first_frame(char *top) {
        ContextFrame *frame = (ContextFrame *)top - 1;

        *frame = (ContextFrame){ .mxcsr = 0x1f80, .x87_control = 0x037f, .entry = context_enter };
        return frame;
}

/* Kernels before 5.14 cannot, and it is no harm. */
static void context_make_ready(char *mapping, size_t n_mapping) {
        size_t n = n_mapping - GUARD_BYTES < READY_BYTES ? n_mapping - GUARD_BYTES : READY_BYTES;

        (void)madvise(mapping + n_mapping - n, n, MADV_POPULATE_WRITE);
}

int context_new(size_t size, size_t offset_bytes, ContextFunction function, void *argument, Context **ret_context) {
        size_t n_mapping = GUARD_BYTES + size + (offset_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        Context *context;
        char *mapping;

        mapping = mmap(NULL, n_mapping, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                        -1, 0);
        if (mapping == MAP_FAILED)
                return error_origin(-errno);
        context = malloc(sizeof *context);
        if (!context || mprotect(mapping, GUARD_BYTES, PROT_NONE) < 0) {
                munmap(mapping, n_mapping);
                free(context);
                return error_origin(-ENOMEM);
        }

        context_make_ready(mapping, n_mapping);
        *context = (Context){
                .stack_pointer = context_first_frame(mapping + n_mapping - offset_bytes),
                .function = function,
                .argument = argument,
                .mapping = mapping,
                .n_mapping = n_mapping,
        };
        *ret_context = context;
        return 0;
}

Context *context_free(Context *context) {
        if (!context)
                return NULL;
        munmap(context->mapping, context->n_mapping);
        free(context);
        return NULL;
}

void context_resume(Context *context) {
        context_running = context;
        context_switch(&context->stack_pointer);
}

void context_yield(Context *context) {
        context_switch(&context->stack_pointer);
}
